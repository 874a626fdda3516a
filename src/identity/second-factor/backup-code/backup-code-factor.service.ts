import { Injectable } from '@nestjs/common';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { hasAuthenticator, NO_SECRET } from '../attempts/attempt.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Acceptance, ChargedAttempt, SecondFactor, Verdict } from '../second-factor.js';
import type { BackupCodeState } from '../factor-state.js';
import type { StoredFactors } from '../factor-state.js';
import type { NamedAuthenticators } from '../factor-state.js';
import type { NewAuthenticator } from '../factor-state.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { LOW } from './backup-code.js';
import { BackupCodes } from './backup-codes.service.js';

const WRONG_BACKUP_CODE = { kind: 'failed', event: 'MFA_FAILED', reason: 'wrong_backup_code' } as const;

/** Backup codes, for a user without the other authenticators; each is accepted once. */
@Injectable()
export class BackupCodeFactor implements SecondFactor<'backup_code'> {
  readonly id = 'backup_code';
  readonly failures = [WRONG_BACKUP_CODE.reason];

  constructor(
    private readonly store: SecondFactorStore,
    private readonly codes: BackupCodes,
    private readonly events: SecurityEvents,
  ) {}

  verify({ target, state }: ChargedAttempt<'backup_code'>): Verdict<'backup_code'> {
    const { backupSetId } = state;
    // A backup code proves no pending secret.
    if (target.kind === 'pending' || !hasAuthenticator(state)) return { kind: 'refunded', rejection: NO_SECRET };
    return backupSetId === undefined ? WRONG_BACKUP_CODE : { kind: 'acceptable', match: backupSetId };
  }

  async accept(tx: Tx, { caller, state, response }: ChargedAttempt<'backup_code'>, setId: string): Promise<Acceptance> {
    const { subject } = caller;
    // The row of the account first, so that it is locked before the rows of the codes.
    const [isAccepted, isConsumed, remaining] = await Promise.all([
      this.store.acceptSet(tx, caller, state, setId),
      this.codes.consume(tx, subject, setId, response),
      this.codes.remaining(tx, subject, setId),
    ]);
    if (!isAccepted) return { kind: 'lost' };
    if (!isConsumed) return WRONG_BACKUP_CODE;
    const isLow = remaining <= LOW;
    const used = { kind: 'BACKUP_USED', subject, detail: { remaining: String(remaining) } } as const;
    await this.events.record(tx, used, ...(isLow ? [{ kind: 'BACKUP_LOW', subject } as const] : []));
    const { roles } = state;
    return { kind: 'verified', response: { method: 'backup_code', amr: 'otp', remaining, isLow, roles } };
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

  state({ totpSince, passkeySince, backupCodesAt, remaining }: StoredFactors): BackupCodeState {
    const isLow = (totpSince !== null || passkeySince !== null) && remaining <= LOW;
    return { remaining, isLow, ...withoutUndefined({ generatedAt: backupCodesAt ?? undefined }) };
  }
}
