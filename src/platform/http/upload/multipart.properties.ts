import { DataSize } from '../../../config/bind/data-size.js';
import { full } from '../../../config/bind/effect.js';
import { Duration } from '../../../config/bind/duration.js';
import { dataSize, duration, integer, text } from '../../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../../config/bind/properties-class.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';

@Properties('app.servlet.multipart')
export class MultipartProperties implements SelfChecking {
  @Key(dataSize({ min: -1 }), {
    does:
      'Largest single uploaded file; a larger one is rejected with 413; -1 sets no limit. Raise the limit of the ' +
      'proxy with it.',
    effect: full,
  })
  readonly maxFileSize: DataSize = DataSize.ofBytes(1024 * 1024);

  @Key(dataSize({ min: -1 }), {
    does: 'Largest upload request, all files together; a larger one is rejected with 413; -1 sets no limit.',
    effect: full,
  })
  readonly maxRequestSize: DataSize = DataSize.ofBytes(10 * 1024 * 1024);

  @Key(duration({ min: '1ms', max: '24d' }), {
    does:
      'Longest time in which an upload must arrive completely, however steadily its client sends; a later one is ' +
      'rejected with 408. Raise it with the sizes.',
    effect: full,
  })
  readonly receiveTimeout: Duration = Duration.ofSeconds(120);

  @Key(integer({ min: 1 }), {
    does:
      'Uploads of one user at once, until their files are processed, and exports of one user at once, until they are read; ' +
      'a further one is rejected with 429.',
    effect: full,
  })
  readonly maxPerUser: number = 4;

  @Key(text({ form: /\S/, called: 'the path of a folder' }), {
    does:
      'Folder for uploaded files during their request; it must exist and be writable at startup, which also ' +
      'removes files that a killed process left there.',
    effect: full,
    defaultText: 'the temporary folder of the machine',
  })
  readonly location?: string;

  violations(): readonly Violation[] {
    const [file, request] = [this.maxFileSize.bytes, this.maxRequestSize.bytes];
    if (request < 0 || file <= request) return [];
    return [
      {
        property: 'maxFileSize',
        against: ['maxRequestSize'],
        reason: `must not be above max-request-size, which is ${this.maxRequestSize.toString()}`,
      },
    ];
  }
}
