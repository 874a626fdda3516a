import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import { setUser } from '../../principal/request-context.js';
import type { HttpRequest } from '../../web/http-request.js';
import { Sessions } from '../../session/sessions.service.js';
import { requestedContext } from './authn-context.js';
import type { Idp } from '../idp/idps.service.js';
import { isRejection, type Rejection } from './rejection.js';
import { type OutgoingMessage, buildAuthnRequest } from './saml-messages.js';
import { SamlMeters } from '../saml-meters.js';
import { type RejectedUser, RejectionAudit } from './rejection-audit.service.js';
import type { PendingRequest } from './authn-request.store.js';
import { type RequestCookie, AuthnRequests } from './authn-requests.service.js';
import { validationRules, type PostedResponse, SamlResponses } from './saml-responses.service.js';
import { ServiceProviders } from '../sp/service-providers.service.js';
import { type StaffLogin, StaffLogins, LoginRejected, type VerifiedAssertion } from './staff-logins.service.js';
import { UsedAssertions } from './used-assertions.service.js';

/** The cookies of a browser that a login reads. */
export interface BrowserCookies {
  /** Cookie `saml_request`. */
  readonly samlRequest: string | undefined;
  /** Cookie `SESSION`. */
  readonly session: string | undefined;
}

/** What the caller wants of a login. */
interface SsoOptions {
  /** A path of this service. */
  readonly returnTo: string;
  readonly acr: string | undefined;
  /** Whether the user must authenticate again, even with a session at the identity provider. */
  readonly isForced: boolean;
}

/** Where to send a browser, and the cookie that binds the response to it. */
interface AuthnRedirect {
  readonly to: OutgoingMessage;
  readonly cookie: RequestCookie;
}

/** A login that an identity provider verified for. */
interface SsoResult extends StaffLogin {
  /** The page to return to; undefined for a login that began at the identity provider. */
  readonly returnTo: string | undefined;
  /** The remaining value of the cookie `saml_request`; undefined if nothing remains. */
  readonly cookie: RequestCookie | undefined;
}

type RequestOrigin = Pick<HttpRequest, 'protocol' | 'host'>;

/** Web browser single sign-on (SAML profiles 4.1). */
@Injectable()
export class SamlLogins {
  constructor(
    private readonly requests: AuthnRequests,
    private readonly responses: SamlResponses,
    private readonly used: UsedAssertions,
    private readonly logins: StaffLogins,
    private readonly sps: ServiceProviders,
    private readonly sessions: Sessions,
    private readonly work: UnitOfWork,
    private readonly refusals: RejectionAudit,
    private readonly meters: SamlMeters,
  ) {}

