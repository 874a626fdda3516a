import { Loggers } from '../observability/logging/loggers.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, OperationRequest, Result } from './dispatch/operation.js';

/** Delay of the shutdown in milliseconds, in which the response is sent. */
const DELAY_MILLIS = 500;

/** Lets a part of the service request a graceful shutdown, as a signal does. */
export class ShutdownTrigger {
  private shutDown: (() => void) | undefined;

  /** Registers the shutdown; before this, a request has no effect. */
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
    this.loggers.get('management').warn('A shutdown is requested', { caller: operator?.name });
    setTimeout(() => {
      this.trigger.requestStop();
    }, DELAY_MILLIS);
    return { body: { message: 'Shutting down, bye...' } };
  }
}
