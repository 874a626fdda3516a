import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import {
  type AttemptSubject,
  type FactorState,
  NO_ACCOUNT,
  NO_SECRET,
  type Outcome,
  refusalError,
  REPLAYED,
  secretOf,
  type TargetSecret,
  WRONG_CODE,
} from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import { Attempts } from '../attempts/attempts.service.js';
import { Authenticators, PENDING_SECONDS, type SetupRequest } from './authenticators.service.js';
import { EnrolmentStore, type ShownSecret as StoredShown } from './enrolment.store.js';
import type { EnrolmentState } from './enrolment-state.js';
import { qrPng, qrSvg } from '../totp/otpauth-uri.js';
import type { Complete, Proof } from '../second-factor.js';
import { SecondFactors } from '../second-factors.service.js';
import { malformedCode, totpDigits } from '../submitted-code.js';
import { verifyTotp } from '../totp/totp.js';
import { TotpSecrets } from '../totp/totp-secrets.service.js';

/** A pending secret as its asker sees it. */
export interface ShownSecret {
  readonly secret: string;
  readonly otpauthUri: string;
  /** `data:image/svg+xml;base64,…` */
  readonly qr: string;
  readonly expiresInSeconds: number;
}

/** The same with backup codes, which are shown in this answer alone. */
export interface Setup extends ShownSecret {
  readonly backupCodes: readonly string[];
}

export interface Confirmed {
  /** An active secret was replaced: other sessions of the user must end. */
  readonly hasReplaced: boolean;
}

