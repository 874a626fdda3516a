import { type Effect, full } from '../../../config/bind/effect.js';
import { charsetName, flag, oneOf, type ScalarType, text, timeZone } from '../../../config/bind/key-type.js';
import { ConversionProblem } from '../../../config/problem.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';
import { compileDatePattern, PATTERN_LETTERS, PatternProblem } from '../../../kernel/encoding/date-pattern.js';

type PropertyInclusion = 'always' | 'non_null' | 'non_absent' | 'non_empty' | 'non_default' | 'use_defaults';

const inclusionEffect: Effect = {
  level: 'F',
  note:
    'members that the API guarantees are never omitted; non_default is treated as non_null, because no member ' +
    'has a default',
};

@Properties('app.json')
export class JsonProperties {
  @Key(timeZone(), {
    does: 'Time zone of dates in responses; keep it equal to the zones of the process and the database.',
    effect: full,
  })
  readonly timeZone: string = 'UTC';

  @Key(datePattern(), {
    does:
      'Pattern of dates in responses, except the timestamp of an error, which is always ISO 8601 in UTC; empty for ' +
      'none, to override a pattern that another source sets.',
    effect: full,
    defaultText: 'ISO 8601',
  })
  readonly dateFormat?: string;

  @Key(oneOf('always', 'non_null', 'non_absent', 'non_empty', 'non_default', 'use_defaults'), {
    does:
      'Which members of a response are omitted: always and use_defaults omit none, non_null and non_absent those ' +
      'without a value, non_empty also empty texts, lists and objects.',
    effect: inclusionEffect,
  })
  readonly defaultPropertyInclusion: PropertyInclusion = 'always';
}

function datePattern(): ScalarType<string> {
  return {
    ...text(),
    // An empty pattern is a value of its own, which removes the pattern of a lower source.
    emptyMeansDefault: false,
    name: 'date pattern',
    expects: `a date pattern of the letters ${PATTERN_LETTERS} as Java reads them, with other letters between ' and '`,
    parse: (value) => {
      const pattern = value === '' ? undefined : compileDatePattern(value);
      return pattern instanceof PatternProblem ? new ConversionProblem(pattern.reason) : value;
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
      'Character set of request bodies that state none, and of text in responses. In character sets other than ' +
      'UTF-8, JSON responses are ASCII with escapes (RFC 8259 section 8.1).',
    effect: full,
  })
  readonly charset: string = 'UTF-8';

  @Key(flag(), {
    does:
      'If true, the character set applies even if a request states another, and every JSON or text response names ' +
      'it. If false, the character set that a request states applies. If unset, a request that states another is ' +
      'rejected (415).',
    effect: full,
    defaultText: 'unset',
  })
  readonly force?: boolean;
}
