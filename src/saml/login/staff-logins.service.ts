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
import { amrOfContext, asksForOtp, satisfies, type StatedContext, usualContext } from './authn-context.js';
import type { Idp } from '../idp/idps.service.js';
import { IdpSessions } from '../logout/idp-sessions.service.js';
import { isRejection, type Rejection } from './rejection.js';
import { type PendingLogin } from './authn-requests.service.js';
import { personOf } from './mapped-user.js';

/** An identity provider's word, verified and used up. */
export interface Vouched {
  readonly idp: Idp;
  readonly assertion: AssertionFacts;
  /** Undefined where nobody asked. */
  readonly pending: PendingLogin | undefined;
  /** The session whose cookie came along with the answer, as it does from the same site. */
  readonly broughtSid: string | undefined;
}

/** A session, full or with the second factor still open. */
export interface StaffLogin {
  readonly opened: OpenedSession;
  /** Set where a code is due here: whether it has to be set up first. */
  readonly local?: { readonly isEnrolment: boolean };
}

/** What follows a verified assertion: the account, what the login is worth, and the session (authentication.md 2.10). */
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
  complete(vouched: Vouched): Promise<StaffLogin> {
    const { idp, assertion, pending, broughtSid } = vouched;
    const person = personOf(assertion, idp.properties);
    if (isRejection(person)) throw new StaffRefusal(person);
    return this.work.run(async (tx) => {
      const { issuer } = assertion;
      const entry = await this.accounts.enter(tx, { ...person, issuer, idp: idp.name }, idp.properties.accountCreate);
      if (!entry) throw new StaffRefusal('user_unknown');
      const { id: subject, status } = entry.account;
      if (status !== 'active') throw new StaffRefusal('user_disabled', subject);
      if (pending?.subject !== undefined && pending.subject !== subject) throw new StaffRefusal('other_user', subject);
      const assurance = this.assuranceOf(vouched, entry);
      if (assurance.kind === 'refused') throw new StaffRefusal(assurance.rejection, subject);
      if (entry.hasLostRoles) await this.sessions.endAll(tx, subject);
      for (const sid of [pending?.sid, broughtSid]) if (sid !== undefined) await this.sessions.end(tx, sid);
      return this.open(tx, vouched, entry, assurance);
    });
  }

  private assuranceOf({ idp, assertion, pending }: Vouched, { account }: StaffEntry): Assurance {
    const { properties } = idp;
    const stated = statedIn(assertion, properties.authnContextAttribute);
    const asked = pending?.asked ?? { ...usualContext(properties), isAcr: false, isForced: false };
    return assuranceOf({
      amr: amrOfContext(stated, properties),
      isSatisfied: satisfies(stated, asked, properties),
      isOtpAsked: asksForOtp(asked, properties),
      isAcrAsked: asked.isAcr,
      isDemanded: isDemanded(account, this.policy),
      onMissingMfa: properties.onMissingMfa,
      reportOnly: properties.reportOnly,
    });
  }

  private async open(
    tx: Tx,
    vouched: Vouched,
    { account }: StaffEntry,
    assurance: Exclude<Assurance, { kind: 'refused' }>,
  ): Promise<StaffLogin> {
    const { assertion } = vouched;
    const { name: idp } = vouched.idp;
    const { id: subject, securityStamp, totpId } = account;
    const { sessionNotOnOrAfter, authnContextClassRef: authnContext } = assertion.authnStatement;
    const authTime = authTimeOf(vouched, this.clock.seconds());
    const facts = {
      subject,
      idp,
      ...(authTime !== undefined && { authTime }),
      ...(authnContext !== undefined && { authnContext }),
      ...(sessionNotOnOrAfter !== undefined && { endsAt: Math.floor(sessionNotOnOrAfter / 1000) }),
      idpSession: await this.idpSessions.note(tx, idp, assertion),
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

/** Takes back the transaction in which somebody turned out not to be let in. */
export class StaffRefusal extends Error {
  constructor(
    readonly rejection: Rejection,
    readonly subject?: string,
  ) {
    super(rejection);
    this.name = 'StaffRefusal';
  }
}

/**
 * When the user authenticated, in epoch seconds; undefined where it is not proven. Some identity providers set AuthnInstant
 * to the time of the response, also for a session that began hours ago. So it is the time of authentication only where the
 * request demanded a new one (ForceAuthn), or where the operator states it of this identity provider.
 */
function authTimeOf({ idp, assertion, pending }: Vouched, now: number): number | undefined {
  const isProven = pending?.asked.isForced === true || idp.properties.authnInstant === 'time-of-authentication';
  // A clock that is ahead, within the skew, counts as ours.
  return isProven ? Math.min(Math.floor(assertion.authnStatement.authnInstant / 1000), now) : undefined;
}

function statedIn({ authnStatement, attributes }: AssertionFacts, attribute: string | undefined): StatedContext {
  const { authnContextClassRef: classRef } = authnStatement;
  return { classRef, attributeValues: attribute === undefined ? [] : (attributes.get(attribute) ?? []) };
}
