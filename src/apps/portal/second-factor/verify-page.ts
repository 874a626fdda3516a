import { type OnlyFactor, secondFactorPage } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import { PROBLEM_ID } from '../../../platform/http/page/problem-page.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import { button, focus, form, type FormFields, hidden, paragraph, submitButton } from '../form/forms.js';
import { passkeyButton, withoutPasskeys } from '../form/passkey-button.js';

/** Link to a page on which the user authenticates again. */
export interface ReauthenticationLink {
  readonly label: (t: Messages) => string;
  readonly path: string;
}

/** The kind of code that a page asks for; both kinds are accepted by either form. */
export type CodeKind = 'totp' | 'backup_code';

/** Content of the page for the second step, or for a step-up. */
export interface VerifyFields extends FormFields {
  readonly hasPasskey: boolean;
  /** The accepted kinds of codes; empty if only a passkey is accepted. */
  readonly kinds: readonly CodeKind[];
  readonly kind?: CodeKind | undefined;
  /** True if the user has chosen to enter a code although there is a passkey. */
  readonly isCodeChosen: boolean;
  /** The only accepted factor; undefined if the step accepts any. */
  readonly required?: OnlyFactor;
  /** True if the user is signed in and confirms it again. */
  readonly isStepUp: boolean;
  /** When the session last proved the second factor, in epoch seconds; 0 without a proof. */
  readonly proved: string;
  /** Days for which a browser can be trusted; absent if that is off. */
  readonly trustDays?: number;
  /** True if the user has asked to trust this browser, before an error. */
  readonly isTrusting?: boolean;
  /** The form that ends an unfinished sign-in. */
  readonly signOut: FormFields;
  /** The login id of the account. */
  readonly loginId: string;
  readonly alert?: PagePart;
  /** About the attempt that the form makes. */
  readonly warning?: PagePart;
}

/** `GET /2fa/portal/verify`: by a passkey first, or by a code. */
export function verifyPage(fields: VerifyFields): View {
  const { alert, warning, isStepUp, kind, kinds, hasPasskey, signOut } = fields;
  return pageView(
    (context) => {
      const { verify } = context.t;
      const title = hasPasskey ? verify.titlePasskey : verify.title;
      const code = kind && codePart(context, fields, kind);
      const hasOnlyPasskey = hasPasskey && code === undefined;
      return {
        title: isStepUp ? verify.titleStepUp : title,
        body: html`${alert?.(context)}${warning?.(context)}${userLine(context, fields.loginId, isStepUp)}${hasPasskey ? passkeyPart(context, fields, code) : (code ?? paragraph(verify.codesRefused))}${
          kind === 'backup_code' || hasOnlyPasskey ? lostHint(context, kinds) : undefined
        }${
          isStepUp
            ? undefined
            : html`<div class="links">
${form(signOut, button(verify.other, 'plain'))}</div>
`
        }`,
      };
    },
    { passkeys: hasPasskey, address: addressOf(fields), typed: {} },
  );
}

/** The account of the sign-in: users have several, and share devices. */
export function userLine({ t }: PageContext, loginId: string, isSignedIn = false): Html {
  return html`<p class="hint">${isSignedIn ? t.verify.signedInAs : t.verify.signingInAs} <strong>${loginId}</strong></p>
`;
}

function addressOf({ address, required, isCodeChosen, kind }: VerifyFields): string {
  const method = isCodeChosen && kind !== undefined ? `&method=${kind}` : '';
  return `${address}${required === undefined ? '' : `&required=${required}`}${method}`;
}

/** Button for a passkey, and the form for a code, which the script collapses if the button is shown. */
function passkeyPart(context: PageContext, fields: VerifyFields, code: Html | undefined): Html {
  const { passkey, verify } = context.t;
  const { alert, isCodeChosen, proved, required } = fields;
  const content = html`${paragraph(passkey.intro)}${trustBox(context, fields)}`;
  const isFocused = alert === undefined && !isCodeChosen;
  return html`${form(
    fields,
    html`${hidden('proved', proved)}${required && hidden('required', required)}${passkeyButton(context, { label: passkey.use, ceremony: 'get', content, isFocused })}`,
  )}${withoutPasskeys(context, code === undefined)}${
    code &&
    html`<details open${isCodeChosen ? undefined : html` data-without-passkey`}>
<summary>${verify.useCode}</summary>
${code}</details>
`
  }`;
}

