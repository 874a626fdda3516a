import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { setUser } from '../../../kernel/principal/request-context.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import type { Idp } from '../idp/idps.service.js';
import type { PendingRequest } from './authn-request.store.js';
import { type RequestCookie, AuthnRequests } from './authn-requests.service.js';
import { isRejection, type SamlRejection } from './rejection.js';
import { Rejections } from './rejections.service.js';
import { type PostedResponse, SamlResponses } from './response/saml-responses.service.js';
import type { SsoCookies } from './sp-initiated-login.service.js';
import { LoginRejection } from './rejection.js';
import { StaffLogins } from './staff-logins.service.js';
import type { StaffLogin, VerifiedAssertion } from './staff-sessions.service.js';

/** A response as it was posted. */
interface ResponseForm {
  readonly response: string;
  readonly relayState: string | undefined;
}

/** The session that a valid response opened, and what to send to the browser beside it. */
export interface SsoResult extends StaffLogin {
  /** The page to return to; undefined for a login that began at the identity provider. */
  readonly returnTo: string | undefined;
  /** The remaining value of the cookie `saml_request`; undefined if nothing remains. */
  readonly cookie: RequestCookie | undefined;
}

/** Turns the response that an identity provider had a browser post into a session (SAML profiles 4.1.4). */
@Injectable()
export class AssertionConsumer {
  constructor(
    private readonly responses: SamlResponses,
    private readonly requests: AuthnRequests,
    private readonly sessions: Sessions,
    private readonly logins: StaffLogins,
    private readonly rejections: Rejections,
  ) {}

  /** @throws ServiceError `SAML_RESPONSE_INVALID`, `SAML_MFA_MISSING`, `SAML_USER_NOT_ALLOWED`; `UNAVAILABLE` */
  async consumeResponse(
    idp: Idp,
    form: ResponseForm,
    browser: SsoCookies,
    origin: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<SsoResult> {
    const posted = this.responses.read(form.response, idp);
    if (isRejection(posted)) return this.reject(idp, posted);
    const request = await this.findRequest(idp, posted, form.relayState, browser);
    if (isRejection(request)) return this.reject(idp, request);
    const assertion = await this.responses.verify(posted, idp, origin, request?.id);
    if (isRejection(assertion)) return this.reject(idp, assertion);
    const current = browser.session === undefined ? undefined : await this.sessions.findBySecret(browser.session);
    const replay = await this.requests.use(request, assertion, idp.properties);
    if (replay !== undefined) return this.reject(idp, replay);
    const login = await this.logIn({ idp, assertion, request, currentSid: current?.id });
    setUser(login.opened.session.subject);
    const cookie = this.requests.cookieWithout(request, browser.samlRequests);
    return { ...login, returnTo: request?.returnTo, cookie };
  }

  /** Counts and records a rejection; the caller learns only the public error code. @throws ServiceError always */
  reject({ name }: Idp, rejection: SamlRejection): Promise<never> {
    return this.rejections.rejectResponse(name, rejection);
  }

  /** The request that the response names; undefined for a login that began at the identity provider, if that is allowed. */
  private findRequest(
    { name, properties }: Idp,
    { facts: { inResponseTo } }: PostedResponse,
    relayState: string | undefined,
    { samlRequests }: SsoCookies,
  ): Promise<PendingRequest | SamlRejection | undefined> {
    if (inResponseTo === undefined && properties.idpInitiated) return Promise.resolve(undefined);
    return this.requests.findAnswered({ inResponseTo, relayState }, name, samlRequests);
  }

  private async logIn(verified: VerifiedAssertion): Promise<StaffLogin> {
    try {
      return await this.logins.complete(verified);
    } catch (error) {
      if (!(error instanceof LoginRejection)) throw error;
      const { authnContextClassRef: authnContext } = verified.assertion.authnStatement;
      const user = withoutUndefined({ subject: error.subject, authnContext });
      return this.rejections.rejectResponse(verified.idp.name, error.rejection, user);
    }
  }
}
