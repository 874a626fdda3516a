import { uptime } from 'node:process';
import { type Clock, SystemClock } from '../clock/clock.js';
import { EventLoopLag } from './event-loop-lag.js';
import { timeGcPauses } from './gc-pauses.js';
import { addJvmMemory } from './jvm-names.js';
import { addMachineMeters } from './machine-meters.js';
import type { Meters } from './meters.js';

export interface WatchOptions {
  /** Whether some of it is recorded under the names of the Java virtual machine as well. */
  readonly hasJvmNames?: boolean;
  readonly clock?: Clock;
}

/** Measures the process itself until it is stopped (management API, "Names the service records"). */
export class ProcessWatch {
  private readonly lag: EventLoopLag;
  private readonly endGcPauses: () => void;

  constructor(
    private readonly meters: Meters,
    { hasJvmNames = false, clock = new SystemClock() }: WatchOptions = {},
  ) {
    addMachineMeters(meters, clock);
    if (hasJvmNames) addJvmMemory(meters);
    this.lag = new EventLoopLag(clock);
    meters.timer('nodejs.eventloop.lag', { description: 'How late the event loop is' }).set({}, this.lag);
    this.endGcPauses = timeGcPauses(meters, ['nodejs.gc.pause', ...(hasJvmNames ? ['jvm.gc.pause'] : [])]);
  }

  /** Records that all components are created. */
  started(): void {
    this.note('application.started.time', 'Time from the start of the process until everything was made');
  }

  /** Records that the service accepts requests. */
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
