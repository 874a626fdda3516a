import { full } from '../config/bind/effect.js';
import { flag } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('app.security.login-id')
export class LoginIdProperties {
  @Key(flag(), {
    does: 'Whether Anna and anna are two accounts; decide before the first account is made, since ids are stored so.',
    effect: full,
  })
  readonly caseSensitive: boolean = false;
}
