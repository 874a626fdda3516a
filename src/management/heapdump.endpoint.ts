import { Readable } from 'node:stream';
import { Clock } from '../kernel/clock/clock.js';
import { ServiceError } from '../kernel/errors/service-error.js';
import { Loggers } from '../observability/logging/loggers.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, OperationRequest, Result } from './dispatch/operation.js';

const BYTES = 'application/octet-stream';
const RETRY_SECONDS = 30;

/** `GET {management_base}/heapdump`: the whole heap, with secrets, for the developer tools of Chromium. */
@ManagementEndpoint()
export class HeapDumpEndpoint implements Endpoint {
  readonly id = 'heapdump';
  readonly requiresMfaToRead = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', produces: [BYTES], run: (request) => this.take(request) },
  ];

  private readonly dumps = new HeapDumps();

  constructor(
    private readonly clock: Clock,
    private readonly loggers: Loggers,
  ) {}

  private async take({ operator, wantsBody }: OperationRequest): Promise<Result> {
    const { getHeapSnapshot } = await import('node:v8');
    const snapshot = (): Readable => {
      this.loggers.get('management').warn('A heap dump is taken', { caller: operator?.name });
      return getHeapSnapshot();
    };
    const name = `heapdump-${new Date(this.clock.millis()).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.heapsnapshot`;
    return {
      body: this.dumps.take(wantsBody ? snapshot : () => Readable.from([])),
      headers: { 'content-type': BYTES, 'content-disposition': `attachment; filename="${name}"` },
    };
  }
}

/** Takes one heap dump at a time: each needs the memory of the heap again and blocks the event loop. */
class HeapDumps {
  private current: Readable | undefined;

  /** @throws ServiceError `UNAVAILABLE` while another dump is being sent */
  take(snapshot: () => Readable): Readable {
    if (this.current) {
      throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: RETRY_SECONDS, reason: 'a heap dump is on its way' });
    }
    const dump = snapshot();
    this.current = dump;
    // `close` also follows when the client disconnects.
    dump.once('close', () => (this.current = undefined));
    return dump;
  }
}
