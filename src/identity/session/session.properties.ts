import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, integer } from '../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { Rate, rate } from '../../platform/rate-limit/rate.js';
import { KEPT_TOKENS } from './refresh.js';
import { type Lifetime, SessionLifetimes } from './session.js';

/** Expired tokens are deleted a day after their end, and their times with them. */
const MAX_RATE_SECONDS = 86_400;

@Properties('app.security.session')
export class SessionProperties implements SelfChecking {
  @Key(duration({ unit: 's', min: '1s' }), {
    does: 'Time without a request after which a session of the web portal ends.',
    effect: full,
  })
  readonly idle: Duration = Duration.ofSeconds(30 * 60);

  @Key(duration({ unit: 's', min: '1s' }), {
    does: 'Time since its login after which a session of the web portal ends, even if it is in use.',
    effect: full,
  })
  readonly absolute: Duration = Duration.ofSeconds(12 * 3600);

  @Key(duration({ unit: 's', min: '3m', max: '1h' }), {
    does:
      'Time that a sign-in in a browser waits for its user to set up an authenticator, where policy demands one. A ' +
      'sign-in that only waits for the second step ends after 3 minutes.',
    effect: full,
  })
  readonly enrolmentTimeout: Duration = Duration.ofSeconds(600);

  @Key(integer({ min: 1, max: 30 }), {
    does:
      'Days since its login for which a browser stays signed in, used or not, if its user has chosen that on the sign-in page; ' +
      'reopening the browser does not sign out. It proves nothing more: functions that need a recent login or second factor ask ' +
      'again. Other sessions of browsers last as idle and absolute say. NIST SP 800-63B permits 30 days without a second factor.',
    effect: full,
    defaultText: 'users cannot choose it',
  })
  readonly keepSignedInDays?: number;

  violations(): readonly Violation[] {
    return [...idleViolations(this, 'app.security.session'), ...this.keepViolations()];
  }

  get keptSeconds(): number | undefined {
    return this.keepSignedInDays === undefined ? undefined : this.keepSignedInDays * 86_400;
  }

  /** A shorter time would sign out first whoever asked to stay signed in. */
  private keepViolations(): readonly Violation[] {
    const kept = this.keptSeconds;
    if (kept === undefined || kept >= this.absolute.seconds) return [];
    const reason = 'is shorter than app.security.session.absolute';
    return [{ property: 'keepSignedInDays', against: ['absolute'], reason }];
  }
}

@Properties('app.security.refresh')
export class RefreshProperties implements SelfChecking {
  @Key(duration({ unit: 's', min: '1s' }), {
    does: 'Time without a refresh after which a session of an application ends.',
    effect: full,
  })
  readonly idle: Duration = Duration.ofSeconds(14 * 86_400);

  @Key(duration({ unit: 's', min: '1s' }), {
    does: 'Time since its login after which a session of an application ends, however often it was refreshed.',
    effect: full,
  })
  readonly absolute: Duration = Duration.ofSeconds(90 * 86_400);

  @Key(duration({ unit: 's', min: '0s', max: '60s' }), {
    does:
      'Time during which a refresh token that was just used returns the same successor again, for example after a ' +
      'lost response; a second use after that ends the session. 0s allows none.',
    effect: full,
  })
  readonly grace: Duration = Duration.ofSeconds(10);

  @Key(rate({ quota: KEPT_TOKENS, windowSeconds: MAX_RATE_SECONDS }), {
    does:
      'Refreshes of one session, counted in the database for all replicas; a request beyond them gets 429 and may be ' +
      'repeated later with the same refresh token. off sets no limit.',
    effect: full,
  })
  readonly maxRate: Rate = Rate.of(60, 60);

  violations(): readonly Violation[] {
    return idleViolations(this, 'app.security.refresh');
  }
}

/** The lifetimes of sessions that these keys set. */
export function lifetimesOf(portal: SessionProperties, refresh: RefreshProperties): SessionLifetimes {
  const kept = portal.keptSeconds;
  return new SessionLifetimes(
    { ...{ browser: secondsOf(portal), application: secondsOf(refresh) }, ...(kept !== undefined && { kept }) },
    Math.ceil(portal.enrolmentTimeout.seconds),
  );
}

function secondsOf({ idle, absolute }: SessionProperties | RefreshProperties): Lifetime {
  return { idle: idle.seconds, absolute: absolute.seconds };
}

/** An idle time beyond the absolute one would have no effect. */
function idleViolations(
  { idle, absolute }: { readonly idle: Duration; readonly absolute: Duration },
  prefix: string,
): readonly Violation[] {
  if (idle.milliseconds <= absolute.milliseconds) return [];
  return [{ property: 'idle', against: ['absolute'], reason: `is longer than ${prefix}.absolute` }];
}
