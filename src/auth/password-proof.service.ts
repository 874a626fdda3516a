import { Injectable } from '@nestjs/common';
import type { Account, PasswordVerdict } from '../account/account.js';
import { Accounts } from '../account/accounts.service.js';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { nameUser } from '../principal/request-facts.js';

/** Somebody's password, with what browsers send beside it. */
export interface Credentials {
  readonly id: string;
  readonly pw: string;
  /** Cookie of an earlier full login, so that guessing elsewhere does not slow this one down. */
  readonly device?: string | undefined;
}

/** Every place that takes a user's password: one refusal for all reasons, the exact one in the event. */
@Injectable()
export class PasswordProof {
  constructor(
    private readonly accounts: Accounts,
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws ServiceError `INVALID_CREDENTIALS`, `RATE_LIMITED`, `UNAVAILABLE` */
  async ofLogin({ id, pw, device }: Credentials): Promise<Account> {
    return this.accepted(await this.accounts.verifyPassword({ loginId: id, password: pw, device }));
  }

  /** For somebody who is signed in and is asked again in `field`; throws alike. */
  async ofSubject(subject: string, password: string, field: string): Promise<Account> {
    return this.accepted(await this.accounts.verifyPasswordOf(subject, password, field));
  }

  private async accepted(verdict: PasswordVerdict): Promise<Account> {
    const subject = verdict.kind === 'right' ? verdict.account.id : verdict.subject;
    if (subject !== undefined) nameUser(subject);
    if (verdict.kind === 'right') return verdict.account;
    const { reason } = verdict;
    const event = { kind: 'LOGIN_PASSWORD_FAILED', result: 'refused', reason } as const;
    await this.work.single((tx) => this.events.record(tx, { ...event, ...(subject !== undefined && { subject }) }));
    throw new ServiceError('INVALID_CREDENTIALS', { reason });
  }
}
