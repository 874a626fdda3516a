import type { Answer } from '../server/listener.js';

/** `GET {management_base}/health` for a caller who may see the status only (management API, "health"). */
export class HealthEndpoint {
  readonly id = 'health';

  read(): Answer {
    return { status: 200, body: { status: 'UP' } };
  }
}
