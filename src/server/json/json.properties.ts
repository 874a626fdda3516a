import { notYet } from '../../config/effect.js';
import { oneOf, text, timeZone } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

type PropertyInclusion = 'always' | 'non_null' | 'non_absent' | 'non_empty' | 'non_default' | 'use_defaults';

@Properties('app.json')
export class JsonProperties {
  @Key(timeZone(), {
    does:
      'Time zone in which dates are written into answers; keep it equal to the zones of the process and the ' +
      'database.',
    effect: notYet('F'),
  })
  readonly timeZone: string = 'UTC';

  @Key(
    text({
      form: /^(?:[yMdHhmsSaEZX]|VV|'[^']*'|[^A-Za-z'])+$/,
      called: "a date pattern of the letters y M d H h m s S a E Z X VV, with other letters between ' and '",
    }),
    {
      does: 'Pattern of the dates in answers, except the timestamp of an error, which is always ISO 8601 in UTC.',
      effect: notYet('F'),
      defaultText: 'ISO 8601',
    },
  )
  readonly dateFormat?: string;

  @Key(oneOf('always', 'non_null', 'non_absent', 'non_empty', 'non_default', 'use_defaults'), {
    does: 'Which members of an answer are left out: non_null drops those without a value, always drops none.',
    effect: notYet('F', 'Members the interface promises always stay; non_default is accepted only.'),
  })
  readonly defaultPropertyInclusion: PropertyInclusion = 'always';
}
