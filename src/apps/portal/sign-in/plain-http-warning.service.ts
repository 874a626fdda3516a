import { Injectable } from '@nestjs/common';
import { AuthCookies, isPlainHttp } from '../../../signin/auth/cookies.js';
import { SIGN_IN_PAGE } from '../../../signin/auth/page-paths.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PagePart, pageView } from '../../../signin/messages/page.js';
import { PublicUrlProperties } from '../../../platform/http/server.properties.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';

const SECONDS_BETWEEN_LINES = 3600;

/** Detects browsers that cannot sign in because they drop Secure cookies over http, and logs a warning. */
@Injectable()
export class PlainHttpWarning {
  private readonly log: Logger;
  private quietUntil = 0;

  constructor(
    private readonly cookies: AuthCookies,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrlProperties,
    loggers: Loggers,
  ) {
    this.log = loggers.get('auth');
  }

  /** True if the browser of this request drops our cookies; logs a warning at most once an hour. */
  isCookieLost(request: HttpRequest): boolean {
    if (!this.cookies.areSecure || !isPlainHttp(request)) return false;
    const now = this.clock.seconds();
    if (now >= this.quietUntil) {
      this.quietUntil = now + SECONDS_BETWEEN_LINES;
      const message =
        'The sign-in page was opened over http: browsers drop Secure cookies there, so sign-in cannot work';
      this.log.warn(message, { host: request.host });
    }
    return true;
  }

  /** Alert that the address needs https; links to the public URL if that has https. */
  alert(): PagePart {
    const { publicUrl } = this.publicUrl;
    const address = publicUrl?.startsWith('https:') === true ? `${publicUrl}${SIGN_IN_PAGE}` : undefined;
    return ({ t }) => {
      const { what, openLink, openWithHttps } = t.signIn.plainHttp;
      const way = address === undefined ? openWithHttps : html`${openLink} <a href="${address}">${address}</a>`;
      return html`<div class="note bad" role="alert">
<p>${what}</p>
<p>${way}</p>
</div>
`;
    };
  }

  /** Page for a form that arrived without its cookie over http; `problem` holds the code and request id for support. */
  page(problem: PagePart): View {
    const alert = this.alert();
    return pageView((context) => ({
      title: context.t.signIn.plainHttp.title,
      body: html`${alert(context)}${problem(context)}`,
    }));
  }
}
