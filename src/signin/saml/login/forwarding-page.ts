import { html } from '../../../kernel/encoding/html.js';
import { refreshTo } from '../../../platform/http/page/layout.js';
import type { View } from '../../../platform/http/page/view.js';
import { pageView } from '../../messages/page.js';
import type { Reply } from '../../../platform/web/cookies.js';
import type { OutgoingMessage } from './response/saml-messages.js';

/** Path of the script below `/saml`. */
export const SCRIPT = 'forward.js';

/** Submits the form of the page; without it, the user presses the button. */
export const FORWARDING_SCRIPT = `document.forms[0].submit();\n`;

/** Sends a browser to an identity provider with a message: by 303, or by the returned page, which submits a form. */
export function redirectOrPost(reply: Reply, { url, form }: OutgoingMessage, contextPath: string): View | '' {
  if (form) return forwardingPage({ url, form }, `${contextPath}/saml/${SCRIPT}`);
  reply.seeOther(url);
  return '';
}

/**
 * Sends a browser that submitted a form of this service to an identity provider, always by a page. Browsers apply
 * `form-action 'self'` of the page with the form to redirects as well, so they would block a 303.
 */
export function forwardByPage(reply: Reply, to: OutgoingMessage, contextPath: string): View | '' {
  if (to.form) return redirectOrPost(reply, to, contextPath);
  return pageView(({ t }) => ({
    title: t.signedOut.title,
    body: html`<p>${t.signedOut.what}</p>
<p class="actions"><a class="button primary" href="${to.url}">${t.common.continue}</a></p>
`,
    head: refreshTo(to.url),
  }));
}

/** The page whose form carries a message to an identity provider (SAML bindings 3.5.4). */
function forwardingPage(to: Required<OutgoingMessage>, scriptPath: string): View {
  const fields = Object.entries(to.form).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
  );
  return pageView(
    ({ t }) => ({
      title: t.signedOut.toIdp,
      body: html`<form method="post" action="${to.url}">
${fields}<button type="submit" class="primary">${t.common.continue}</button>
</form>
<script src="${scriptPath}"></script>
`,
    }),
    { formTarget: to.url },
  );
}
