import { full } from '../config/bind/effect.js';
import { flag } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('app.security.cookie')
export class CookieProperties {
  @Key(flag(), {
    does:
      'Whether cookies carry Secure, so that browsers send them over https only (and to localhost); false is refused ' +
      'with profile prod.',
    effect: full,
  })
  readonly secure: boolean = true;
}
