import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { AccountChanges } from '../../identity/account/account-changes.service.js';
import { Accounts } from '../../identity/account/accounts.service.js';
import type { Reason } from '../../kernel/errors/reason.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { withCommandContext } from '../../kernel/principal/command-context.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import {
  type Act,
  storableJustification,
  demandAdministrator,
  demandSubject,
  isSubject,
  validJustification,
} from './act.js';
import { ProtectedRoles } from './protected-roles.service.js';

/** The conditions under which a caller may perform an act. */
export interface ActRule {
  /** Name of the act in the event of its rejection. */
  readonly name: string;
  /** True if the help desk may perform the act, on accounts without a protected role. */
  readonly byHelpDesk?: boolean;
  readonly needsReason?: boolean;
  /**
   * True if the act cannot be on the caller's own account: a session alone must not weaken the protection of its
   * account.
   */
  readonly notOnOneself?: boolean;
}

/**
 * Reasons of rejections that are recorded, because they protect accounts and roles; other errors are mistakes of the
 * caller. The link of an invitation of an account with a password would let its holder into the account.
 */
const RECORDED = new Set<Reason>([
  'help desk',
  'protected account',
  'oneself',
  'last administrator',
  'not to be invited',
]);

/**
 * Admits the acts of administrators, the help desk and commands, and records the rejected ones with their actor. The
 * services pass their acts through here, so that a rejection is an event whether a command, the API or a page asked for
 * the act. `AuthorityGuard` records the requests of the help desk that reach no service.
 */
@Injectable()
export class AdminActs {
  constructor(
    private readonly accounts: Accounts,
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
    private readonly changes: AccountChanges,
    private readonly protectedRoles: ProtectedRoles,
  ) {}

  /**
   * Runs an act whose security events contain its justification. `subject` is undefined if the act is not on an
   * existing account. A rejection becomes an event of its own, since the transaction of the act was rolled back.
   * @throws ServiceError `ACCESS_DENIED`; `VALIDATION_FAILED` for the justification; `NOT_FOUND` for a text that is not
   * a subject; `CONFLICT` for the caller's own account
   */
  async perform<T>(rule: ActRule, subject: string | undefined, act: Act, work: () => Promise<T>): Promise<T> {
    try {
      const justification = admit(rule, subject, act);
      return await withCommandContext(justification, work);
    } catch (error) {
      const reason = error instanceof ServiceError ? error.facts.reason : undefined;
      if (reason !== undefined && RECORDED.has(reason)) await this.record(rule.name, subject, act, reason);
      throw error;
    }
  }

  /** Runs `work` in one transaction on the locked account. @throws ServiceError as `hold` does */
  inTransaction<T>(subject: string, act: Act, work: (tx: Tx, before: Account) => Promise<T>): Promise<T> {
    return this.work.run(async (tx) => work(tx, await this.hold(tx, subject, act)));
  }

  /**
   * Locks the account until the transaction ends, unless the caller may not act on it.
   * @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED` for an account that the help desk may not act on
   */
  hold(tx: Tx, subject: string, { authority }: Act): Promise<Account> {
    return this.changes.hold(tx, subject, authority === 'help desk' ? this.protectedRoles.names : []);
  }

  private async record(name: string, subject: string | undefined, act: Act, reason: Reason): Promise<void> {
    // Only the id of an account is stored: any other text in its place is input of the caller.
    const account = subject !== undefined && isSubject(subject) ? await this.accounts.find(subject) : undefined;
    await withCommandContext(storableJustification(act), () =>
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

function admit(
  { byHelpDesk = false, needsReason = false, notOnOneself = false }: ActRule,
  subject: string | undefined,
  act: Act,
): ReturnType<typeof validJustification> {
  if (!byHelpDesk) demandAdministrator(act);
  const justification = validJustification(act, needsReason);
  if (subject !== undefined) demandSubject(subject);
  if (notOnOneself && subject === act.actor) throw new ServiceError('CONFLICT', { reason: 'oneself' });
  return justification;
}
