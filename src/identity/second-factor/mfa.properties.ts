import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { instant } from '../../config/bind/instant.js';
import { duration, flag, integer, list, oneOf, text } from '../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { effectiveRoles, ROLE_USER } from '../../kernel/principal/principal.js';
import type { ConcernedRoles, FactorDemand } from '../account/account-statistics.js';
import { type Account, hasSecondFactor } from '../account/account.js';
import { lockoutScheduleOf } from './attempts/attempt.js';

/** The facts of an account that policy reads. */
export interface PolicyFacts {
  readonly roles: readonly string[];
  readonly mfaRequired: boolean;
  /** Set by an administrator's reset, until the next enrolment. */
  readonly enrolmentForced: boolean;
}

const roleName = text({ form: /^[A-Z][A-Z0-9_]*$/, called: 'names of roles such as ROLE_ADMIN' });

@Properties('app.security.mfa')
export class MfaProperties implements SelfChecking {
  @Key(text({ form: /^[^:\p{Cc}]{1,64}$/u, called: 'a name of at most 64 characters without colons' }), {
    does: 'Name of this service in authenticator apps; entries added before a change keep the old name.',
    effect: full,
    defaultText: 'app.branding.name',
  })
  readonly issuer?: string;

  @Key(oneOf('required', 'by-role', 'optional'), {
    does:
      'Accounts that need a second factor: all (required), those with one of required-roles (by-role), or none (optional). ' +
      'Accounts with "users require-mfa", and those whose second factor an administrator has reset, always need one. Read ' +
      'at login: running sessions are not affected.',
    effect: full,
  })
  readonly policy: 'required' | 'by-role' | 'optional' = 'by-role';

  @Key(instant(), {
    does:
      'When policy takes effect; before, by-role holds. Users whose account will need a second factor then see on ' +
      'the home page how many days are left.',
    effect: full,
    defaultText: 'policy is in effect',
  })
  readonly policyFrom?: number;

  @Key(list(roleName), {
    does: 'Roles that require a second factor with policy by-role; ROLE_USER means every account.',
    effect: full,
  })
  readonly requiredRoles: readonly string[] = ['ROLE_ADMIN', 'ROLE_MANAGEMENT', 'ROLE_HELPDESK'];

  @Key(oneOf('any', 'phishing-resistant'), {
    does:
      'With phishing-resistant, the accounts of required-strength-roles need a passkey, whatever policy is: one-time codes and ' +
      'backup codes no longer complete their logins. An account without a passkey sets one up at its next login. ' +
      'Running sessions continue, but in those of accounts with a passkey, only a passkey steps up the session and ' +
      'authorizes changes of the password and the authenticators. Administration needs the passkey at once.',
    effect: full,
  })
  readonly requiredStrength: 'any' | 'phishing-resistant' = 'any';

  @Key(list(roleName), {
    does: 'Roles whose accounts need the required-strength.',
    effect: full,
    defaultText: 'every account',
  })
  readonly requiredStrengthRoles: readonly string[] = [];

  @Key(instant(), {
    does:
      'When required-strength takes effect; until then, users can set up passkeys, and codes complete logins. Users ' +
      'whose account will need a passkey and has none then see on the home page how many days are left.',
    effect: full,
    defaultText: 'required-strength is in effect',
  })
  readonly requiredStrengthFrom?: number;

  @Key(duration({ unit: 's', min: '1s' }), {
    does: 'Longest time since the login or the second factor for which it is recent enough to change a factor.',
    effect: full,
  })
  readonly freshAuth: Duration = Duration.ofSeconds(300);

  @Key(duration({ unit: 's', min: '1s' }), {
    name: 'lock.duration',
    does: 'Length of the first lock, after five failures in a row; each further one is twice as long.',
    effect: full,
  })
  readonly lockDuration: Duration = Duration.ofSeconds(300);

  @Key(duration({ unit: 's', min: '1s' }), {
    name: 'lock.max-duration',
    does: 'Longest duration of a lock.',
    effect: full,
  })
  readonly lockMaxDuration: Duration = Duration.ofSeconds(3600);

  @Key(flag(), {
    name: 'trusted-device.enabled',
    does: 'Lets users skip the second factor on a device they trusted at a full login; never if policy demands it.',
    effect: full,
  })
  readonly trustedDeviceEnabled: boolean = false;

  @Key(integer({ min: 1, max: 365 }), {
    name: 'trusted-device.days',
    does: 'Days a device stays trusted, counted from the grant whether or not it is used.',
    effect: full,
  })
  readonly trustedDeviceDays: number = 30;

  @Key(oneOf('never', 'after-reset', 'always'), {
    name: 'access-code.policy',
    does:
      'When the first authenticator of an account needs a temporary access code beside the password. With after-reset, after ' +
      'an administrator or the help desk has reset the second factor, and after an invitation; with always, whenever the ' +
      'account has no authenticator. The help desk issues the code, and an accepted invitation shows one.',
    effect: full,
  })
  readonly accessCodePolicy: 'never' | 'after-reset' | 'always' = 'never';

