import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import { setUser } from '../../principal/request-context.js';
import type { HttpRequest } from '../../web/http-request.js';
import { Sessions } from '../../session/sessions.service.js';
import { askedContext } from './authn-context.js';
import type { Idp } from '../idp/idps.service.js';
import { isRejection, type Rejection } from './rejection.js';
import { type OutgoingRequest, loginRequest } from './saml-strategy.js';
import { SamlMeters } from '../saml-meters.js';
import { type RefusedPerson, SamlRefusals } from './rejection-audit.service.js';
import { type BrowserMark, type PendingLogin, SamlRequests } from './authn-requests.service.js';
import { messageRules, type PostedResponse, SamlResponses } from './saml-responses.service.js';
import { ServiceProviders } from '../sp/service-providers.service.js';
import { type StaffLogin, StaffLogins, StaffRefusal, type Vouched } from './staff-logins.service.js';
import { UsedAssertions } from './used-assertions.service.js';

/** What a browser brings along. */
export interface Browser {
  /** Cookie `saml_request`. */
  readonly samlRequest: string | undefined;
  /** Cookie `SESSION`. */
  readonly session: string | undefined;
}

/** What a login is begun for. */
interface Wish {
  /** A path of our own. */
  readonly returnTo: string;
  readonly acr: string | undefined;
  /** Whether the user must authenticate again, whatever session there is at the identity provider. */
  readonly isForced: boolean;
}

/** Where to send a browser, and what it must bring back. */
interface Departure {
  readonly to: OutgoingRequest;
  readonly mark: BrowserMark;
}

/** A login that an identity provider vouched for. */
interface Arrival extends StaffLogin {
  /** Where the browser wanted to go; undefined where nobody asked. */
  readonly returnTo: string | undefined;
  /** What is left of the cookie `saml_request`; undefined for nothing. */
  readonly mark: BrowserMark | undefined;
}

type Asker = Pick<HttpRequest, 'protocol' | 'host'>;

/** A login by way of an identity provider: there and back (SAML profiles 4.1). */
@Injectable()
export class SamlLogins {
  constructor(
    private readonly requests: SamlRequests,
    private readonly responses: SamlResponses,
    private readonly used: UsedAssertions,
    private readonly logins: StaffLogins,
    private readonly sps: ServiceProviders,
    private readonly sessions: Sessions,
    private readonly work: UnitOfWork,
    private readonly refusals: SamlRefusals,
    private readonly meters: SamlMeters,
  ) {}