function codePart(context: PageContext, fields: VerifyFields, kind: CodeKind): Html {
  const { verify } = context.t;
  const { alert, proved, required, hasPasskey, isCodeChosen, trustDays } = fields;
  const isFocused = alert === undefined && (!hasPasskey || isCodeChosen);
  // A user who may trust this browser decides about that before the form is sent.
  const code = codeField(context, kind, { isFocused, sendsItself: trustDays === undefined });
  return html`${codeSwitch(context, fields)}${paragraph(kind === 'totp' ? verify.totpIntro : verify.backupIntro)}${form(
    fields,
    html`${hidden('proved', proved)}${hidden('method', kind)}${required && hidden('required', required)}${code}${trustBox(context, fields)}${submitButton(verify.submit)}`,
  )}`;
}

function trustBox({ t }: PageContext, { trustDays, isTrusting = false }: VerifyFields): Html | undefined {
  return trustDays === undefined
    ? undefined
    : html`<div class="field"><label class="check"><input type="checkbox" name="trust_device" value="true"${isTrusting ? html` checked` : undefined}> ${t.verify.trustDevice(trustDays)}</label></div>
`;
}

function lostHint({ t, brand }: PageContext, kinds: readonly CodeKind[]): Html {
  const contact = brand.helpContact === undefined ? undefined : html` ${t.common.contact(brand.helpContact)}`;
  const lost = kinds.includes('totp') ? t.verify.lost : kinds.length > 0 ? t.passkey.lost : t.passkey.lostOnly;
  return html`<p class="hint">${lost}${contact}</p>
`;
}

/**
 * The field for a code: six digits with the keyboard for numbers, a backup code, or either of them. A wrong code has its error in
 * the alert. With `sendsItself`, the script sends six digits at once.
 */
export function codeField(
  { t, answer }: PageContext,
  kind: CodeKind | 'any',
  { isFocused = false, sendsItself = false }: { readonly isFocused?: boolean; readonly sendsItself?: boolean } = {},
): Html {
  const isTotp = kind === 'totp';
  const isInvalid = answer?.field === 'code';
  const label = { totp: t.verify.totpLabel, backup_code: t.verify.backupLabel, any: t.verify.anyLabel }[kind];
  const attributes = isTotp
    ? html` class="code" inputmode="numeric" autocomplete="one-time-code"`
    : html` class="code long" autocomplete="off" autocapitalize="characters"`;
  const hasHint = isTotp && sendsItself;
  const about = [...(isInvalid ? [PROBLEM_ID] : []), ...(hasHint ? ['code-hint'] : [])].join(' ');
  return html`<div class="field"><label for="code">${label}</label>
<input id="code" name="code" maxlength="64"${attributes} autocorrect="off" spellcheck="false"${isInvalid ? html` aria-invalid="true"` : undefined}\
${about === '' ? undefined : html` aria-describedby="${about}"`}${focus(isFocused || isInvalid)} required>
${
  hasHint
    ? html`<p class="hint" id="code-hint" data-sends="code" hidden>${t.verify.sendsItself}</p>
`
    : undefined
}</div>
`;
}

/** Links that switch between the kinds of codes; nothing if there is only one kind. */
function codeSwitch(
  { t, contextPath }: PageContext,
  { kind, kinds, required, returnTo }: VerifyFields,
): Html | undefined {
  if (kinds.length < 2) return undefined;
  const path = secondFactorPage(contextPath, 'verify', returnTo, required);
  const link = (each: CodeKind, label: string): Html =>
    html`<li><a href="${`${path}&method=${each}`}"${each === kind ? html` aria-current="page"` : undefined}>${label}</a></li>
`;
  return html`<nav aria-label="${t.verify.methods}"><ul class="switch">
${link('totp', t.verify.totp)}${link('backup_code', t.verify.backupCode)}</ul></nav>
`;
}

/** `GET /2fa/portal/verify` for a user whose second factor is at the identity provider only. */
export function proveElsewherePage(link: ReauthenticationLink): View {
  return pageView(({ t }) => ({
    title: t.verify.titleStepUp,
    body: html`${paragraph(t.verify.elsewhere)}<p class="actions"><a class="button primary" href="${link.path}">${link.label(t)}</a></p>
`,
  }));
}
