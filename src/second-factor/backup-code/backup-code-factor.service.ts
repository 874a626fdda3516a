import { Injectable } from '@nestjs/common';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { ACTIVE_SECRET, NO_SECRET, type Outcome } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type {
  BackupCodeState,
  ChargedAttempt,
  Complete,
  NamedAuthenticators,
  NewAuthenticator,
  SecondFactor,
  StoredFactors,
  VerifiedResponse,
} from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { LOW } from './backup-code.js';
import { BackupCodes } from './backup-codes.service.js';

const WRONG_BACKUP_CODE = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_backup_code' } as const;

/** Backup codes, for a user without the authenticator app; each is accepted once. */
@Injectable()
export class BackupCodeFactor implements SecondFactor<'backup_code'> {
  readonly id = 'backup_code';
  readonly amr = 'otp';
  readonly failures = [WRONG_BACKUP_CODE.reason];

  constructor(
    private readonly work: UnitOfWork,
    private readonly budget: AttemptBudget,
    private readonly store: SecondFactorStore,
    private readonly codes: BackupCodes,
    private readonly events: SecurityEvents,
  ) {}

  async verify<T>(
    { caller, target, state, response }: ChargedAttempt,
    complete: Complete<VerifiedResponse, T>,
  ): Promise<Outcome<T>> {
    const { backupSetId, roles } = state;
    // A backup code proves no pending secret.
    const active = target.kind === 'active' ? state.active : undefined;
    const { subject } = caller;
    if (!active) return { kind: 'refunded', refusal: NO_SECRET };
    if (backupSetId === undefined) return WRONG_BACKUP_CODE;
    const used = this.work.run(async (tx): Promise<Outcome<T>> => {
      // The row of the account first, so that it is locked before the rows of the codes.
      if (!(await this.store.acceptSet(tx, caller, active.id, backupSetId))) {
        return this.budget.resolveLost(tx, caller, ACTIVE_SECRET);
      }
      if (!(await this.codes.consume(tx, subject, backupSetId, response))) throw new NotInSet();
      const remaining = await this.codes.remaining(tx, subject, backupSetId);
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

  /** Stores a set of codes and returns them as they are shown. */
  enrol(tx: Tx, { id, subject }: NewAuthenticator): Promise<readonly string[]> {
    return this.codes.issue(tx, subject, id);
  }

  /** Also keeps the codes of a pending secret, which take effect with it. */
  discard(tx: Tx, subject: string, { backupSetId, pendingTotpId }: NamedAuthenticators): Promise<void> {
    return this.codes.keepOnly(
      tx,
      subject,
      [backupSetId, pendingTotpId].filter((id) => id !== null),
    );
  }

  state({ activatedAt, backupCodesAt, remaining }: StoredFactors): BackupCodeState {
    const isLow = activatedAt !== null && remaining <= LOW;
    return { remaining, isLow, ...withoutUndefined({ generatedAt: backupCodesAt ?? undefined }) };
  }
}

/** Rolls back the transaction that began to use a code; caught in this file. */
class NotInSet extends Error {}
