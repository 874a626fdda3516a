import { full } from '../config/effect.js';
import { flag } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

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
