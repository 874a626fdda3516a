import { type Effect, full } from '../../config/bind/effect.js';
import { flag, oneOf, type ScalarType, text, timeZone } from '../../config/bind/key-type.js';
import { ConversionError } from '../../config/bind/conversion-error.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { compileDatePattern, PATTERN_LETTERS, PatternFault } from '../../encoding/date-pattern.js';
import { charsetName } from '../../config/bind/charset-name.js';

type PropertyInclusion = 'always' | 'non_null' | 'non_absent' | 'non_empty' | 'non_default' | 'use_defaults';

const inclusionEffect: Effect = {
  level: 'F',
  note: 'members the interface promises always stay; non_default is taken as non_null, because no member has a default',
};

@Properties('app.json')
export class JsonProperties {
  @Key(timeZone(), {
    does:
      'Time zone in which dates are written into answers; keep it equal to the zones of the process and the ' +
      'database.',
    effect: full,
  })
  readonly timeZone: string = 'UTC';

  @Key(datePattern(), {
    does:
      'Pattern of the dates in answers, except the timestamp of an error, which is always ISO 8601 in UTC; empty for ' +
      'none, where a source below sets one.',
    effect: full,
    defaultText: 'ISO 8601',
  })
  readonly dateFormat?: string;

  @Key(oneOf('always', 'non_null', 'non_absent', 'non_empty', 'non_default', 'use_defaults'), {
    does:
      'Which members of an answer are left out: always and use_defaults drop none, non_null and non_absent those ' +
      'without a value, non_empty also empty texts, lists and objects.',
    effect: inclusionEffect,
  })
  readonly defaultPropertyInclusion: PropertyInclusion = 'always';
}

function datePattern(): ScalarType<string> {
  return {
    ...text(),
    name: 'date pattern',
    expects: `a date pattern of the letters ${PATTERN_LETTERS} as Java reads them, with other letters between ' and '`,
    parse: (value) => {
      const pattern = value === '' ? undefined : compileDatePattern(value);
      return pattern instanceof PatternFault ? new ConversionError(pattern.reason) : value;
    },
  };
}

@Properties('app.json.serialization')
export class JsonSerializationProperties {
  @Key(flag(), {
    does: 'Writes dates as milliseconds since 1970 instead of text; a date format (app.json.date-format) wins over it.',
    effect: full,
  })
  readonly writeDatesAsTimestamps: boolean = false;
}

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
