import { Injectable } from '@nestjs/common';
import type { StaffEntry } from '../../../identity/account/staff/staff-accounts.service.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import type { Idp } from '../idp/idps.service.js';
import type { AssertionFacts } from './response/assertion.js';
import {
  amrOfContext,
  type Assurance,
  assuranceOf,
  defaultContext,
  requiresOtp,
  satisfies,
  type AssertedContext,
} from './response/authn-context.js';
import { LoginRejection } from './rejection.js';
import type { PendingRequest } from './authn-request.store.js';
import { IdpSessionStore } from './idp-session.store.js';
import { missingAttributes } from './response/mapped-user.js';

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
  /** Set if a second factor of this service is required; states whether an authenticator must be set up first. */
  readonly local?: { readonly isEnrolment: boolean };
}

/** Opens the session of a staff login if its assertion proves enough, in the transaction of that login. */
@Injectable()
export class StaffSessions {
  constructor(
    private readonly sessions: Sessions,
    private readonly idpSessions: IdpSessionStore,
    private readonly events: SecurityEvents,
    private readonly policy: MfaPolicy,
    private readonly clock: Clock,
  ) {}

  /** @throws LoginRejection */
  async open(tx: Tx, verified: VerifiedAssertion, entry: StaffEntry): Promise<StaffLogin> {
    const { account } = entry;
    const assurance = this.assuranceOf(verified, entry);
    if (assurance.kind === 'rejected') throw new LoginRejection(assurance.rejection, account.id);
    // A gained role may demand a second factor that the sessions before have not proved.
    if (entry.hasOtherRoles) await this.sessions.endAll(tx, account.id);
    const { assertion } = verified;
    const { name: idp } = verified.idp;
    const { id: subject, securityStamp } = account;
    const { sessionNotOnOrAfter, authnContextClassRef: authnContext } = assertion.authnStatement;
    const authTime = provenAuthTime(verified, this.clock.seconds());
    const endsAt = sessionNotOnOrAfter === undefined ? undefined : Math.floor(sessionNotOnOrAfter / 1000);
    const facts = {
      ...{ subject, idp, idpSession: await this.idpSessions.add(tx, idp, assertion) },
      ...withoutUndefined({ authTime, authnContext, endsAt }),
    };
    const amr = assurance.kind === 'full' ? assurance.amr : undefined;
    const missing = missingAttributes(assertion, verified.idp.properties).map(({ reason }) => reason);
    const reasons = [...(amr ? [] : ['local']), ...(assurance.wouldDeny ? ['would_deny'] : []), ...missing];
    const reason = reasons.length === 0 ? undefined : reasons.join(' ');
    await this.events.record(tx, {
      ...{ kind: 'SAML_OK', subject, idp },
      ...withoutUndefined({ authnContext, amr, reason }),
    });
    if (!amr) {
      const isEnrolment = this.policy.lacksFactor(account);
      const opened = await this.sessions.openHalf(tx, { ...facts, securityStamp, isEnrolment });
      await this.endPrevious(tx, verified, opened);
      return { opened, local: { isEnrolment } };
    }
    const proof = amr.includes('otp') ? withoutUndefined({ mfaAt: authTime, mfaMethod: 'idp' }) : {};
    const opened = await this.sessions.open(tx, { ...facts, ...proof, kind: 'staff', amr });
    await this.endPrevious(tx, verified, opened);
    return { opened };
  }

  /** Ends the sessions that the new one replaces. */
  private async endPrevious(
    tx: Tx,
    { request, currentSid }: Pick<VerifiedAssertion, 'request' | 'currentSid'>,
    { session }: OpenedSession,
  ): Promise<void> {
    for (const sid of [request?.sid, currentSid]) if (sid !== undefined) await this.sessions.replace(tx, sid, session);
  }

  private assuranceOf({ idp, assertion, request }: VerifiedAssertion, { account }: StaffEntry): Assurance {
    const { properties } = idp;
    const asserted = assertedContext(assertion, properties.authnContextAttribute);
    const requested = request?.requested ?? { ...defaultContext(properties), isAcr: false, isForced: false };
    return assuranceOf({
      amr: amrOfContext(asserted, properties),
      isSatisfied: satisfies(asserted, requested, properties),
      isOtpRequired: requiresOtp(requested, properties),
      isAcrRequested: requested.isAcr,
      isMfaRequired: this.policy.demands(account),
      isPasskeyRequired: this.policy.demandsPasskey(account),
      onMissingMfa: properties.onMissingMfa,
      reportOnly: properties.reportOnly,
    });
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

function assertedContext(
  { authnStatement, attributes }: AssertionFacts,
  attribute: string | undefined,
): AssertedContext {
  const { authnContextClassRef: classRef } = authnStatement;
  return { classRef, attributeValues: attribute === undefined ? [] : (attributes.get(attribute) ?? []) };
}
