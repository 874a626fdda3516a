import { DataSize } from '../config/data-size.js';
import { notYet } from '../config/effect.js';
import { dataSize, integer } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('logging.engine.rollingpolicy')
export class RollingpolicyProperties {
  @Key(dataSize({ min: 1 }), {
    does: 'Size at which the log file is packed away and a new one begun.',
    effect: notYet('F'),
  })
  readonly maxFileSize: DataSize = DataSize.ofBytes(10 * 1024 * 1024);

  @Key(integer({ min: 0 }), {
    does: 'Days packed log files are kept; 0 keeps them for ever.',
    effect: notYet('F'),
  })
  readonly maxHistory: number = 7;

  @Key(dataSize({ min: 0 }), {
    does: 'Room all packed log files may take together, the oldest going first; 0 sets no limit.',
    effect: notYet('F'),
  })
  readonly totalSizeCap: DataSize = DataSize.ofBytes(0);
}
