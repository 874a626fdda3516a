import { full } from '../../config/bind/effect.js';
import { oneOf } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { Rate, rate } from './rate.js';
import type { Dimension, RouteGroup } from './route-group.js';

const STORES = ['auto', 'database', 'kvstore', 'memory'] as const;

/**
 * The limits of the route groups. The defaults are far above what an office behind one address does, and below what would
 * keep the cores of a replica busy; decision 0072 has the reasons for each.
 */
@Properties('app.security.rate-limit')
export class RouteLimitProperties {
  @Key(oneOf(...STORES), {
    does:
      'Where the limits of route groups are counted: kvstore and database share them between replicas, memory counts ' +
      'in each process; auto is the key-value store if one is configured, otherwise a MariaDB or MySQL, otherwise memory.',
    effect: full,
  })
  readonly store: (typeof STORES)[number] = 'auto';

  @Key(rate(), {
    name: 'sign-in.per-address',
    does: 'Requests to sign in from one address (IPv6: one /64), right or wrong, such as 600/1m; off sets no limit.',
    effect: full,
  })
  readonly signInPerAddress: Rate = Rate.of(6000, 60);

  @Key(rate(), {
    name: 'sign-in.per-id',
    does:
      'Requests to sign in with one login id, from all addresses together. A browser that signed in with it before ' +
      'has a count of its own; another one can be shut out by an attacker.',
    effect: full,
  })
  readonly signInPerId: Rate = Rate.OFF;

  @Key(rate(), {
    name: 'second-factor.per-address',
    does: 'Requests of second factors and their setup from one address.',
    effect: full,
  })
  readonly secondFactorPerAddress: Rate = Rate.of(6000, 60);

  @Key(rate(), {
    name: 'second-factor.per-session',
    does:
      'Requests of second factors and their setup in one session, or with one mfa_token. POST /login/2fa is counted by ' +
      'address only.',
    effect: full,
  })
  readonly secondFactorPerSession: Rate = Rate.of(600, 60);

  @Key(rate(), {
    name: 'recovery.per-address',
    does: 'Requests of mailed links from one address: to ask for one, and to use one.',
    effect: full,
  })
  readonly recoveryPerAddress: Rate = Rate.of(300, 60);

  @Key(rate(), {
    name: 'recovery.per-id',
    does: 'Requests for a mailed link with one login id, from all addresses together, with a count of its own as above.',
    effect: full,
  })
  readonly recoveryPerId: Rate = Rate.OFF;

  @Key(rate(), {
    name: 'sso.per-address',
    does:
      'Staff logins and logouts from one address, towards identity providers and back. Each departure stores a row ' +
      'and may sign a request.',
    effect: full,
  })
  readonly ssoPerAddress: Rate = Rate.of(1200, 60);

  @Key(rate(), {
    name: 'self-service.per-address',
    does: 'Requests of signed-in users from one address, with their pages.',
    effect: full,
  })
  readonly selfServicePerAddress: Rate = Rate.OFF;

  @Key(rate(), {
    name: 'self-service.per-session',
    does: 'Requests of signed-in users in one session, with their pages.',
    effect: full,
  })
  readonly selfServicePerSession: Rate = Rate.OFF;

  @Key(rate(), {
    name: 'administration.per-address',
    does: 'Requests of administrators and the help desk from one address.',
    effect: full,
  })
  readonly administrationPerAddress: Rate = Rate.OFF;

  @Key(rate(), {
    name: 'administration.per-session',
    does: 'Requests of administrators and the help desk in one session.',
    effect: full,
  })
  readonly administrationPerSession: Rate = Rate.of(1200, 60);

  @Key(rate(), {
    name: 'open.per-address',
    does: 'Requests to all other routes from one address: introspection, published keys, metadata, files of pages.',
    effect: full,
  })
  readonly openPerAddress: Rate = Rate.of(60_000, 60);

  /** The rate of a limit; undefined if the group has none for this dimension, or it is off. */
  rateOf(group: RouteGroup, by: Dimension): Rate | undefined {
    const name = RATES[group][by];
    return name === undefined || this[name].isOff ? undefined : this[name];
  }
}

type RateName = {
  [Name in keyof RouteLimitProperties]: RouteLimitProperties[Name] extends Rate ? Name : never;
}[keyof RouteLimitProperties];

const RATES: Readonly<Record<RouteGroup, Readonly<Partial<Record<Dimension, RateName>>>>> = {
  'sign-in': { address: 'signInPerAddress', id: 'signInPerId' },
  'second-factor': { address: 'secondFactorPerAddress', session: 'secondFactorPerSession' },
  recovery: { address: 'recoveryPerAddress', id: 'recoveryPerId' },
  sso: { address: 'ssoPerAddress' },
  'self-service': { address: 'selfServicePerAddress', session: 'selfServicePerSession' },
  administration: { address: 'administrationPerAddress', session: 'administrationPerSession' },
  open: { address: 'openPerAddress' },
};
