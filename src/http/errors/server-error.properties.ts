import { full } from '../../config/bind/effect.js';
import { oneOf, type ScalarType } from '../../config/bind/key-type.js';
import { Mismatch } from '../../config/bind/mismatch.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

type Inclusion = 'never' | 'always';

const words = oneOf('never', 'always');

/** Refuses `on-param` with its reason: there it is the caller, not the operator, who decides what is told. */
const inclusion: ScalarType<Inclusion> = {
  ...words,
  parse: (value) =>
    /^on[-_]?param$/i.test(value.trim())
      ? new Mismatch('on-param is not offered: it hands the choice to strangers')
      : words.parse(value),
};

@Properties('server.error')
export class ServerErrorProperties {
  @Key(inclusion, {
    does: 'Whether error answers carry the stack trace in the member trace; always is refused with the profile prod.',
    effect: full,
  })
  readonly includeStacktrace: Inclusion = 'never';

  @Key(inclusion, {
    does:
      'Whether error answers carry a message in the member detail; it never names the inner reason of a refused ' +
      'login.',
    effect: full,
  })
  readonly includeMessage: Inclusion = 'never';
}
