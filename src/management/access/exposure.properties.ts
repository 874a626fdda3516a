import { full } from '../../config/bind/effect.js';
import { list, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('management.endpoints.web.exposure')
export class ExposureProperties {
  @Key(list(text()), {
    does:
      'Management endpoints that can be called, as ids; * is all of them; in production health, info, metrics and ' +
      'loggers only.',
    effect: full,
  })
  readonly include: readonly string[] = ['health'];

  @Key(list(text()), {
    does: 'Management endpoints that cannot be called although they are included, as ids; * is all of them.',
    effect: full,
  })
  readonly exclude: readonly string[] = [];
}
