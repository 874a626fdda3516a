import { Injectable } from '@nestjs/common';
import { type AccountVersion, hasSecondFactor } from '../../../identity/account/account.js';
import { PasswordChanges, type ReadyPassword } from '../../../identity/account/password/passwords.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { Proof, SubmittedProof } from '../../../identity/second-factor/second-factor.js';
import { SecondFactors } from '../../../identity/second-factor/second-factors.service.js';
import { TrustedDeviceList } from '../../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { PasswordAuthenticator } from '../login/password-authenticator.service.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';
import { Reauthentication } from './reauthentication.service.js';

export interface NewPassword {
  readonly current: string;
  readonly new: string;
}

/** Stores a new password and ends everything that the old one opened. */
@Injectable()
export class OwnPasswordChange {
  constructor(
    private readonly changes: PasswordChanges,
    private readonly sessions: Sessions,
    private readonly trustedDevices: TrustedDeviceList,
  ) {}

  /** @throws ServiceError `VALIDATION_FAILED` for a weak password */
  ready(subject: string, password: string): Promise<ReadyPassword> {
    return this.changes.ready(subject, password, 'new');
  }

  /**
   * Keeps the session `sid` and returns it if its cookie was replaced; stores nothing if the account is not as it was read.
   * `proof` is that of the second factor, if it came with the password.
   */
  async store(
    tx: Tx,
    { subject, sid, via }: FullPrincipal,
    account: AccountVersion,
    ready: ReadyPassword,
    proof?: Proof,
  ): Promise<OpenedSession | undefined> {
    await this.changes.change(tx, account, ready, proof?.method);
    await this.sessions.endAll(tx, subject, sid);
    await this.trustedDevices.revokeAll(tx, subject);
    return via === 'session' ? this.sessions.renew(tx, sid) : undefined;
  }
}

/** Changes the password of the signed-in user; all other sessions and the trusted devices end. */
@Injectable()
export class OwnPassword {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly password: PasswordAuthenticator,
    private readonly replacement: OwnPasswordChange,
    private readonly secondFactors: SecondFactors,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Returns the session if its cookie was replaced, which must then be written.
   * @throws ServiceError `INVALID_CREDENTIALS` for a wrong current password, `STEP_UP_REQUIRED` if the account has a second
   * factor, the last proof of it is too old or too weak, and the caller submits none that is enough, `VALIDATION_FAILED` for
   * a weak new password
   */
  async change(
    caller: FullPrincipal,
    { current, new: next }: NewPassword,
    submitted?: SubmittedProof,
  ): Promise<OpenedSession | undefined> {
    const { subject } = caller;
    const account = await this.reauthentication.accountOf(caller);
    // Decided once: a clock that is set back meanwhile must not make the proof unnecessary.
    const isProved = !hasSecondFactor(account) || this.reauthentication.mayChange(caller, account);
    const proof = isProved ? undefined : this.reauthentication.requireProof(account, submitted);
    await this.password.verifySubject(subject, current, 'current');
    const ready = await this.replacement.ready(subject, next);
    const store = (tx: Tx, accepted?: Proof): Promise<OpenedSession | undefined> =>
      this.replacement.store(tx, caller, account, ready, accepted);
    return proof === undefined
      ? this.work.run((tx) => store(tx))
      : this.secondFactors.prove(attemptSubjectOf(caller), proof, store);
  }
}
