import { full } from '../config/bind/effect.js';
import { oneOf } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { type Structured, STRUCTURED } from './format/line-format.js';

@Properties('logging.structured.format')
export class StructuredFormatProperties {
  @Key(oneOf(...STRUCTURED), {
    does: 'Form of JSON in which console lines are written, for collectors of logs; logging.pattern.console rests then.',
    effect: full,
    defaultText: 'none: logging.pattern.console counts',
  })
  readonly console?: Structured;

  @Key(oneOf(...STRUCTURED), {
    does: 'The same for the lines of the log file.',
    effect: full,
    defaultText: 'none: the pattern counts',
  })
  readonly file?: Structured;
}
