import { Injectable } from '@nestjs/common';
import { StaffAccounts } from '../../../identity/account/staff/staff-accounts.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { SamlMeters } from '../saml-meters.js';
import { mapUser, missingAttributes, profileGaps } from './response/mapped-user.js';
import { MappingWarnings } from './mapping-warnings.service.js';
import { isRejection, LoginRejection } from './rejection.js';
import { type StaffLogin, StaffSessions, type VerifiedAssertion } from './staff-sessions.service.js';

/** Turns a verified assertion into a login: account, assurance, session (authentication.md 2.10). */
@Injectable()
export class StaffLogins {
  constructor(
    private readonly work: UnitOfWork,
    private readonly accounts: StaffAccounts,
    private readonly sessions: StaffSessions,
    private readonly meters: SamlMeters,
    private readonly warnings: MappingWarnings,
  ) {}

  /** Completes the login in one transaction, and counts it. @throws LoginRejection if the user may not sign in */
  async complete(verified: VerifiedAssertion): Promise<StaffLogin> {
    const { idp, assertion, request } = verified;
    const { properties } = idp;
    this.warnings.warn(idp.name, [...missingAttributes(assertion, properties), ...profileGaps(assertion, properties)]);
    const user = mapUser(assertion, properties);
    if (isRejection(user)) throw new LoginRejection(user);
    const login = await this.work.run(async (tx) => {
      const { issuer } = assertion;
      const entry = await this.accounts.enter(tx, { ...user, issuer, idp: idp.name }, properties.accountCreate);
      if (!entry) throw new LoginRejection('user_unknown');
      const { id: subject, status } = entry.account;
      if (status !== 'active') throw new LoginRejection('user_disabled', subject);
      if (request?.subject !== undefined && request.subject !== subject)
        throw new LoginRejection('other_user', subject);
      const opened = await this.sessions.open(tx, verified, entry);
      if (!opened.local) await this.accounts.recordSignIn(tx, subject);
      return opened;
    });
    this.meters.count(idp.name, login.local ? 'local' : 'success');
    return login;
  }
}
