import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, integer } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.security.password')
export class PasswordProperties {
  @Key(integer({ min: 8, max: 64 }), {
    does:
      'Shortest new password in characters. 8 is the least of NIST SP 800-63B-4 beside a second factor; set 15 where ' +
      'accounts may go without one.',
    effect: full,
  })
  readonly minLength: number = 8;

  @Key(duration({ unit: 's', min: '1m', max: '30d' }), {
    does: 'Time after which a temporary password that an administrator set can no longer be used.',
    effect: full,
  })
  readonly temporaryLifetime: Duration = Duration.ofSeconds(24 * 3600);
}
