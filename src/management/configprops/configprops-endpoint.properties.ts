import { full } from '../../config/bind/effect.js';
import { list, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { show, type Show } from '../access/show.js';

@Properties('management.endpoint.configprops')
export class ConfigpropsEndpointProperties {
  @Key(show, {
    does: 'Who sees values in configprops: nobody, callers with one of the roles, or everybody who may call it; secrets stay masked.',
    effect: full,
  })
  readonly showValues: Show = 'never';

  @Key(list(text()), {
    does: 'Roles of which a caller needs one to see values in configprops, with or without ROLE_; empty, every known caller does.',
    effect: full,
  })
  readonly roles: readonly string[] = [];
}
