import type { Reply } from '../../web/cookies.js';
import { forwardingPolicy, HTML, htmlPage, refreshTo } from '../../http/page.js';
import { html } from '../../encoding/html.js';
import type { OutgoingMessage } from './saml-messages.js';

/** Path of the script below `/saml`. */
export const SCRIPT = 'forward.js';

/** Submits the form of the page; without it, the user presses the button. */
export const FORWARDING_SCRIPT = `document.forms[0].submit();\n`;

/** Sends a browser to an identity provider with a message: by 303, or by the returned page, which submits a form. */
export function redirectOrPost(reply: Reply, { url, form }: OutgoingMessage, contextPath: string): string {
  if (!form) {
    reply.seeOther(url);
    return '';
  }
  reply.setHeader('content-type', HTML);
  reply.setHeader('content-security-policy', forwardingPolicy(url));
  return forwardingPage({ url, form }, `${contextPath}/saml/${SCRIPT}`);
}

/**
 * Sends a browser that submitted a form of this service to an identity provider, always by a page. Browsers apply
 * `form-action 'self'` of the page with the form to redirects as well, so they would block a 303.
 */
export function forwardByPage(reply: Reply, to: OutgoingMessage, contextPath: string): string {
  if (to.form) return redirectOrPost(reply, to, contextPath);
  return htmlPage(
    'Signing out',
    html`<p>You are signed out here. Continue to sign out at your organisation as well.</p>
<p><a href="${to.url}">Continue</a></p>
`,
    refreshTo(to.url),
  );
}

/** The page whose form carries a message to an identity provider (SAML bindings 3.5.4). */
function forwardingPage(to: Required<OutgoingMessage>, scriptPath: string): string {
  const fields = Object.entries(to.form).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
  );
  return htmlPage(
    'To the identity provider',
    html`<form method="post" action="${to.url}">
${fields}<p><button type="submit">Continue</button></p>
</form>
<script src="${scriptPath}"></script>
`,
  );
}