  /**
   * Starts a login at an identity provider. With `acr` or `isForced`, the user must authenticate there again; if the browser
   * has a session here from the same provider, the same user must come back (step-up).
   *
   * @throws ServiceError `VALIDATION_FAILED` for an `acr` that is not offered; `UNAVAILABLE`
   */
  async startSso(
    idp: Idp,
    { returnTo, acr, isForced }: SsoOptions,
    browser: BrowserCookies,
    asker: RequestOrigin,
  ): Promise<AuthnRedirect> {
    const { properties } = idp;
    const asked = requestedContext(properties, acr);
    if (asked === 'not_offered') {
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'acr', code: 'format' }] });
    }
    const trust = idp.trust();
    const isAcr = acr !== undefined;
    const before = browser.session === undefined ? undefined : await this.sessions.findBySecret(browser.session);
    const isStepUp = (isAcr || isForced) && before?.halfSecurityStamp === undefined && before?.idp === idp.name;
    const forceAuthn = isAcr || isForced || properties.forceAuthn;
    const { request, cookie } = await this.requests.create(
      {
        idp: idp.name,
        returnTo,
        requested: { ...asked, isAcr, isForced: forceAuthn },
        ...(isStepUp && { subject: before.subject }),
        ...(before && { sid: before.id }),
      },
      browser.samlRequest,
    );
    const parties = { trust, sp: this.sps.of(idp, asker), rules: validationRules(properties) };
    const { id, relayState } = request;
    return { to: await buildAuthnRequest(parties, { id, relayState, asked, forceAuthn }), cookie };
  }

  /**
   * Consumes a response that an identity provider had the browser post.
   *
   * @throws ServiceError `SAML_RESPONSE_INVALID`, `SAML_MFA_MISSING`, `SAML_USER_NOT_ALLOWED`; `UNAVAILABLE`
   */
  async consumeResponse(
    idp: Idp,
    form: { readonly response: string; readonly relayState: string | undefined },
    browser: BrowserCookies,
    asker: RequestOrigin,
  ): Promise<SsoResult> {
    const posted = this.responses.read(form.response, idp);
    if (isRejection(posted)) return this.reject(idp, posted);
    const request = await this.findRequest(idp, posted, form.relayState, browser);
    if (isRejection(request)) return this.reject(idp, request);
    const assertion = await this.responses.verify(posted, idp, this.sps.of(idp, asker), request?.id);
    if (isRejection(assertion)) return this.reject(idp, assertion);
    const current = browser.session === undefined ? undefined : await this.sessions.findBySecret(browser.session);
    const verified = { idp, assertion, request, currentSid: current?.id };
    const spent = await this.consume(verified);
    if (spent !== undefined) return this.reject(idp, spent);
    const login = await this.complete(verified);
    this.meters.count(idp.name, login.local ? 'local' : 'success');
    setUser(login.opened.session.subject);
    const cookie = this.requests.cookieWithout(request, browser.samlRequest);
    return { ...login, returnTo: request?.returnTo, cookie };
  }

  /** The request that is answered, if this browser sent it; undefined for a login that began at the identity provider. */
  private async findRequest(
    idp: Idp,
    { facts: { inResponseTo } }: PostedResponse,
    relayState: string | undefined,
    { samlRequest }: BrowserCookies,
  ): Promise<PendingRequest | Rejection | undefined> {
    if (inResponseTo === undefined) return idp.properties.idpInitiated ? undefined : 'unsolicited';
    // Without a cookie no request can belong to this browser, so none is looked up.
    if (samlRequest === undefined) return 'other_browser';
    const request = await this.requests.find(inResponseTo, idp.name);
    if (!request) return 'in_response_to';
    if (!this.requests.belongsTo(request, samlRequest)) return 'other_browser';
    return request.relayState === relayState ? request : 'in_response_to';
  }

  /**
   * Marks request and assertion as used in a transaction of its own, before anything else happens. Of several responses at
   * once only one continues, and it stays used even if the login fails later.
   */
  private consume({ assertion, idp, request }: VerifiedAssertion): Promise<Rejection | undefined> {
    return this.work.run(async (tx) => {
      if (request && !(await this.requests.use(tx, request))) return 'request_used';
      return (await this.used.use(tx, assertion, idp.properties)) ? undefined : 'replay';
    });
  }

  private async complete(verified: VerifiedAssertion): Promise<StaffLogin> {
    try {
      return await this.logins.complete(verified);
    } catch (error) {
      if (!(error instanceof LoginRejected)) throw error;
      const { authnContextClassRef: authnContext } = verified.assertion.authnStatement;
      return this.reject(verified.idp, error.rejection, {
        ...(error.subject !== undefined && { subject: error.subject }),
        ...(authnContext !== undefined && { authnContext }),
      });
    }
  }

  /** Counts and records a rejection; the caller learns only the public error code. @throws ServiceError always */
  async reject({ name: idp }: Idp, rejection: Rejection, person?: RejectedUser): Promise<never> {
    this.meters.count(idp, rejection);
    await (person ? this.refusals.recordUser(idp, rejection, person) : this.refusals.recordMessage(idp, rejection));
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
