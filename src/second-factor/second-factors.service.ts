import { Injectable } from '@nestjs/common';
import { BackupCodes } from './backup-code/backup-codes.service.js';
import { LOW } from './backup-code/backup-code.js';
import { Clock } from '../clock/clock.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { Against, Claim, Standing } from './attempts/attempt.js';
import { Attempts, type Outcome, REPLAYED, WRONG_CODE } from './attempts/attempts.service.js';
import type { Proof } from './proof.js';
import { SecondFactorStore } from './second-factor.store.js';
import { malformedCode, submittedCode } from './submitted-code.js';
import { verifyTotp } from './totp/totp.js';
import { TotpSecrets } from './totp/totp-secrets.service.js';

export type { Proof };

/** What is stored together with the proof; it may be run again from its start, so it acts through `tx` alone. */
export type Complete<P, T> = (tx: Tx, proof: P) => Promise<T>;

const AGAINST_ACTIVE: Against = { kind: 'active' };

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
  async prove<T>(claim: Claim & { readonly code: string }, complete: Complete<Proof, T>): Promise<T> {
    const code = submittedCode(claim.code);
    if (!code) throw malformedCode();
    return this.attempts.spend(claim, AGAINST_ACTIVE, code.method, (standing) =>
      code.method === 'totp'
        ? this.useStep(claim, standing, code.digits, complete)
        : this.useBackupCode(claim, standing, code.text, complete),
    );
  }

  private async useStep<T>(
    claim: Claim,
    standing: Standing,
    digits: string,
    complete: Complete<Proof, T>,
  ): Promise<Outcome<T>> {
    const { active, lastUsedStep, roles } = standing;
    if (!active) return { kind: 'void', refusal: { kind: 'no_secret' } };
    const key = this.secrets.open(claim.subject, active.sealed);
    const verdict = verifyTotp(key, digits, this.clock.seconds(), lastUsedStep);
    if (verdict.kind === 'wrong') return WRONG_CODE;
    if (verdict.kind === 'replayed') return REPLAYED;
    return this.work.run(async (tx) => {
      if (!(await this.store.acceptStep(tx, claim, active.id, verdict.step))) {
        return this.attempts.late(tx, claim, AGAINST_ACTIVE, verdict.step);
      }
      await this.secrets.renewSeal(tx, claim.subject, active);
      const { offset } = verdict;
      return { kind: 'done', result: await complete(tx, { method: 'totp', offset, roles }), offset };
    });
  }

  private async useBackupCode<T>(
    claim: Claim,
    { active, backupSetId, roles }: Standing,
    code: string,
    complete: Complete<Proof, T>,
  ): Promise<Outcome<T>> {
    const { subject } = claim;
    if (!active) return { kind: 'void', refusal: { kind: 'no_secret' } };
    if (backupSetId === undefined) return WRONG_BACKUP_CODE;
    const used = this.work.run(async (tx): Promise<Outcome<T>> => {
      // The row first, so that it is locked before those of the codes.
      if (!(await this.store.acceptSet(tx, claim, active.id, backupSetId))) {
        return this.attempts.late(tx, claim, AGAINST_ACTIVE);
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
