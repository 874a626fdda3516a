import type { Reply } from '../../web/cookies.js';
import { forwardingPolicy, HTML, htmlPage, refreshTo } from '../../http/page.js';
import { html } from '../../encoding/html.js';
import type { OutgoingMessage } from './saml-messages.js';

/** Path of the script below `/saml`. */
export const SCRIPT = 'forward.js';

/** Sends the form of the page, which a person may do by hand as well. */
export const FORWARDING_SCRIPT = `document.forms[0].submit();\n`;

/** Sends a browser on with a message: by 303, or by the page that is answered here. */
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
 * Sends a browser on after a form of ours, always by a page. Browsers hold `form-action 'self'` of the page with the form
 * against redirects as well, so a 303 to an identity provider would be blocked.
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

/** The page that posts a message to an identity provider by way of the browser (SAML bindings 3.5.4). */
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
