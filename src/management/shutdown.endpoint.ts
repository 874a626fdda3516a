import { Loggers } from '../observability/logging/loggers.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, OperationRequest, Result } from './dispatch/operation.js';

/** Leaves time to send the response. */
const DELAY_MILLIS = 500;

/** Lets a part of the service request a graceful shutdown, as a signal does. */
export class ShutdownTrigger {
  private shutDown: (() => void) | undefined;

  /** Sets what a request does; before this, a request has no effect. */
  onShutdown(shutDown: () => void): void {
    this.shutDown = shutDown;
  }

  requestStop(): void {
    this.shutDown?.();
  }
}

/** `POST {management_base}/shutdown`: shuts the service down gracefully (management API, "shutdown"). */
@ManagementEndpoint()
export class ShutdownEndpoint implements Endpoint {
  readonly id = 'shutdown';

  readonly operations: readonly Operation[] = [
    { method: 'POST', pathTemplate: '', hasNoParameters: true, run: (request) => this.shutDown(request) },
  ];

  constructor(
    private readonly trigger: ShutdownTrigger,
    private readonly loggers: Loggers,
  ) {}

  private shutDown({ operator }: OperationRequest): Result {
    this.loggers.get('management').warn('The service is asked to stop', { caller: operator?.name });
    setTimeout(() => {
      this.trigger.requestStop();
    }, DELAY_MILLIS);
    return { body: { message: 'Shutting down, bye...' } };
  }
}
