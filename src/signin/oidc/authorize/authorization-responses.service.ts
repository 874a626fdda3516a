import { Injectable } from '@nestjs/common';
import { Issuer } from '../../../identity/token/signed-token.js';
import { html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { pageView } from '../../messages/page.js';
import { redirectOrPost } from '../../saml/login/forwarding-page.js';
import type { OAuthError } from '../oauth-error.js';
import { withQuery } from './with-query.js';
import type { ResponseTarget } from './authorization-request.js';

/** Sends authorization responses to applications (RFC 6749 section 4.1.2, OAuth 2.0 Form Post Response Mode, RFC 9207). */
@Injectable()
export class AuthorizationResponses {
  private readonly contextPath: string;

  constructor(
    private readonly issuer: Issuer,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** Redirects the browser, or returns the page whose form carries the response. */
  send(
    { redirectUri, responseMode, state }: ResponseTarget,
    members: Readonly<Record<string, string>>,
    reply: Reply,
  ): View | '' {
    const form = { ...members, ...(state !== undefined && { state }), iss: this.issuer.url };
    if (responseMode === 'form_post') return redirectOrPost(reply, { url: redirectUri, form }, this.contextPath);
    reply.seeOther(withQuery(redirectUri, form));
    return '';
  }

  /** The error page for a request that names no application to respond to. */
  page({ description }: OAuthError): View {
    return pageView(({ t }) => ({
      title: t.application.badRequest,
      body: html`<p>${t.application.badRequestText}</p>
<p class="quiet small"><code>${description}</code></p>
`,
    }));
  }
}