  /**
   * Sends a browser to an identity provider. With `acr` or `isForced` the session it has there is no proof, and where it
   * has one here of the same provider, the same person must come back (step-up).
   *
   * @throws ServiceError `VALIDATION_FAILED` for an `acr` that is not offered; `UNAVAILABLE`
   */
  async depart(idp: Idp, { returnTo, acr, isForced }: Wish, browser: Browser, asker: Asker): Promise<Departure> {
    const { properties } = idp;
    const asked = askedContext(properties, acr);
    if (asked === 'not_offered') {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'acr', code: 'format' }] });
    }
    const trust = idp.trust();
    const isAcr = acr !== undefined;
    const before = browser.session === undefined ? undefined : await this.sessions.findBySecret(browser.session);
    const isStepUp = (isAcr || isForced) && before?.halfSecurityStamp === undefined && before?.idp === idp.name;
    const forceAuthn = isAcr || isForced || properties.forceAuthn;
    const { pending, mark } = await this.requests.begin(
      {
        idp: idp.name,
        returnTo,
        asked: { ...asked, isAcr, isForced: forceAuthn },
        ...(isStepUp && { subject: before.subject }),
        ...(before && { sid: before.id }),
      },
      browser.samlRequest,
    );
    const parties = { trust, sp: this.sps.of(idp, asker), rules: messageRules(properties) };
    const { id, relayState } = pending;
    return { to: await loginRequest(parties, { id, relayState, asked, forceAuthn }), mark };
  }

  /**
   * Takes what an identity provider posted by way of a browser.
   *
   * @throws ServiceError `SAML_RESPONSE_INVALID`, `SAML_MFA_MISSING`, `SAML_USER_NOT_ALLOWED`; `UNAVAILABLE`
   */
  async arrive(
    idp: Idp,
    form: { readonly response: string; readonly relayState: string | undefined },
    browser: Browser,
    asker: Asker,
  ): Promise<Arrival> {
    const posted = this.responses.read(form.response, idp);
    if (isRejection(posted)) return this.refuse(idp, posted);
    const pending = await this.pendingOf(idp, posted, form.relayState, browser);
    if (isRejection(pending)) return this.refuse(idp, pending);
    const assertion = await this.responses.verify(posted, idp, this.sps.of(idp, asker), pending?.id);
    if (isRejection(assertion)) return this.refuse(idp, assertion);
    const brought = browser.session === undefined ? undefined : await this.sessions.findBySecret(browser.session);
    const vouched = { idp, assertion, pending, broughtSid: brought?.id };
    const spent = await this.spend(vouched);
    if (spent !== undefined) return this.refuse(idp, spent);
    const login = await this.completed(vouched);
    this.meters.count(idp.name, login.local ? 'local' : 'success');
    setUser(login.opened.session.subject);
    const mark = this.requests.without(pending, browser.samlRequest);
    return { ...login, returnTo: pending?.returnTo, mark };
  }

  /** What was asked, as far as this browser asked it; undefined for a login that begins at an identity provider. */
  private async pendingOf(
    idp: Idp,
    { facts: { inResponseTo } }: PostedResponse,
    relayState: string | undefined,
    { samlRequest }: Browser,
  ): Promise<PendingLogin | Rejection | undefined> {
    if (inResponseTo === undefined) return idp.properties.idpInitiated ? undefined : 'unsolicited';
    // Without a cookie there is nothing to be looked up for.
    if (samlRequest === undefined) return 'other_browser';
    const pending = await this.requests.find(inResponseTo, idp.name);
    if (!pending) return 'in_response_to';
    if (!this.requests.isOf(pending, samlRequest)) return 'other_browser';
    return pending.relayState === relayState ? pending : 'in_response_to';
  }

  /**
   * Uses up request and assertion before anything is made of them, and keeps that whatever follows: of answers at once one
   * goes on.
   */
  private spend({ assertion, idp, pending }: Vouched): Promise<Rejection | undefined> {
    return this.work.run(async (tx) => {
      if (pending && !(await this.requests.use(tx, pending))) return 'request_used';
      return (await this.used.use(tx, assertion, idp.properties)) ? undefined : 'replay';
    });
  }

  private async completed(vouched: Vouched): Promise<StaffLogin> {
    try {
      return await this.logins.complete(vouched);
    } catch (error) {
      if (!(error instanceof StaffRefusal)) throw error;
      const { authnContextClassRef: authnContext } = vouched.assertion.authnStatement;
      return this.refuse(vouched.idp, error.rejection, {
        ...(error.subject !== undefined && { subject: error.subject }),
        ...(authnContext !== undefined && { authnContext }),
      });
    }
  }

  /** Counts and records a refusal; the caller is told its public code alone. @throws ServiceError always */
  async refuse({ name: idp }: Idp, rejection: Rejection, person?: RefusedPerson): Promise<never> {
    this.meters.count(idp, rejection);
    await (person ? this.refusals.ofPerson(idp, rejection, person) : this.refusals.ofMessage(idp, rejection));
    throw new ServiceError(codeOf(rejection), { reason: rejection });
  }
}

function codeOf(rejection: Rejection): 'SAML_RESPONSE_INVALID' | 'SAML_MFA_MISSING' | 'SAML_USER_NOT_ALLOWED' {
  switch (rejection) {
    case 'mfa_missing':
      return 'SAML_MFA_MISSING';
    case 'user_unknown':
    case 'user_disabled':
    case 'other_user':
      return 'SAML_USER_NOT_ALLOWED';
    default:
      return 'SAML_RESPONSE_INVALID';
  }
}
