import { Injectable } from '@nestjs/common';
import { BackupCodes } from './backup-code/backup-codes.service.js';
import { LOW } from './backup-code/backup-code.js';
import { Clock } from '../clock/clock.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { TargetSecret, AttemptSubject, FactorState } from './attempts/attempt.js';
import { Attempts, type Outcome, REPLAYED, WRONG_CODE } from './attempts/attempts.service.js';
import type { Proof } from './proof.js';
import { SecondFactorStore } from './second-factor.store.js';
import { malformedCode, submittedCode } from './submitted-code.js';
import { verifyTotp } from './totp/totp.js';
import { TotpSecrets } from './totp/totp-secrets.service.js';

export type { Proof };

/** What is stored together with the proof; it may be run again from its start, so it acts through `tx` alone. */
export type Complete<P, T> = (tx: Tx, proof: P) => Promise<T>;

const ACTIVE_SECRET: TargetSecret = { kind: 'active' };

/** The second factor of an account: its TOTP code or one of its backup codes. */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly attempts: Attempts,
    private readonly store: SecondFactorStore,
    private readonly secrets: TotpSecrets,
    private readonly backupCodes: BackupCodes,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Pays an attempt, looks at the code, and stores its use together with what `complete` stores: all of it or nothing.
   * The attempt is given back when `complete` throws.
   * @throws ServiceError `MFA_CODE_INVALID`, `MFA_LOCKED`, `MFA_STATE_CONFLICT` where no secret is active, and for a
   * claim that has ended `MFA_TOKEN_INVALID` (with a `jti`) or `INVALID_TOKEN`
   */
  async prove<T>(caller: AttemptSubject & { readonly code: string }, complete: Complete<Proof, T>): Promise<T> {
    const code = submittedCode(caller.code);
    if (!code) throw malformedCode();
    return this.attempts.charge(caller, ACTIVE_SECRET, code.method, (state) =>
      code.method === 'totp'
        ? this.useStep(caller, state, code.digits, complete)
        : this.useBackupCode(caller, state, code.text, complete),
    );
  }

  private async useStep<T>(
    caller: AttemptSubject,
    state: FactorState,
    digits: string,
    complete: Complete<Proof, T>,
  ): Promise<Outcome<T>> {
    const { active, lastUsedStep, roles } = state;
    if (!active) return { kind: 'refunded', refusal: { kind: 'no_secret' } };
    const key = this.secrets.open(caller.subject, active.sealed);
    const verdict = verifyTotp(key, digits, this.clock.seconds(), lastUsedStep);
    if (verdict.kind === 'wrong') return WRONG_CODE;
    if (verdict.kind === 'replayed') return REPLAYED;
    return this.work.run(async (tx) => {
      if (!(await this.store.acceptStep(tx, caller, active.id, verdict.step))) {
        return this.attempts.resolveLost(tx, caller, ACTIVE_SECRET, verdict.step);
      }
      await this.secrets.renewSeal(tx, caller.subject, active);
      const { offset } = verdict;
      return { kind: 'done', result: await complete(tx, { method: 'totp', offset, roles }), offset };
    });
  }

  private async useBackupCode<T>(
    caller: AttemptSubject,
    { active, backupSetId, roles }: FactorState,
    code: string,
    complete: Complete<Proof, T>,
  ): Promise<Outcome<T>> {
    const { subject } = caller;
    if (!active) return { kind: 'refunded', refusal: { kind: 'no_secret' } };
    if (backupSetId === undefined) return WRONG_BACKUP_CODE;
    const used = this.work.run(async (tx): Promise<Outcome<T>> => {
      // The row first, so that it is locked before those of the codes.
      if (!(await this.store.acceptSet(tx, caller, active.id, backupSetId))) {
        return this.attempts.resolveLost(tx, caller, ACTIVE_SECRET);
      }
      if (!(await this.backupCodes.consume(tx, subject, backupSetId, code))) throw new NotInSet();
      const remaining = await this.backupCodes.remaining(tx, subject, backupSetId);
      const isLow = remaining <= LOW;
      await this.events.record(tx, { kind: 'BACKUP_USED', subject });
      if (isLow) await this.events.record(tx, { kind: 'BACKUP_LOW', subject });
      return { kind: 'done', result: await complete(tx, { method: 'backup_code', remaining, isLow, roles }) };
    });
    return used.catch((error: unknown) => {
      if (error instanceof NotInSet) return WRONG_BACKUP_CODE;
      throw error;
    });
  }
}

/** Takes back the transaction that began to use a code; never leaves this file. */
class NotInSet extends Error {}

const WRONG_BACKUP_CODE = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_backup_code' } as const;
