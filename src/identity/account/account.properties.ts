import { full, near } from '../../config/bind/effect.js';
import { dataSize, duration, flag, integer, list, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ROLE_FORM } from './account.js';
import { Duration } from '../../config/bind/duration.js';
import { DataSize } from '../../config/bind/data-size.js';
import { HASH_FLOORS, type HashFloor } from './password/hash-strength.js';

@Properties('app.security.login-id')
export class LoginIdProperties {
  @Key(flag(), {
    does:
      'Whether Anna and anna are two accounts; decide before the first account is created, since stored ids depend ' +
      'on it.',
    effect: full,
  })
  readonly caseSensitive: boolean = false;
}

@Properties('app.security')
export class RoleProperties {
  @Key(list(text({ form: ROLE_FORM, called: 'names of roles such as ROLE_AUDITOR' })), {
    does:
      'Roles of this deployment besides ROLE_USER, ROLE_ADMIN, ROLE_MANAGEMENT and ROLE_HELPDESK; config check uses ' +
      'them to find misspelled role names. It assigns no role.',
    effect: full,
  })
  readonly roles: readonly string[] = [];

  @Key(list(text({ form: ROLE_FORM, called: 'names of roles such as ROLE_AUDITOR' })), {
    does:
      'Roles whose accounts the help desk may not act on, and whose accounts an import records one by one; ' +
      'ROLE_ADMIN, ROLE_MANAGEMENT and ROLE_HELPDESK always belong to them.',
    effect: full,
    defaultText: 'app.security.mfa.required-roles without ROLE_USER',
  })
  readonly protectedRoles?: readonly string[];
}

@Properties('app.security.password')
export class PasswordProperties {
  @Key(integer({ min: 8, max: 64 }), {
    does:
      'Minimum length of a new password in characters. NIST SP 800-63B-4 requires at least 8 beside a second ' +
      'factor; set 15 if accounts may have none.',
    effect: full,
  })
  readonly minLength: number = 8;

  @Key(integer({ min: 0, max: 4 }), {
    does:
      'Minimum score of a new password as zxcvbn estimates it, with the words of the user and of the service: 3 needs ' +
      'about 100 million guesses or more, 4 ten billion. With 0, only the most common passwords are rejected.',
    effect: full,
  })
  readonly minScore: number = 3;

  @Key(duration({ unit: 's', min: '1m', max: '30d' }), {
    does: 'Time after which a temporary password that an administrator set can no longer be used.',
    effect: full,
  })
  readonly temporaryLifetime: Duration = Duration.ofSeconds(24 * 3600);
}

const MEBIBYTE = 1024 * 1024;

/** The defaults are the OWASP minimum for Argon2id. */
@Properties('app.security.password.hash')
export class HashProperties {
  @Key(dataSize({ min: 128 * 1024, max: 256 * MEBIBYTE }), {
    does:
      'Memory of one password hash (Argon2id); multiplied by the number of workers, it must fit into the memory of ' +
      'the machine.',
    effect: full,
  })
  readonly memory: DataSize = DataSize.ofBytes(19 * MEBIBYTE);

  @Key(integer({ min: 1, max: 8 }), { does: 'Passes of one password hash over its memory.', effect: full })
  readonly iterations: number = 2;

  @Key(integer({ min: 1, max: 16 }), {
    does: 'Lanes of one password hash; the amount of work is the same, and it still runs in one thread.',
    effect: full,
  })
  readonly parallelism: number = 1;

  @Key(integer({ min: 1 }), {
    does: 'Maximum number of password hashes computed at once; if unset, and at most, one per core of the machine.',
    effect: full,
  })
  readonly concurrency?: number;

  @Key(integer({ min: 0 }), {
    does: 'Passwords that may wait for a hash; a further login is rejected with 503 UNAVAILABLE.',
    effect: full,
  })
  readonly queueCapacity: number = 256;
}

@Properties('app.security.password.import')
export class HashImportProperties {
  @Key(oneOf(...HASH_FLOORS), {
    does:
      'Weakest password hash that an import accepts: owasp (the OWASP minimum), common (bcrypt 10, PBKDF2 10,000, ' +
      'scrypt 16384/8/1, Argon2 with 12 MiB in all passes, or more), any.',
    effect: full,
  })
  readonly minHash: HashFloor = 'common';
}

const inBurst = near('in a burst at several replicas at once, each of them compares so many at most');

@Properties('app.security.rate-limit')
export class RateLimitProperties {
  @Key(flag(), {
    does:
      'Slows down password guessing per login id and per address, wherever a password is accepted. It concerns wrong ' +
      'passwords only: it never locks an account, and the limits of requests by route group (sign-in.per-address and ' +
      'others below) stay in force; each of them is turned off by the value off.',
    effect: full,
  })
  readonly enabled: boolean = true;

  @Key(integer({ min: 1 }), {
    does:
      'Wrong passwords for one login id, existing or not, from one address before a delay applies; only one while ' +
      'ten times as many come from all addresses together. A browser that signed in before has a count of its own.',
    effect: inBurst,
  })
  readonly loginIdFailures: number = 10;

  @Key(duration({ min: '1ms' }), {
    does:
      'Delay after those, during which requests are rejected with 429 and Retry-After; it doubles with each ' +
      'further wrong password.',
    effect: full,
  })
  readonly firstDelay: Duration = Duration.ofSeconds(1);

  @Key(duration({ min: '1ms' }), {
    does: 'Longest delay: an address can try one password for a login id at this interval.',
    effect: full,
  })
  readonly maxDelay: Duration = Duration.ofSeconds(30);

  @Key(duration({ min: '1s' }), {
    does:
      'Time after the last wrong password for a login id after which its failures are forgotten; a correct ' +
      'password clears them at once.',
    effect: full,
  })
  readonly forgottenAfter: Duration = Duration.ofSeconds(15 * 60);

  @Key(integer({ min: 1 }), {
    does:
      'Wrong passwords from one address (IPv6: one /64) within address-window; beyond them, one attempt each time ' +
      'that a failure is forgotten. The first three failures of each login id are counted apart from its further ' +
      'ones, up to the same limit. The default is generous, since many users may share an address.',
    effect: inBurst,
  })
  readonly addressFailures: number = 300;

  @Key(duration({ min: '1s' }), {
    does: 'Time in which the failures of an address are forgotten, one by one and evenly.',
    effect: full,
  })
  readonly addressWindow: Duration = Duration.ofSeconds(10 * 60);

  @Key(duration({ min: '1m' }), {
    does:
      'Lifetime of the cookie that recognizes a browser that completed a login before, so that guessing elsewhere ' +
      'does not slow it down.',
    effect: full,
  })
  readonly deviceLifetime: Duration = Duration.ofSeconds(180 * 24 * 3600);
}
