import { SECOND_FACTOR_PAGES, withReturnTo } from '../../auth/page-paths.js';
import { type Html, html } from '../../encoding/html.js';
import { type PageContext, type PagePart, View } from '../../http/page/view.js';
import type { Messages } from '../../messages/messages.js';
import { button, focus, form, type FormFields, hidden, paragraph, submitButton } from '../form/forms.js';

/** Link to a page on which the user authenticates again. */
export interface ReauthenticationLink {
  readonly label: (t: Messages) => string;
  readonly path: string;
}

/** The kind of code that a page asks for; both kinds are accepted by either form. */
export type CodeKind = 'totp' | 'backup_code';

/** Content of the page for the second step, or for a step-up. */
export interface VerifyFields extends FormFields {
  readonly kind: CodeKind;
  /** Set if only a one-time code helps, and no other second factor. */
  readonly required?: 'otp';
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
  readonly alert?: PagePart;
}

/** `GET /2fa/portal/verify`. */
export function verifyPage(fields: VerifyFields): View {
  const { alert, isStepUp, kind, required, trustDays, isTrusting = false, proved } = fields;
  return new View((context) => {
    const { t, brand } = context;
    const trust =
      trustDays === undefined
        ? undefined
        : html`<div class="field"><label class="check"><input type="checkbox" name="trust_device" value="true"${isTrusting ? html` checked` : undefined}> ${t.verify.trustDevice(trustDays)}</label></div>
`;
    const code = codeField(context, kind, alert === undefined);
    const contact = brand.helpContact === undefined ? undefined : html` ${t.common.contact(brand.helpContact)}`;
    return {
      title: isStepUp ? t.verify.titleStepUp : t.verify.title,
      body: html`${alert?.(context)}${codeSwitch(context, fields)}${paragraph(kind === 'totp' ? t.verify.totpIntro : t.verify.backupIntro)}${form(
        fields,
        html`${hidden('proved', proved)}${hidden('method', kind)}${required && hidden('required', required)}${code}${trust}${submitButton(t.verify.submit)}`,
      )}${
        kind === 'backup_code'
          ? html`<p class="hint">${t.verify.lost}${contact}</p>
`
          : undefined
      }${
        isStepUp
          ? undefined
          : html`<div class="links">
${form(fields.signOut, button(t.verify.other, 'plain'))}</div>
`
      }`,
    };
  });
}

/** The field for a code: six digits with the keyboard for numbers, a backup code, or either of them. */
export function codeField({ t }: PageContext, kind: CodeKind | 'any', isFocused: boolean): Html {
  const isTotp = kind === 'totp';
  const label = { totp: t.verify.totpLabel, backup_code: t.verify.backupLabel, any: t.verify.anyLabel }[kind];
  const attributes = isTotp
    ? html` class="code" inputmode="numeric" autocomplete="one-time-code"`
    : html` class="code long" autocomplete="off" autocapitalize="characters"`;
  return html`<div class="field"><label for="code">${label}</label>
<input id="code" name="code" maxlength="64"${attributes} autocorrect="off" spellcheck="false"${focus(isFocused)} required></div>
`;
}

/** Two links, of which one is the current page. */
function codeSwitch({ t, contextPath }: PageContext, { kind, required, returnTo }: VerifyFields): Html {
  const path = `${withReturnTo(contextPath + SECOND_FACTOR_PAGES.verify, returnTo)}${required === undefined ? '' : `&required=${required}`}`;
  const link = (each: CodeKind, label: string): Html =>
    html`<li><a href="${each === 'totp' ? path : `${path}&method=${each}`}"${each === kind ? html` aria-current="page"` : undefined}>${label}</a></li>
`;
  return html`<nav aria-label="${t.verify.methods}"><ul class="switch">
${link('totp', t.verify.totp)}${link('backup_code', t.verify.backupCode)}</ul></nav>
`;
}

/** `GET /2fa/portal/verify` for a user whose second factor is at the identity provider only. */
export function proveElsewherePage(link: ReauthenticationLink): View {
  return new View(({ t }) => ({
    title: t.verify.titleStepUp,
    body: html`${paragraph(t.verify.elsewhere)}<p class="actions"><a class="button primary" href="${link.path}">${link.label(t)}</a></p>
`,
  }));
}
