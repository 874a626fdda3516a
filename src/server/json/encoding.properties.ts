import { full } from '../../config/effect.js';
import { flag, type ScalarType, text } from '../../config/key-type.js';
import { Mismatch } from '../../config/mismatch.js';
import { Key, Properties } from '../../config/properties.decorator.js';
import { charsetOf } from './charset.js';

@Properties('server.servlet.encoding')
export class EncodingProperties {
  @Key(charset(), {
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

function charset(): ScalarType<string> {
  return {
    ...text(),
    name: 'character set',
    expects: 'the name of a character set that holds ASCII as it is, such as UTF-8, ISO-8859-1 or EUC-KR',
    parse: (value) => {
      const known = charsetOf(value);
      return known instanceof Mismatch ? known : value;
    },
  };
}
