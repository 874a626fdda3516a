import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import { Accounts } from '../account/accounts.service.js';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type DeviceSecret, TrustedDevices } from '../second-factor/trusted-device/trusted-devices.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { PWD } from '../principal/amr.js';
import { MfaTokens } from '../token/mfa-tokens.service.js';
import type { SessionKind } from '../session/session.js';
import { type OpenedSession, Sessions } from '../session/sessions.service.js';
import { LoginMeters } from './login-meters.js';
import type { FirstFactorResult } from './password-authenticator.service.js';

/** An `mfa_token` for the second step. */
export interface Challenge {
  readonly mfaToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** A login that needs no second step. */
export interface CompletedLogin {
  readonly opened: OpenedSession;
  /** New secret of a trusted browser. */
  readonly trustedDevice?: DeviceSecret;
}

/** Completes or challenges a login after its password step, for token clients and for the web portal. */
@Injectable()
export class PasswordLogin {
  constructor(
    private readonly work: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly events: SecurityEvents,
    private readonly mfaTokens: MfaTokens,
    private readonly sessions: Sessions,
    private readonly trustedDevices: TrustedDevices,
    private readonly clock: Clock,
    private readonly meters: LoginMeters,
  ) {}

  /** Issues an `mfa_token` for the second step; the token is not stored. */
  challenge({ account }: FirstFactorResult): Promise<Challenge> {
    return this.challenged(async () => {
      const { token, expiresAt } = await this.mfaTokens.issue({
        subject: account.id,
        securityStamp: account.securityStamp,
      });
      await this.work.single((tx) => this.recordChallenge(tx, account));
      return { mfaToken: token, expiresIn: expiresAt - this.clock.seconds() };
    });
  }

  /**
   * Opens a half-authenticated session of the web portal for the second step; it lasts 3 minutes and replaces the session
   * with the cookie `former`.
   */
  challengeInSession({ account }: FirstFactorResult, former: string | undefined): Promise<OpenedSession> {
    const { id: subject, securityStamp } = account;
    return this.challenged(() =>
      this.work.run(async (tx) => {
        await this.sessions.endReplaced(tx, former);
        await this.recordChallenge(tx, account);
        return this.sessions.openHalf(tx, { subject, securityStamp, authTime: this.clock.seconds() });
      }),
    );
  }

  /**
   * Completes a login that needs no code: the account has no second factor, or the browser is trusted. Returns undefined
   * if a code is due after all. In a browser, the new session replaces the one with the cookie `former`.
   */
  async complete(passed: FirstFactorResult, kind: SessionKind, former?: string): Promise<CompletedLogin | undefined> {
    if (passed.next !== 'none' && passed.trustedDevice === undefined) return undefined;
    const completed = await this.meters.countFailures(() => this.completed(passed, kind, former));
    if (completed) this.meters.count('success');
    return completed;
  }

  private completed(
    { account, next, trustedDevice }: FirstFactorResult,
    kind: SessionKind,
    former: string | undefined,
  ): Promise<CompletedLogin | undefined> {
    const { id: subject, securityStamp } = account;
    return this.work.run(async (tx) => {
      // An event that ended all sessions of the account since the password check ends this login, too.
      if (!(await this.accounts.holds(tx, subject, securityStamp))) {
        throw new ServiceError('INVALID_CREDENTIALS', { reason: 'account changed' });
      }
      const trusted = trustedDevice && (await this.trustedDevices.recognise(tx, subject, trustedDevice));
      if (next !== 'none' && !trusted) return undefined;
      await this.sessions.endReplaced(tx, former);
      await this.events.record(tx, { kind: 'LOGIN_PASSWORD_OK', subject, amr: PWD });
      const opened = await this.sessions.open(tx, { subject, kind, amr: PWD, authTime: this.clock.seconds() });
      return { opened, ...(trusted && { trustedDevice: trusted }) };
    });
  }

  private async challenged<T>(give: () => Promise<T>): Promise<T> {
    const given = await this.meters.countFailures(give);
    this.meters.count('challenged');
    return given;
  }

  private recordChallenge(tx: Tx, { id: subject }: Account): Promise<void> {
    return this.events.record(
      tx,
      { kind: 'LOGIN_PASSWORD_OK', subject, amr: PWD },
      { kind: 'MFA_CHALLENGED', subject },
    );
  }
}