  @Key(duration({ unit: 's', min: '1m', max: '24h' }), {
    name: 'access-code.validity',
    does: 'Time in which a temporary access code can be used, once.',
    effect: full,
  })
  readonly accessCodeValidity: Duration = Duration.ofSeconds(1800);

  /** Lengths of the first, second … lock in seconds. */
  get lockoutSchedule(): readonly number[] {
    return lockoutScheduleOf(Math.ceil(this.lockDuration.seconds), Math.ceil(this.lockMaxDuration.seconds));
  }

  /** True while policy leaves second factors to the users; `now` in seconds since 1970. */
  isOptional(now: number): boolean {
    if (this.strengthOfAll && hasBegun(this.requiredStrengthFrom, now)) return false;
    return this.policy === 'optional' && hasBegun(this.policyFrom, now);
  }

  /** True if policy demands a second factor of the account; `now` in seconds since 1970. */
  demands(account: PolicyFacts, now: number): boolean {
    if (this.demandsPhishingResistant(account, now)) return true;
    return this.demandsBy(hasBegun(this.policyFrom, now) ? this.policy : 'by-role', account);
  }

  /** True if the first authenticator of the account needs a temporary access code beside the password. */
  demandsAccessCode(account: Pick<Account, 'enrolmentForced' | 'totpCount' | 'passkeyCount'>): boolean {
    const { enrolmentForced } = account;
    if (hasSecondFactor(account)) return false;
    return this.accessCodePolicy === 'always' || (this.accessCodePolicy === 'after-reset' && enrolmentForced);
  }

  /**
   * When policy begins to demand a second factor of the account, in seconds since 1970; undefined if it demands one already,
   * or no date is set from which it will.
   */
  demandedFrom(account: PolicyFacts, now: number): number | undefined {
    if (this.demands(account, now)) return undefined;
    const byPolicy = this.demandsBy(this.policy, account) ? secondsOf(this.policyFrom) : undefined;
    const dates = [byPolicy, this.phishingResistantFrom(account, now)].filter((date) => date !== undefined);
    return dates.length === 0 ? undefined : Math.min(...dates);
  }

  /** True if only a passkey completes a login of the account; `now` in seconds since 1970. */
  demandsPhishingResistant(account: PolicyFacts, now: number): boolean {
    return this.concernsStrength(account) && hasBegun(this.requiredStrengthFrom, now);
  }

  /** When policy begins to demand a passkey of the account, as `demandedFrom`. */
  phishingResistantFrom(account: PolicyFacts, now: number): number | undefined {
    const { requiredStrengthFrom } = this;
    if (!this.concernsStrength(account) || hasBegun(requiredStrengthFrom, now)) return undefined;
    return secondsOf(requiredStrengthFrom);
  }

  /** True if required-strength concerns every account, now or from its date. */
  get strengthOfAll(): boolean {
    return this.requiredStrength === 'phishing-resistant' && this.requiredStrengthRoles.length === 0;
  }

  /** What policy and required-strength demand, now or from their dates. */
  get demand(): FactorDemand {
    const { policy, requiredRoles, requiredStrength, requiredStrengthRoles } = this;
    const roles = policy === 'by-role' ? concerned(requiredRoles) : [];
    const strengthRoles = this.strengthOfAll ? 'all' : concerned(requiredStrengthRoles);
    return {
      factor: policy === 'required' ? 'all' : roles,
      passkey: requiredStrength === 'any' ? [] : strengthRoles,
    };
  }

  private concernsStrength({ roles }: PolicyFacts): boolean {
    if (this.requiredStrength === 'any') return false;
    return this.strengthOfAll || effectiveRoles(roles).some((role) => this.requiredStrengthRoles.includes(role));
  }

  private demandsBy(policy: MfaProperties['policy'], { mfaRequired, enrolmentForced, roles }: PolicyFacts): boolean {
    if (mfaRequired || enrolmentForced || policy === 'required') return true;
    return policy === 'by-role' && effectiveRoles(roles).some((role) => this.requiredRoles.includes(role));
  }

  violations(): readonly Violation[] {
    if (this.lockMaxDuration.milliseconds >= this.lockDuration.milliseconds) return [];
    return [
      { property: 'lockMaxDuration', against: ['lockDuration'], reason: 'must not be shorter than lock.duration' },
    ];
  }
}

/** ROLE_USER is a role of every account, and of the stored roles of none. */
function concerned(roles: readonly string[]): ConcernedRoles {
  return roles.includes(ROLE_USER) ? 'all' : roles;
}

function hasBegun(from: number | undefined, now: number): boolean {
  const begin = secondsOf(from);
  return begin === undefined || now >= begin;
}

/** The first whole second at which an instant in milliseconds is past. */
function secondsOf(millis: number | undefined): number | undefined {
  return millis === undefined ? undefined : Math.ceil(millis / 1000);
}
