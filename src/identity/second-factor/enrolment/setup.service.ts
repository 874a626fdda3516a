import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { NO_SECRET } from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import type { SetupRequest } from '../factor-state.js';
import { Authenticators, PENDING_SECONDS } from './authenticators.service.js';
import { PendingSecrets, type ShownSecret } from './pending-secrets.service.js';

/** A pending secret with its backup codes, which are shown in this response only; a further app has none of its own. */
export interface Setup extends ShownSecret {
  readonly backupCodes?: readonly string[];
}

/** Creates pending secrets with their backup codes. */
@Injectable()
export class SecondFactorSetup {
  constructor(
    private readonly work: UnitOfWork,
    private readonly authenticators: Authenticators,
    private readonly pendingSecrets: PendingSecrets,
    private readonly budget: AttemptBudget,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Creates a pending secret with its codes in place of an earlier one; the active secret stays valid until the new one is
   * confirmed. The caller of this method has verified that the login is recent enough.
   */
  async begin(caller: SetupRequest): Promise<Setup> {
    const { subject } = caller;
    const enrolled = await this.work.run(async (tx) => {
      const proposed = await this.authenticators.propose(tx, caller);
      if (proposed) await this.events.record(tx, { kind: 'MFA_SETUP', subject });
      return proposed;
    });
    if (!enrolled) throw await this.budget.rejectionError(caller, undefined, NO_SECRET);
    const { key, backupCodes } = enrolled;
    return {
      ...(await this.pendingSecrets.showKey(caller, key, PENDING_SECONDS)),
      ...withoutUndefined({ backupCodes }),
    };
  }

  /**
   * Shows the caller's pending secret with new codes, since only hashes of the earlier ones are stored; undefined if the
   * caller has no pending secret that it asked for in the same way, or may not act any more.
   */
  async resume(caller: SetupRequest): Promise<Setup | undefined> {
    const { subject } = caller;
    const pending = await this.pendingSecrets.find(caller);
    if (pending?.change !== (caller.change ?? 'first') || pending.name !== caller.name) return undefined;
    const shown = await this.pendingSecrets.show(caller, pending);
    if (pending.change === 'add') return shown;
    const backupCodes = await this.work.run(async (tx) => {
      const codes = await this.authenticators.renewCodes(tx, caller, pending.id);
      if (codes) await this.events.record(tx, { kind: 'MFA_SETUP', subject, reason: 'new_codes' });
      return codes;
    });
    return backupCodes && { ...shown, backupCodes };
  }
}