/** Setup and confirm of a TOTP secret with its backup codes, and the ways to be rid of them. */
@Injectable()
export class Enrolment {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly store: EnrolmentStore,
    private readonly authenticators: Authenticators,
    private readonly secrets: TotpSecrets,
    private readonly attempts: Attempts,
    private readonly budget: AttemptBudget,
    private readonly secondFactors: SecondFactors,
    private readonly events: SecurityEvents,
  ) {}

  async state(subject: string): Promise<EnrolmentState> {
    const row = await this.work.single((tx) => this.store.state(tx, subject));
    if (!row) throw refusalError(NO_ACCOUNT, { subject }, this.clock.seconds());
    const lock = this.budget.lockOf(row);
    return { ...this.authenticators.state(row), ...(lock && { lock }) };
  }

  /**
   * Makes a pending secret with its codes in place of an earlier one; the active secret stays valid until confirm.
   * Whether the caller's login is fresh enough is asked before.
   */
  async setup(caller: SetupRequest): Promise<Setup> {
    const { subject } = caller;
    const enrolled = await this.work.run(async (tx) => {
      const proposed = await this.authenticators.propose(tx, caller);
      if (proposed) await this.events.record(tx, { kind: 'MFA_SETUP', subject });
      return proposed;
    });
    if (!enrolled) throw await this.budget.refusal(caller, undefined, NO_SECRET);
    const { key, backupCodes } = enrolled;
    return { ...(await this.picture(caller, key, PENDING_SECONDS)), backupCodes };
  }

  /**
   * The pending secret of the same asker once more, unchanged, so that an app that has it stays good; undefined where there
   * is none, or the claim holds no longer.
   * @throws ServiceError `MFA_LOCKED`
   */
  async shown(caller: SetupRequest): Promise<ShownSecret | undefined> {
    const pending = await this.pendingOf(caller);
    return pending && this.pictureOf(caller, pending);
  }

  /** The same with new codes in place of those that were shown before, of which only hashes are stored. */
  async shownWithNewCodes(caller: SetupRequest): Promise<Setup | undefined> {
    const { subject } = caller;
    const pending = await this.pendingOf(caller);
    if (!pending) return undefined;
    const shown = await this.pictureOf(caller, pending);
    const backupCodes = await this.work.run(async (tx) => {
      const codes = await this.authenticators.renewCodes(tx, caller, pending.id);
      if (codes) await this.events.record(tx, { kind: 'MFA_SETUP', subject, reason: 'new_codes' });
      return codes;
    });
    return backupCodes && { ...shown, backupCodes };
  }

  /** The picture of the pending secret, in each form once and only for the session or half token that asked for it. */
  async qr(form: 'svg' | 'png', subject: string, askedBy: string): Promise<string | Buffer> {
    const key = await this.secrets.takePicture(form, subject, askedBy, this.clock.seconds());
    if (!key) throw new ServiceError('NOT_FOUND');
    const { uri } = this.secrets.shown(key, await this.loginIdOf({ subject }));
    return form === 'svg' ? qrSvg(uri) : qrPng(uri);
  }

  /**
   * Activates the caller's pending secret by a TOTP code of it: the old secret, its codes and trusted devices go, and
   * half tokens and half-authenticated sessions die.
   * @throws ServiceError as `SecondFactors.prove` does
   */
  async confirm<T>(
    caller: AttemptSubject & { readonly askedBy: string; readonly code: string },
    complete: Complete<Confirmed, T>,
  ): Promise<T> {
    const digits = totpDigits(caller.code);
    if (digits === undefined) throw malformedCode();
    const target: TargetSecret = { kind: 'pending', askedBy: caller.askedBy };
    return this.attempts.charge(caller, target, 'totp', (state) =>
      this.useStep(caller, target, state, digits, complete),
    );
  }

  /** Takes the second factor away by one of its codes; `complete` ends the other sessions. */
  disable<T>(caller: AttemptSubject & { readonly code: string }, complete: Complete<Proof, T>): Promise<T> {
    const { subject } = caller;
    return this.secondFactors.prove(caller, async (tx, proof) => {
      await this.authenticators.remove(tx, subject);
      await this.events.record(tx, { kind: 'MFA_DISABLED', subject });
      return complete(tx, proof);
    });
  }

  /** Ten new backup codes in place of all earlier ones. */
  async reissue(subject: string): Promise<readonly string[]> {
    const codes = await this.work.run(async (tx) => {
      const issued = await this.authenticators.reissue(tx, subject);
      if (issued) await this.events.record(tx, { kind: 'BACKUP_REISSUED', subject });
      return issued;
    });
    if (!codes) throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'no secret is active' });
    return codes;
  }

  /**
   * Takes the second factor away without a code, so that the next login must enrol; `complete` ends all sessions.
   * `actor` is the administrator, or `cli`. Failures, lock and last used step stay.
   */
  reset(subject: string, actor: string, complete: (tx: Tx) => Promise<void>): Promise<void> {
    return this.work.run(async (tx) => {
      if (!(await this.authenticators.reset(tx, subject))) throw new ServiceError('NOT_FOUND');
      await this.events.record(tx, { kind: 'MFA_RESET_BY_ADMIN', subject, actor });
      await complete(tx);
    });
  }

  /** Removes secrets, codes and trusted devices of an account whose row is gone. */
  forget(tx: Tx, subject: string): Promise<void> {
    return this.authenticators.forget(tx, subject);
  }

  private async useStep<T>(
    caller: AttemptSubject,
    target: TargetSecret,
    state: FactorState,
    digits: string,
    complete: Complete<Confirmed, T>,
  ): Promise<Outcome<T>> {
    const { subject } = caller;
    const now = this.clock.seconds();
    const pending = secretOf(state, target, now);
    if (!pending) return { kind: 'refunded', refusal: NO_SECRET };
    const verdict = verifyTotp(this.secrets.open(subject, pending.sealed), digits, now, state.lastUsedStep);
    if (verdict.kind === 'wrong') return WRONG_CODE;
    if (verdict.kind === 'replayed') return REPLAYED;
    return this.work.run(async (tx) => {
      if (!(await this.authenticators.activate(tx, caller, pending.id, verdict.step))) {
        return this.budget.resolveLost(tx, caller, target, verdict.step);
      }
      await this.events.record(tx, { kind: 'MFA_CONFIRMED', subject });
      const result = await complete(tx, { hasReplaced: state.active !== undefined });
      return { kind: 'done', result, offset: verdict.offset };
    });
  }

  private async pendingOf(caller: SetupRequest): Promise<StoredShown | undefined> {
    const { lock } = await this.state(caller.subject);
    const now = this.clock.seconds();
    if (lock) throw refusalError({ kind: 'locked', lock }, caller, now);
    return this.work.single((tx) => this.store.shown(tx, caller, now));
  }

  private pictureOf(caller: AttemptSubject, { sealed, expiresAt }: StoredShown): Promise<ShownSecret> {
    return this.picture(caller, this.secrets.open(caller.subject, sealed), expiresAt - this.clock.seconds());
  }

  private async picture(caller: AttemptSubject, key: Uint8Array, expiresInSeconds: number): Promise<ShownSecret> {
    const { secret, uri } = this.secrets.shown(key, await this.loginIdOf(caller));
    const svg = await qrSvg(uri);
    return {
      secret,
      otpauthUri: uri,
      qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
      expiresInSeconds,
    };
  }

  private async loginIdOf(caller: AttemptSubject): Promise<string> {
    const loginId = await this.work.single((tx) => this.store.loginId(tx, caller.subject));
    if (loginId === undefined) throw refusalError(NO_ACCOUNT, caller, this.clock.seconds());
    return loginId;
  }
}
