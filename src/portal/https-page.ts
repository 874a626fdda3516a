import { SIGN_IN_PAGE } from '../auth/page-paths.js';
import { type Html, html } from '../encoding/html.js';
import { htmlPage } from '../http/page.js';

/** Alert that the address needs https; links to `publicUrl` if that has https. */
export function httpsAlert(publicUrl: string | undefined): Html {
  const address = publicUrl?.startsWith('https:') === true ? `${publicUrl}${SIGN_IN_PAGE}` : undefined;
  const way = address === undefined ? 'Open it with https:// in front' : html`Open <a href="${address}">${address}</a>`;
  return html`<div role="alert">
<p>This address needs https. Your browser does not keep the cookies of this page over http, so you cannot sign in here.</p>
<p>${way} and try again.</p>
</div>
`;
}

/** Page for a form that arrived without its cookie over http; `problem` holds the code and request id for support. */
export function httpsPage(problem: Html, publicUrl: string | undefined): string {
  return htmlPage('Sign-in problem', html`${httpsAlert(publicUrl)}${problem}`);
}
