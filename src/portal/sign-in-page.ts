import { SIGN_IN_PAGE, withReturnTo } from '../auth/page-paths.js';
import { LONGEST_LOGIN_ID } from '../account/login-id.js';
import { type Html, html } from '../encoding/html.js';
import { htmlPage } from '../http/page.js';
import { button, form, type FormFields, hidden } from './forms.js';

/** An identity provider to choose. */
export interface IdpLink {
  readonly name: string;
  readonly displayName: string;
}

/** Content of the sign-in page. */
export interface SignInFields extends FormFields {
  readonly contextPath: string;
  readonly idps: readonly IdpLink[];
  /** The username that was entered before. */
  readonly id?: string;
  /** Present if a signed-in user signs in again. */
  readonly again?: string;
  readonly alert?: Html;
  /** The password is temporary: the form asks for a new one as well. */
  readonly isChange?: boolean;
}

const newPassword = html`<p><label for="new_pw">New password</label><br>
<input id="new_pw" name="new_pw" type="password" autocomplete="new-password" required></p>
`;

/** `GET /portal/login`: by username and password, or at an identity provider. */
export function signInPage({
  contextPath,
  idps,
  id = '',
  again,
  alert,
  isChange = false,
  ...facts
}: SignInFields): string {
  const fields = html`${again === undefined ? undefined : hidden('again', again)}<p><label for="id">Username</label><br>
<input id="id" name="id" value="${id}" maxlength="${LONGEST_LOGIN_ID}" autocomplete="username" autocapitalize="none" \
spellcheck="false" required></p>
<p><label for="pw">${isChange ? 'Temporary password' : 'Password'}</label><br>
<input id="pw" name="pw" type="password" autocomplete="current-password" required></p>
${isChange ? newPassword : undefined}${button('Sign in')}`;
  const links = idps.map(
    ({ name, displayName }) =>
      html`<li><a href="${idpPath(contextPath, name, facts.returnTo)}">${displayName}</a></li>
`,
  );
  const staff = html`<section aria-labelledby="staff">
<h2 id="staff">Staff</h2>
<ul>
${links}</ul>
</section>
`;
  return htmlPage('Sign in', html`${alert}${form(facts, fields)}${links.length > 0 ? staff : undefined}`);
}

/** Path of the sign-in page for a signed-in user, which finally redirects to `returnTo`. */
export function signInAgainPath(contextPath: string, returnTo: string): string {
  return `${withReturnTo(contextPath + SIGN_IN_PAGE, returnTo)}&again=true`;
}

/** Path of a forced login at an identity provider, which finally redirects to `returnTo`. */
export function forcedLoginPath(contextPath: string, name: string, returnTo: string): string {
  return `${idpPath(contextPath, name, returnTo)}&prompt=login`;
}

function idpPath(contextPath: string, name: string, returnTo: string): string {
  return withReturnTo(`${contextPath}/saml/${encodeURIComponent(name)}/login`, returnTo);
}
