import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Loggers } from '../logging/loggers.js';
import type { Endpoint, Operation, OperationRequest, Result } from './dispatch/operation.js';
import { HeapDumps } from './heap-dumps.js';

const BYTES = 'application/octet-stream';

/** `GET {management_base}/heapdump`: everything in memory, secrets too, for the developer tools of Chromium. */
@Injectable()
export class HeapDumpEndpoint implements Endpoint {
  readonly id = 'heapdump';
  readonly requiresOtpToRead = true;

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
    const taken = (): Readable => {
      this.loggers.get('management').warn('A heap dump is taken', { caller: operator?.name });
      return getHeapSnapshot();
    };
    const name = `heapdump-${new Date(this.clock.millis()).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.heapsnapshot`;
    return {
      body: this.dumps.take(wantsBody ? taken : () => Readable.from([])),
      headers: { 'content-type': BYTES, 'content-disposition': `attachment; filename="${name}"` },
    };
  }
}
