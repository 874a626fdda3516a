import { charsetName } from '../config/bind/charset-name.js';
import { full } from '../config/bind/effect.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('logging.charset')
export class LoggingCharsetProperties {
  @Key(charsetName, {
    does:
      'Character set of lines on standard output. What it does not have becomes a question mark; JSON is ASCII with ' +
      'escapes where it is not UTF-8.',
    effect: full,
  })
  readonly console: string = 'UTF-8';

  @Key(charsetName, { does: 'The same for the log file.', effect: full })
  readonly file: string = 'UTF-8';
}
