import type { Reply } from '../server/cookies.js';
import { forwardingPolicy, HTML, htmlPage } from '../server/page.js';
import { markup } from '../server/markup.js';
import type { OutgoingRequest } from './saml-library.js';

/** Path of the script below `/saml`. */
export const SCRIPT = 'forward.js';

/** Sends the form of the page, which a person may do by hand as well. */
export const FORWARDING_SCRIPT = `document.forms[0].submit();\n`;

/** Sends a browser on with a message: by 303, or by the page that is answered here. */
export function forward(reply: Reply, { url, form }: OutgoingRequest, contextPath: string): string {
  if (!form) {
    reply.seeOther(url);
    return '';
  }
  reply.setHeader('content-type', HTML);
  reply.setHeader('content-security-policy', forwardingPolicy(url));
  return forwardingPage({ url, form }, `${contextPath}/saml/${SCRIPT}`);
}

/** The page that posts a message to an identity provider by way of the browser (SAML bindings 3.5.4). */
function forwardingPage(to: Required<OutgoingRequest>, scriptPath: string): string {
  const fields = Object.entries(to.form).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`,
  );
  return htmlPage(
    'To the identity provider',
    markup`<form method="post" action="${to.url}">
${fields}<p><button type="submit">Continue</button></p>
</form>
<script src="${scriptPath}"></script>
`,
  );
}
