import { Injectable } from '@nestjs/common';
import { Accounts } from '../account/accounts.service.js';
import { ServiceError } from '../errors/service-error.js';
import type { Reason } from '../errors/reason.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { withStated } from '../principal/command-context.js';
import { type Act, acceptableStated, isSubject } from './act.js';

/** Refusals that protect accounts and roles; other errors are mistakes of the caller. */
const RECORDED = new Set<Reason>(['help desk', 'protected account', 'oneself', 'last administrator']);

/** Records administrative acts that were refused, with their actor. */
@Injectable()
export class RefusedActs {
  constructor(
    private readonly accounts: Accounts,
    private readonly events: SecurityEvents,
  ) {}

  /** Runs an act; its refusal becomes a security event of its own, since its transaction was rolled back. */
  async watch<T>(name: string, subject: string, act: Act, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const reason = error instanceof ServiceError ? error.facts.reason : undefined;
      if (reason !== undefined && RECORDED.has(reason)) await this.record(name, subject, act, reason);
      throw error;
    }
  }

  private async record(name: string, subject: string, act: Act, reason: Reason): Promise<void> {
    // Only the id of an account is stored: any other text in its place is input of the caller.
    const account = isSubject(subject) ? await this.accounts.find(subject) : undefined;
    await withStated(acceptableStated(act), () =>
      this.events.recordAlone({
        kind: 'ADMIN_ACT_REFUSED',
        ...(account && { subject: account.id }),
        actor: act.actor,
        result: 'refused',
        reason,
        detail: { act: name },
      }),
    );
  }
}
