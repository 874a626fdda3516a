import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { hasSecondFactor as hasSecondFactorMethod } from '../../../kernel/principal/amr.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { type HalfPrincipal, type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import {
  AccessCodeAttempts,
  type EnrollingSubject,
} from '../../../identity/second-factor/access-code/access-code-attempts.service.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import type { AuthenticatorType } from '../../../identity/second-factor/factor-state.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import type { PasskeyPlace } from '../../../identity/second-factor/passkey/passkey.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { ChangeAuthorization } from './change-authorization.service.js';
import { Reauthentication } from './reauthentication.service.js';

/** What a caller shows to set up an authenticator. */
export interface EnrolmentProofs {
  /** Of a full caller without a second factor. */
  readonly password?: string | undefined;
  /** A temporary access code in its normal form. */
  readonly accessCode?: string | undefined;
}

/** Decides who may set up an authenticator (http-api section 3). */
@Injectable()
export class EnrolmentAuthorization {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly changes: ChangeAuthorization,
    private readonly policy: MfaPolicy,
    private readonly accessCodes: AccessCodeAttempts,
    private readonly sessions: Sessions,
  ) {}

  /**
   * Admits a half-authenticated caller who must enrol, a full one whose last proof of the second factor is recent and strong
   * enough, or without a second factor, one with a fresh login or the right `password`. The first authenticator may also need
   * an `accessCode`, unless this login has used one before. Returns the account.
   * @throws ServiceError `STEP_UP_REQUIRED` for a login that is too old, or a proof that is too old or too weak,
   * `INVALID_CREDENTIALS` for a wrong `password`, and as `requireAllowed` and `requireAccessCode` do
   */
  async require(
    caller: Principal,
    type: AuthenticatorType,
    { password, accessCode }: EnrolmentProofs = {},
  ): Promise<Account> {
    const account = await this.requireLogin(caller, type, password);
    await this.requireAccessCode(caller, account, accessCode);
    return account;
  }

  /** True if the caller must use an access code before it can set up an authenticator. */
  async lacksAccessCode(caller: Principal): Promise<boolean> {
    const account = await this.reauthentication.accountOf(caller);
    return !provesMfa(caller) && this.accessCodes.isMissing(account, enrollingOf(caller));
  }

  /**
   * Uses the access code for the login of the caller, once the login itself may enrol.
   * @throws ServiceError `VALIDATION_FAILED` without a code, and as `AccessCodeAttempts.use` does
   */
  private async requireAccessCode(caller: Principal, account: Account, code: string | undefined): Promise<void> {
    const login = enrollingOf(caller);
    if (provesMfa(caller) || !(await this.accessCodes.isMissing(account, login))) return;
    if (code === undefined) {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'access_code', code: 'required' }] });
    }
    await this.accessCodes.use(login, code);
  }

  /**
   * Ends the access code with the first authenticator, which the transaction stores.
   * @throws ServiceError `MFA_STATE_CONFLICT` if the account needs a code and this login has none, or no longer
   */
  async spendAccessCode(tx: Tx, caller: Principal, account: Account): Promise<void> {
    if (!provesMfa(caller)) await this.accessCodes.spend(tx, account, enrollingOf(caller));
  }

  private async requireLogin(
    caller: Principal,
    type: AuthenticatorType,
    password: string | undefined,
  ): Promise<Account> {
    const account = await this.reauthentication.accountOf(caller);
    if (caller.kind === 'half') {
      this.requireAllowed(caller, account, type);
      // A password was checked minutes ago; a SAML assertion may rest on a session of the identity
      // provider that began hours ago.
      if (caller.idp !== undefined) this.reauthentication.requireFreshTime(caller.authTime);
    } else await this.changes.require(caller, account, password);
    return account;
  }

  /**
   * Half-authenticated callers may enrol only if policy demands a factor that the account lacks, or if the identity
   * provider did not prove one. A caller with an outdated security stamp is rejected later, after the lock is checked.
   * @throws ServiceError `MFA_REQUIRED`, `MFA_STATE_CONFLICT` if policy demands a stronger type
   */
  requireAllowed(caller: HalfPrincipal, account: Account, type: AuthenticatorType): void {
    if (account.securityStamp !== caller.securityStamp) return;
    const isDue = caller.idp !== undefined || this.policy.demands(account);
    if (!this.policy.lacksFactor(account) || !isDue) {
      throw new ServiceError('MFA_REQUIRED', { reason: 'not to be enrolled' });
    }
    if (type === 'totp' && this.policy.demandsPasskey(account)) {
      throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'policy demands a passkey' });
    }
  }

  /**
   * For the end of a setup that began with `require`: policy may demand a stronger login meanwhile. Returns the account.
   * @throws ServiceError `STEP_UP_REQUIRED`, and as `requireAllowed` does
   */
  async requireStill(caller: Principal, type: AuthenticatorType): Promise<Account> {
    const account = await this.reauthentication.accountOf(caller);
    if (caller.kind === 'half') this.requireAllowed(caller, account, type);
    else if (type === 'passkey') this.reauthentication.requireStrength(caller, account);
    return account;
  }

  /** What a new passkey of the caller is to the account. */
  placeOf(caller: Principal, account: Account): PasskeyPlace {
    if (!hasSecondFactor(account)) return 'first';
    const isDemanded = account.passkeyCount === 0 && this.policy.demandsPasskey(account);
    return caller.kind === 'half' || isDemanded ? 'demanded' : 'further';
  }

  /** The session must not have ended meanwhile; the row of the account, which ends sessions of others first, is locked. */
  async requireLive(tx: Tx, caller: Principal): Promise<void> {
    const sid = caller.kind === 'full' ? caller.sid : caller.via === 'session' ? caller.id : undefined;
    if (sid === undefined || (await this.sessions.find(sid, tx))) return;
    throw new ServiceError('INVALID_TOKEN', { reason: 'session ended' });
  }
}

function enrollingOf(caller: Principal): EnrollingSubject {
  return { ...attemptSubjectOf(caller), requestedBy: requesterOf(caller) };
}

/** True for a login that proved a second factor elsewhere: an access code replaces that proof. */
function provesMfa(caller: Principal): boolean {
  return caller.kind === 'full' && hasSecondFactorMethod(caller.amr);
}
