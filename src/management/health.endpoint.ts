import type { Availability } from '../health/availability.js';
import type { Answer } from '../server/listener.js';

const UP: Answer = { status: 200, body: { status: 'UP' } };
const DOWN: Answer = { status: 503, body: { status: 'DOWN' } };
const OUT_OF_SERVICE: Answer = { status: 503, body: { status: 'OUT_OF_SERVICE' } };

/** `GET {management_base}/health` for a caller who may see the status only (management API, "health"). */
export class HealthEndpoint {
  readonly id = 'health';

  constructor(private readonly availability: Availability) {}

  read(): Answer {
    return this.availability.isLive ? this.readiness() : DOWN;
  }

  /** For whoever restarts the process: stays up while it stops. */
  liveness(): Answer {
    return this.availability.isLive ? UP : DOWN;
  }

  /** For whoever sends requests: refuses first of all when the process stops. */
  readiness(): Answer {
    return this.availability.isReady ? UP : OUT_OF_SERVICE;
  }
}
