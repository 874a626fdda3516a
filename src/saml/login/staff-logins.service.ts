import { Injectable } from '@nestjs/common';
import { type StaffEntry, StaffAccounts } from '../../account/staff/staff-accounts.service.js';
import { Clock } from '../../clock/clock.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { MfaProperties } from '../../second-factor/mfa.properties.js';
import { isDemanded } from '../../second-factor/policy.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { type OpenedSession, Sessions } from '../../session/sessions.service.js';
import type { AssertionFacts } from './assertion.js';
import { type Assurance, assuranceOf } from './assurance.js';
import { amrOfContext, requiresOtp, satisfies, type StatedContext, defaultContext } from './authn-context.js';
import type { Idp } from '../idp/idps.service.js';
import { IdpSessions } from '../logout/idp-sessions.service.js';
import { isRejection, type Rejection } from './rejection.js';
import type { PendingRequest } from './authn-request.store.js';
import { mapUser } from './mapped-user.js';

/** A verified assertion that has been marked as used. */
export interface VerifiedAssertion {
  readonly idp: Idp;
  readonly assertion: AssertionFacts;
  /** Undefined for a login that began at the identity provider. */
  readonly request: PendingRequest | undefined;
  /** The session whose cookie came with the response, as it does on the same site. */
  readonly currentSid: string | undefined;
}

/** A session, full or half-authenticated. */
export interface StaffLogin {
  readonly opened: OpenedSession;
  /** Set if a code of this service is required; states whether an authenticator must be set up first. */
  readonly local?: { readonly isEnrolment: boolean };
}

/** Turns a verified assertion into a session: account, assurance, session (authentication.md 2.10). */
@Injectable()
export class StaffLogins {
  constructor(
    private readonly work: UnitOfWork,
    private readonly accounts: StaffAccounts,
    private readonly sessions: Sessions,
    private readonly idpSessions: IdpSessions,
    private readonly events: SecurityEvents,
    private readonly policy: MfaProperties,
    private readonly clock: Clock,
  ) {}

  /** All of it is kept, or nothing. @throws StaffRefusal where the person may not enter */
  complete(verified: VerifiedAssertion): Promise<StaffLogin> {
    const { idp, assertion, request, currentSid } = verified;
    const person = mapUser(assertion, idp.properties);
    if (isRejection(person)) throw new LoginRejected(person);
    return this.work.run(async (tx) => {
      const { issuer } = assertion;
      const entry = await this.accounts.enter(tx, { ...person, issuer, idp: idp.name }, idp.properties.accountCreate);
      if (!entry) throw new LoginRejected('user_unknown');
      const { id: subject, status } = entry.account;
      if (status !== 'active') throw new LoginRejected('user_disabled', subject);
      if (request?.subject !== undefined && request.subject !== subject) throw new LoginRejected('other_user', subject);
      const assurance = this.assuranceOf(verified, entry);
      if (assurance.kind === 'refused') throw new LoginRejected(assurance.rejection, subject);
      if (entry.hasLostRoles) await this.sessions.endAll(tx, subject);
      for (const sid of [request?.sid, currentSid]) if (sid !== undefined) await this.sessions.end(tx, sid);
      return this.open(tx, verified, entry, assurance);
    });
  }

  private assuranceOf({ idp, assertion, request }: VerifiedAssertion, { account }: StaffEntry): Assurance {
    const { properties } = idp;
    const stated = statedContext(assertion, properties.authnContextAttribute);
    const asked = request?.requested ?? { ...defaultContext(properties), isAcr: false, isForced: false };
    return assuranceOf({
      amr: amrOfContext(stated, properties),
      isSatisfied: satisfies(stated, asked, properties),
      isOtpRequired: requiresOtp(asked, properties),
      isAcrRequested: asked.isAcr,
      isMfaRequired: isDemanded(account, this.policy),
      onMissingMfa: properties.onMissingMfa,
      reportOnly: properties.reportOnly,
    });
  }

  private async open(
    tx: Tx,
    verified: VerifiedAssertion,
    { account }: StaffEntry,
    assurance: Exclude<Assurance, { kind: 'refused' }>,
  ): Promise<StaffLogin> {
    const { assertion } = verified;
    const { name: idp } = verified.idp;
    const { id: subject, securityStamp, totpId } = account;
    const { sessionNotOnOrAfter, authnContextClassRef: authnContext } = assertion.authnStatement;
    const authTime = provenAuthTime(verified, this.clock.seconds());
    const facts = {
      subject,
      idp,
      ...(authTime !== undefined && { authTime }),
      ...(authnContext !== undefined && { authnContext }),
      ...(sessionNotOnOrAfter !== undefined && { endsAt: Math.floor(sessionNotOnOrAfter / 1000) }),
      idpSession: await this.idpSessions.record(tx, idp, assertion),
    };
    const amr = assurance.kind === 'full' ? assurance.amr : undefined;
    const reasons = [...(amr ? [] : ['local']), ...(assurance.wouldDeny ? ['would_deny'] : [])];
    await this.events.record(tx, {
      kind: 'SAML_OK',
      subject,
      idp,
      ...(authnContext !== undefined && { authnContext }),
      ...(amr && { amr }),
      ...(reasons.length > 0 && { reason: reasons.join(' ') }),
    });
    if (!amr) {
      const opened = await this.sessions.openHalf(tx, { ...facts, securityStamp });
      return { opened, local: { isEnrolment: totpId === undefined } };
    }
    const mfaAt = authTime === undefined ? {} : { mfaAt: authTime };
    const proof = amr.includes('otp') ? { ...mfaAt, mfaMethod: 'idp' } : {};
    return { opened: await this.sessions.open(tx, { ...facts, ...proof, kind: 'staff', amr }) };
  }
}

/** Rolls back the transaction of a login that is rejected. */
export class LoginRejected extends Error {
  constructor(
    readonly rejection: Rejection,
    readonly subject?: string,
  ) {
    super(rejection);
    this.name = 'StaffRefusal';
  }
}

/**
 * When the user authenticated, in epoch seconds; undefined if it is not proven. Some identity providers set AuthnInstant
 * to the time of the response, also for a session that began hours ago. So it is the time of authentication only if the
 * request required a new one (ForceAuthn), or if the operator states so for this identity provider.
 */
function provenAuthTime({ idp, assertion, request }: VerifiedAssertion, now: number): number | undefined {
  const isProven = request?.requested.isForced === true || idp.properties.authnInstant === 'time-of-authentication';
  // A clock that is ahead, within the skew, must not yield a time in the future.
  return isProven ? Math.min(Math.floor(assertion.authnStatement.authnInstant / 1000), now) : undefined;
}

function statedContext({ authnStatement, attributes }: AssertionFacts, attribute: string | undefined): StatedContext {
  const { authnContextClassRef: classRef } = authnStatement;
  return { classRef, attributeValues: attribute === undefined ? [] : (attributes.get(attribute) ?? []) };
}
