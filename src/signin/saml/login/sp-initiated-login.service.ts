import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import type { Idp } from '../idp/idps.service.js';
import { ServiceProviders } from '../sp/service-providers.service.js';
import { requestedContext } from './response/authn-context.js';
import { type RequestCookie, AuthnRequests } from './authn-requests.service.js';
import { type OutgoingMessage, buildAuthnRequest, validationRules } from './response/saml-messages.js';

/** The cookies of a browser that a login reads. */
export interface SsoCookies {
  /** Values of the cookie `saml_request`: another service may have set one of the same name. */
  readonly samlRequests: readonly string[];
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

/** Sends browsers to an identity provider with an AuthnRequest (SAML profiles 4.1.3). */
@Injectable()
export class SpInitiatedLogin {
  constructor(
    private readonly requests: AuthnRequests,
    private readonly sessions: Sessions,
    private readonly sps: ServiceProviders,
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
    browser: SsoCookies,
    origin: Pick<HttpRequest, 'protocol' | 'host'>,
  ): Promise<AuthnRedirect> {
    const { properties } = idp;
    const requested = requestedContext(properties, acr);
    if (requested === 'not_offered') {
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
        requested: { ...requested, isAcr, isForced: forceAuthn },
        ...withoutUndefined({ subject: isStepUp ? before.subject : undefined, sid: before?.id }),
      },
      browser.samlRequests,
    );
    const parties = { trust, sp: this.sps.of(idp, origin), rules: validationRules(properties) };
    const { id, relayState } = request;
    return { to: await buildAuthnRequest(parties, { id, relayState, requested, forceAuthn }), cookie };
  }
}
