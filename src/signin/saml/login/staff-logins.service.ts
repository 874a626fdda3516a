import { Injectable } from '@nestjs/common';
import { type StaffEntry, StaffAccounts } from '../../../identity/account/staff/staff-accounts.service.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { SamlMeters } from '../saml-meters.js';
import type { AssertionFacts } from './response/assertion.js';
import { type Assurance, assuranceOf } from './response/assurance.js';
import { amrOfContext, requiresOtp, satisfies, type StatedContext, defaultContext } from './response/authn-context.js';
import { mapUser } from './response/mapped-user.js';
import { MappingWarnings } from './mapping-warnings.service.js';
import { missingAttributes } from './response/missing-attributes.js';
import { isRejection, type Rejection } from './rejection.js';
import { type StaffLogin, StaffSessions, type VerifiedAssertion } from './staff-sessions.service.js';

/** Turns a verified assertion into a login: account, assurance, session (authentication.md 2.10). */
@Injectable()
export class StaffLogins {
  constructor(
    private readonly work: UnitOfWork,
    private readonly accounts: StaffAccounts,
    private readonly policy: MfaPolicy,
    private readonly sessions: StaffSessions,
    private readonly meters: SamlMeters,
    private readonly warnings: MappingWarnings,
  ) {}

  /** Completes the login in one transaction, and counts it. @throws LoginRejected if the user may not sign in */
  async complete(verified: VerifiedAssertion): Promise<StaffLogin> {
    const { idp, assertion, request } = verified;
    this.warnings.warn(idp.name, missingAttributes(assertion, idp.properties));
    const user = mapUser(assertion, idp.properties);
    if (isRejection(user)) throw new LoginRejected(user);
    const login = await this.work.run(async (tx) => {
      const { issuer } = assertion;
      const entry = await this.accounts.enter(tx, { ...user, issuer, idp: idp.name }, idp.properties.accountCreate);
      if (!entry) throw new LoginRejected('user_unknown');
      const { id: subject, status } = entry.account;
      if (status !== 'active') throw new LoginRejected('user_disabled', subject);
      if (request?.subject !== undefined && request.subject !== subject) throw new LoginRejected('other_user', subject);
      const assurance = this.assuranceOf(verified, entry);
      if (assurance.kind === 'refused') throw new LoginRejected(assurance.rejection, subject);
      await this.sessions.endPrevious(tx, verified, entry);
      return this.sessions.open(tx, verified, entry, assurance);
    });
    this.meters.count(idp.name, login.local ? 'local' : 'success');
    return login;
  }

  private assuranceOf({ idp, assertion, request }: VerifiedAssertion, { account }: StaffEntry): Assurance {
    const { properties } = idp;
    const stated = statedContext(assertion, properties.authnContextAttribute);
    const requested = request?.requested ?? { ...defaultContext(properties), isAcr: false, isForced: false };
    return assuranceOf({
      amr: amrOfContext(stated, properties),
      isSatisfied: satisfies(stated, requested, properties),
      isOtpRequired: requiresOtp(requested, properties),
      isAcrRequested: requested.isAcr,
      isMfaRequired: this.policy.demands(account),
      isPasskeyRequired: this.policy.demandsPasskey(account),
      onMissingMfa: properties.onMissingMfa,
      reportOnly: properties.reportOnly,
    });
  }
}

/** Rolls back the transaction of a login that is rejected. */
export class LoginRejected extends Error {
  constructor(
    readonly rejection: Rejection,
    readonly subject?: string,
  ) {
    super(rejection);
    this.name = 'LoginRejected';
  }
}

function statedContext({ authnStatement, attributes }: AssertionFacts, attribute: string | undefined): StatedContext {
  const { authnContextClassRef: classRef } = authnStatement;
  return { classRef, attributeValues: attribute === undefined ? [] : (attributes.get(attribute) ?? []) };
}
