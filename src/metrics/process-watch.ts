import { uptime } from 'node:process';
import { type Clock, SystemClock } from '../clock/clock.js';
import { EventLoopLag } from './event-loop-lag.js';
import { timeGcPauses } from './gc-pauses.js';
import { addMachineMeters } from './machine-meters.js';
import type { Meters } from './meters.js';

/** Measures the process itself until it is stopped (management API, "Names the service records"). */
export class ProcessWatch {
  private readonly lag: EventLoopLag;
  private readonly endGcPauses: () => void;

  constructor(
    private readonly meters: Meters,
    clock: Clock = new SystemClock(),
  ) {
    addMachineMeters(meters, clock);
    this.lag = new EventLoopLag(clock);
    meters.timer('nodejs.eventloop.lag', { description: 'How late the event loop is' }).set({}, this.lag);
    this.endGcPauses = timeGcPauses(meters);
  }

  /** Everything is made. */
  started(): void {
    this.note('application.started.time', 'Time from the start of the process until everything was made');
  }

  /** Everybody can come in. */
  ready(): void {
    this.note('application.ready.time', 'Time from the start of the process until it took requests');
  }

  stop(): void {
    this.lag.stop();
    this.endGcPauses();
  }

  private note(name: string, description: string): void {
    const seconds = uptime();
    this.meters.gauge(name, { description, baseUnit: 'seconds' }, () => seconds);
  }
}
