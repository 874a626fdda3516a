import { Injectable } from '@nestjs/common';
import { Loggers } from '../logging/loggers.js';
import type { Endpoint, Operation, OperationRequest, Result } from './dispatch/operation.js';
import { ShutdownTrigger } from './shutdown-trigger.js';

/** So that the answer can leave. */
const DELAY_MILLIS = 500;

/** `POST {management_base}/shutdown`: ends the service in good order (management API, "shutdown"). */
@Injectable()
export class ShutdownEndpoint implements Endpoint {
  readonly id = 'shutdown';

  readonly operations: readonly Operation[] = [
    { method: 'POST', pathTemplate: '', hasNoParameters: true, run: (request) => this.shutDown(request) },
  ];

  constructor(
    private readonly stopper: ShutdownTrigger,
    private readonly loggers: Loggers,
  ) {}

  private shutDown({ operator }: OperationRequest): Result {
    this.loggers.get('management').warn('The service is asked to stop', { caller: operator?.name });
    setTimeout(() => {
      this.stopper.requestStop();
    }, DELAY_MILLIS);
    return { body: { message: 'Shutting down, bye...' } };
  }
}
