import { charsetName } from '../../config/bind/charset-name.js';
import { full } from '../../config/bind/effect.js';
import { flag } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('server.servlet.encoding')
export class EncodingProperties {
  @Key(charsetName, {
    does:
      'Character set of request bodies that state none, and of text in answers. JSON in answers is ASCII with ' +
      'escapes where it is not UTF-8 (RFC 8259 section 8.1).',
    effect: full,
  })
  readonly charset: string = 'UTF-8';

  @Key(flag(), {
    does:
      'With true, the character set counts even where a request states another, and every answer of JSON or text ' +
      'names it; with false, what a request states counts; unset, a request that states another is refused (415).',
    effect: full,
    defaultText: 'unset',
  })
  readonly force?: boolean;
}
