import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { type Against, type Claim, type Refusal, refused, secretOf, type Standing } from '../attempts/attempt.js';
import { Attempts, type Outcome, REPLAYED, WRONG_CODE } from '../attempts/attempts.service.js';
import { Authenticators, PENDING_SECONDS, type SetupClaim } from './authenticators.service.js';
import { EnrolmentStore, type ShownSecret as StoredShown } from './enrolment.store.js';
import { type FactorState, factorState } from '../attempts/factor-state.js';
import { qrPng, qrSvg } from '../totp/qr.js';
import type { Proof } from '../proof.js';
import { type Complete, SecondFactors } from '../second-factors.service.js';
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
    private readonly secondFactors: SecondFactors,
    private readonly events: SecurityEvents,
  ) {}

  async state(subject: string): Promise<FactorState> {
    const row = await this.work.single((tx) => this.store.state(tx, subject));
    if (!row) throw refused(NO_ACCOUNT, { subject }, this.clock.seconds());
    return factorState(row, this.attempts.lockOf(row), this.clock.seconds());
  }

  /**
   * Makes a pending secret with its codes in place of an earlier one; the active secret stays valid until confirm.
   * Whether the caller's login is fresh enough is asked before.
   */
  async setup(claim: SetupClaim): Promise<Setup> {
    const { subject } = claim;
    const drawn = this.secrets.draw(subject);
    const shown = await this.picture(claim, drawn.key, PENDING_SECONDS);
    const backupCodes = await this.work.run(async (tx) => {
      const codes = await this.authenticators.propose(tx, claim, drawn);
      if (codes) await this.events.record(tx, { kind: 'MFA_SETUP', subject });
      return codes;
    });
    if (!backupCodes) throw await this.attempts.refusal(claim, undefined, NO_SECRET);
    return { ...shown, backupCodes };
  }

  /**
   * The pending secret of the same asker once more, unchanged, so that an app that has it stays good; undefined where there
   * is none, or the claim holds no longer.
   * @throws ServiceError `MFA_LOCKED`
   */
  async shown(claim: SetupClaim): Promise<ShownSecret | undefined> {
    const pending = await this.pendingOf(claim);
    return pending && this.pictureOf(claim, pending);
  }

  /** The same with new codes in place of those that were shown before, of which only hashes are stored. */
  async shownWithNewCodes(claim: SetupClaim): Promise<Setup | undefined> {
    const { subject } = claim;
    const pending = await this.pendingOf(claim);
    if (!pending) return undefined;
    const shown = await this.pictureOf(claim, pending);
    const backupCodes = await this.work.run(async (tx) => {
      const codes = await this.authenticators.renewCodes(tx, claim, pending.id);
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
    claim: Claim & { readonly askedBy: string; readonly code: string },
    complete: Complete<Confirmed, T>,
  ): Promise<T> {
    const digits = totpDigits(claim.code);
    if (digits === undefined) throw malformedCode();
    const against: Against = { kind: 'pending', askedBy: claim.askedBy };
    return this.attempts.spend(claim, against, 'totp', (standing) =>
      this.useStep(claim, against, standing, digits, complete),
    );
  }

  /** Takes the second factor away by one of its codes; `complete` ends the other sessions. */
  disable<T>(claim: Claim & { readonly code: string }, complete: Complete<Proof, T>): Promise<T> {
    const { subject } = claim;
    return this.secondFactors.prove(claim, async (tx, proof) => {
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
    claim: Claim,
    against: Against,
    standing: Standing,
    digits: string,
    complete: Complete<Confirmed, T>,
  ): Promise<Outcome<T>> {
    const { subject } = claim;
    const now = this.clock.seconds();
    const pending = secretOf(standing, against, now);
    if (!pending) return { kind: 'void', refusal: NO_SECRET };
    const verdict = verifyTotp(this.secrets.open(subject, pending.sealed), digits, now, standing.lastUsedStep);
    if (verdict.kind === 'wrong') return WRONG_CODE;
    if (verdict.kind === 'replayed') return REPLAYED;
    return this.work.run(async (tx) => {
      if (!(await this.authenticators.activate(tx, claim, pending.id, verdict.step))) {
        return this.attempts.late(tx, claim, against, verdict.step);
      }
      await this.events.record(tx, { kind: 'MFA_CONFIRMED', subject });
      const result = await complete(tx, { hasReplaced: standing.active !== undefined });
      return { kind: 'done', result, offset: verdict.offset };
    });
  }

  private async pendingOf(claim: SetupClaim): Promise<StoredShown | undefined> {
    const { lock } = await this.state(claim.subject);
    const now = this.clock.seconds();
    if (lock) throw refused({ kind: 'locked', lock }, claim, now);
    return this.work.single((tx) => this.store.shown(tx, claim, now));
  }

  private pictureOf(claim: Claim, { sealed, expiresAt }: StoredShown): Promise<ShownSecret> {
    return this.picture(claim, this.secrets.open(claim.subject, sealed), expiresAt - this.clock.seconds());
  }

  private async picture(claim: Claim, key: Uint8Array, expiresInSeconds: number): Promise<ShownSecret> {
    const { secret, uri } = this.secrets.shown(key, await this.loginIdOf(claim));
    const svg = await qrSvg(uri);
    return {
      secret,
      otpauthUri: uri,
      qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
      expiresInSeconds,
    };
  }

  private async loginIdOf(claim: Claim): Promise<string> {
    const loginId = await this.work.single((tx) => this.store.loginId(tx, claim.subject));
    if (loginId === undefined) throw refused(NO_ACCOUNT, claim, this.clock.seconds());
    return loginId;
  }
}

const NO_SECRET: Refusal = { kind: 'no_secret' };
const NO_ACCOUNT: Refusal = { kind: 'ended', reason: 'no_account' };
