import { Duration } from '../../config/bind/duration.js';
import { full, near } from '../../config/bind/effect.js';
import { duration, flag, integer } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

const perProcess = near('counted by each process for itself');

@Properties('app.security.rate-limit')
export class RateLimitProperties {
  @Key(flag(), {
    does:
      'Slows down password guessing, at every place that takes a password, per login id and per address; it never locks ' +
      'an account, and right passwords never count.',
    effect: perProcess,
  })
  readonly enabled: boolean = true;

  @Key(integer({ min: 1 }), {
    does:
      'Wrong passwords for one login id, known or not, from one address that cost no wait; one only, while ten times as ' +
      'many come from all addresses together. A browser that signed in before has its own.',
    effect: perProcess,
  })
  readonly loginIdFailures: number = 10;

  @Key(duration({ min: '1ms' }), {
    does: 'Wait after those, answered 429 with Retry-After; it doubles with each further wrong password.',
    effect: full,
  })
  readonly firstDelay: Duration = Duration.ofSeconds(1);

  @Key(duration({ min: '1ms' }), {
    does: 'Longest such wait: this often, an address can try one password for a login id.',
    effect: full,
  })
  readonly maxDelay: Duration = Duration.ofSeconds(30);

  @Key(duration({ min: '1s' }), {
    does: 'Wrong passwords for a login id are forgotten so long after the last one, and at a right one.',
    effect: full,
  })
  readonly forgottenAfter: Duration = Duration.ofSeconds(15 * 60);

  @Key(integer({ min: 1 }), {
    does:
      'Wrong passwords from one address (IPv6: one /64) within address-window; beyond them one try each time that one ' +
      'is forgotten. The first three of each login id there count apart from its further ones, up to the same limit. ' +
      'Generous, since many users may share an address.',
    effect: perProcess,
  })
  readonly addressFailures: number = 300;

  @Key(duration({ min: '1s' }), {
    does: 'Time in which the wrong passwords of an address are forgotten, one by one and evenly.',
    effect: full,
  })
  readonly addressWindow: Duration = Duration.ofSeconds(10 * 60);

  @Key(duration({ min: '1m' }), {
    does: 'Life of the cookie that tells a browser which signed in completely before, so that guessing elsewhere does not slow it down.',
    effect: full,
  })
  readonly deviceLifetime: Duration = Duration.ofSeconds(180 * 24 * 3600);
}
