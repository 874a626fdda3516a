import { full } from '../config/effect.js';
import { integer } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('app.security.password')
export class PasswordProperties {
  @Key(integer({ min: 8, max: 64 }), {
    does:
      'Shortest new password in characters. 8 is the least of NIST SP 800-63B-4 beside a second factor; set 15 where ' +
      'accounts may go without one.',
    effect: full,
  })
  readonly minLength: number = 8;
}
