import { Injectable } from '@nestjs/common';
import { Accounts } from '../../identity/account/accounts.service.js';
import { Sessions } from '../../identity/session/sessions.service.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import type { Visitor } from '../oidc/authorize/sign-in-decision.js';
import type { Asked } from '../oidc/authorize/stored-request.js';
import { type ReturnAddress, type SignInRequest, SignInRequestStore } from './sign-in-request.store.js';

/** Sign-ins to applications that wait for their users. */
@Injectable()
export class SignInRequests {
  constructor(
    private readonly store: SignInRequestStore,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly work: UnitOfWork,
  ) {}

  /** Returns the parameter `request` of a new sign-in by the browser with that state. */
  begin(address: ReturnAddress, state: string): Promise<string> {
    return this.work.single((tx) => this.store.insert(tx, address, state));
  }

  find(value: string): Promise<SignInRequest | undefined> {
    return this.work.single((tx) => this.store.find(tx, value));
  }

  async markAsked(value: string, asked: Asked): Promise<void> {
    await this.work.single((tx) => this.store.markAsked(tx, value, asked));
  }

  /** The code with which the browser returns; undefined if it has one already, or the session has ended meanwhile. */
  grant(value: string, { principal, account }: Visitor): Promise<string | undefined> {
    return this.work.run(async (tx) => {
      const isHeld = await this.accounts.hold(tx, account.id);
      const parent = isHeld && (await this.sessions.hold(tx, principal.sid, account.id));
      return parent ? this.store.grant(tx, value, { parentId: parent.id, subject: account.id }) : undefined;
    });
  }
}
