import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { WorkerThreads } from '../tasks/worker-threads.js';
import { JSON_TYPES } from './dispatch/media-types.js';
import type { Endpoint, Operation, Result } from './dispatch/operation.js';
import { describeThreads, formatThreads } from './thread-dump.js';

const TEXT = 'text/plain';

/** `GET {management_base}/threaddump`: the threads of the process, as JSON or as text. */
@Injectable()
export class ThreadDumpEndpoint implements Endpoint {
  readonly id = 'threaddump';

  readonly operations: readonly Operation[] = [
    {
      method: 'GET',
      pathTemplate: '',
      produces: [...JSON_TYPES, TEXT],
      run: ({ mediaType }) => this.dump(mediaType === TEXT),
    },
  ];

  constructor(
    private readonly workers: WorkerThreads,
    private readonly clock: Clock,
  ) {}

  private dump(isText: boolean): Result {
    const threads = describeThreads(this.workers.all);
    return { body: isText ? formatThreads(threads, this.clock.millis()) : { threads } };
  }
}
