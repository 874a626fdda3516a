import { DataSize } from '../../config/bind/data-size.js';
import { full } from '../../config/bind/effect.js';
import { dataSize, flag, integer } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { archivePattern } from './archive-name.js';

@Properties('logging.engine.rollingpolicy')
export class RollingpolicyProperties {
  @Key(dataSize({ min: 1 }), {
    does:
      'Size above which the log file is packed away and a new one begun, which also happens with the first line of a ' +
      'new day in the time zone of the process.',
    effect: full,
  })
  readonly maxFileSize: DataSize = DataSize.ofBytes(10 * 1024 * 1024);

  @Key(integer({ min: 0, max: 36_500 }), {
    does: 'Days packed log files are kept, looked at whenever a file is packed; 0 keeps them for ever.',
    effect: full,
  })
  readonly maxHistory: number = 7;

  @Key(dataSize({ min: 0 }), {
    does: 'Room all packed log files may take together, the oldest going first; 0 sets no limit.',
    effect: full,
  })
  readonly totalSizeCap: DataSize = DataSize.ofBytes(0);

  @Key(archivePattern, {
    does:
      'Path of packed log files: %d or %d{yyyy-MM-dd} stands for the day, %i counts from 0 within it. With .gz at its ' +
      'end they are packed with gzip, otherwise kept as they are.',
    effect: full,
    defaultText: '${logging.file.name}.%d{yyyy-MM-dd}.%i.gz',
  })
  readonly fileNamePattern?: string;

  @Key(flag(), {
    does: 'Whether a start, too, deletes packed log files that are too old or too many.',
    effect: full,
  })
  readonly cleanHistoryOnStart: boolean = false;
}
