import type { Client } from '../../../identity/client/client.js';
import { MAX_LOGIN_ID_LENGTH } from '../../../identity/account/login-id.js';
import { PASSKEY_SIGN_IN_PATH, SIGN_IN_PAGE, withReturnTo } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import {
  focus,
  form,
  type FormFields,
  hidden,
  note,
  paragraph,
  passwordField,
  submitButton,
  waitingNote,
} from '../form/forms.js';
import { passkeyButton } from '../form/passkey-button.js';

/** An identity provider to choose. */
interface IdpLink {
  readonly name: string;
  readonly displayName: string;
}

/** Content of the sign-in page. */
export interface SignInFields extends FormFields {
  readonly idps: readonly IdpLink[];
  /** The username that was entered before. */
  readonly id?: string;
  /** Set if a signed-in user signs in again. */
  readonly again?: string;
  readonly alert?: PagePart;
  /** True if the password is temporary, so that the form also asks for a new one. */
  readonly isChange?: boolean;
  /** Days for which the browser can stay signed in; absent if the user cannot choose that. */
  readonly keepDays?: number;
  /** True if the user has chosen to stay signed in, before an error. */
  readonly isKept?: boolean;
  /** Minimum length of a new password. */
  readonly minLength: number;
  /** Path of the page that mails a link to a user without a password; absent if no mail is sent. */
  readonly recovery?: string;
  /** True if a passkey signs in without username and password. */
  readonly hasPasskeys?: boolean;
  /** True after a rejected passkey, which the browser may suggest by itself again and again. */
  readonly isPasskeyRejected?: boolean;
  /** The application that the user signs in to. */
  readonly application?: Pick<Client, 'name' | 'logo'>;
  /** An unfinished sign-in of this browser, and the path of its second step. */
  readonly unfinished?: { readonly loginId: string; readonly path: string };
}

/** `GET /portal/login`: by username and password, or at an identity provider. */
export function signInPage(fields: SignInFields): View {
  const { alert, hasPasskeys = false, unfinished, application } = fields;
  const typed = withoutUndefined({ id: fields.id, change: fields.isChange === true ? 'true' : undefined });
  return pageView(
    (context) => {
      const { t } = context;
      const isChange = isChangeOf(context, fields);
      const continuing = unfinished && continuation(context, unfinished);
      return {
        title: isChange ? t.signIn.titleChange : t.signIn.title,
        body: html`${application && target(context, application)}${alert?.(context)}${continuing}${passwordForm(context, fields)}${links(context, fields)}${hasPasskeys ? passkeyForm(context, fields) : undefined}`,
      };
    },
    {
      passkeys: hasPasskeys,
      newPassword: fields.isChange === true,
      ...withoutUndefined({ imageOrigin: originOf(application?.logo) }),
      address: fields.address,
      typed,
    },
  );
}

/** Also true on the page that shows the error of the form again. */
function isChangeOf(
  { answer }: PageContext,
  { isChange = answer?.typed?.['change'] === 'true' }: SignInFields,
): boolean {
  return isChange;
}

/** The text beside the logo names the application as well, so that the logo is never the only name. */
function target({ t }: PageContext, { name, logo }: NonNullable<SignInFields['application']>): Html {
  const image =
    logo === undefined
      ? undefined
      : html`<p class="application"><img src="${logo}" alt="${name}"></p>
`;
  return html`${image}${paragraph(t.signIn.toApplication(name))}`;
}

/** The origin of a URL; undefined for a path. */
function originOf(logo: string | undefined): string | undefined {
  return logo === undefined ? undefined : URL.parse(logo)?.origin;
}

/** Hidden until the script finds that the browser knows passkeys. */
function passkeyForm(context: PageContext, fields: SignInFields): Html {
  const { again, isPasskeyRejected = false } = fields;
  const label = context.t.signIn.passkey;
  const ways = { isSignIn: true, isSuggested: !isPasskeyRejected };
  return form(
    { ...fields, action: context.contextPath + PASSKEY_SIGN_IN_PATH },
    html`${again === undefined ? undefined : hidden('again', again)}${passkeyButton(context, { label, ceremony: 'get', ...ways })}`,
  );
}

function passwordForm(context: PageContext, fields: SignInFields): Html {
  const { again, minLength, hasPasskeys = false } = fields;
  const id = fields.id ?? context.answer?.typed?.['id'] ?? '';
  const isChange = isChangeOf(context, fields);
  const { common, signIn } = context.t;
  const current = isChange ? signIn.temporaryPassword : common.password;
  const isFocused = fields.alert === undefined;
  return form(
    fields,
    html`${again === undefined ? undefined : hidden('again', again)}<div class="field"><label for="id">${common.username}</label>
<input id="id" name="id" value="${id}" maxlength="${MAX_LOGIN_ID_LENGTH}" autocomplete="${hasPasskeys ? 'username webauthn' : 'username'}" autocapitalize="none" \
autocorrect="off" spellcheck="false"${focus(isFocused && id === '')} required></div>
${passwordField(context, { id: 'pw', label: current, autocomplete: 'current-password', isFocused: isFocused && id !== '' })}${
      isChange
        ? passwordField(context, { id: 'new_pw', label: common.newPassword, autocomplete: 'new-password', minLength })
        : undefined
    }${keepBox(context, fields)}${submitButton(isChange ? signIn.submitChange : signIn.title)}${waitingNote(context)}`,
  );
}

function keepBox({ t }: PageContext, { keepDays, isKept = false }: SignInFields): Html | undefined {
  return keepDays === undefined
    ? undefined
    : html`<div class="field"><label class="check"><input type="checkbox" name="keep" value="true"${isKept ? html` checked` : undefined}> ${t.signIn.keep(keepDays)}</label></div>
`;
}

function links({ t, contextPath }: PageContext, { idps, returnTo, recovery }: SignInFields): Html {
  const forgot =
    recovery === undefined
      ? undefined
      : html`<ul class="links">
<li><a href="${recovery}">${t.signIn.forgot}</a></li>
</ul>
`;
  if (idps.length === 0) return html`${forgot}`;
  const providers = idps.map(
    ({ name, displayName }) =>
      html`<a class="button" href="${idpPath(contextPath, name, returnTo)}">${t.signIn.with(displayName)}</a>
`,
  );
  return html`${forgot}<p class="or">${t.signIn.or}</p>
<div class="actions">
${providers}</div>
`;
}

function continuation({ t }: PageContext, { loginId, path }: NonNullable<SignInFields['unfinished']>): Html {
  return note(
    '',
    html`<p>${t.signIn.unfinished(loginId)}</p>
<p><a href="${path}">${t.signIn.finish}</a></p>
`,
  );
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
