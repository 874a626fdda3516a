import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.security.recovery')
export class RecoveryProperties {
  @Key(duration({ unit: 's', min: '1h', max: '90d' }), {
    does: 'Lifetime of the link with which an invited user chooses the first password.',
    effect: full,
  })
  readonly invitationLifetime: Duration = Duration.ofSeconds(7 * 86_400);

  @Key(duration({ unit: 's', min: '1h', max: '90d' }), {
    does: 'Lifetime of the link in notices by which a user reports: this was not me.',
    effect: full,
  })
  readonly notMeLifetime: Duration = Duration.ofSeconds(7 * 86_400);
}
