import { type Effect, full } from '../../config/bind/effect.js';
import { oneOf, type ScalarType, text, timeZone } from '../../config/bind/key-type.js';
import { Mismatch } from '../../config/bind/mismatch.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { compileDatePattern, PATTERN_LETTERS, PatternFault } from '../../encoding/date-pattern.js';

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
      return pattern instanceof PatternFault ? new Mismatch(pattern.reason) : value;
    },
  };
}
