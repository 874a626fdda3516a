import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageNeeds, View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import { button, buttonLink, focus, form, type FormFields, paragraph, submitButton } from '../form/forms.js';
import { codeField, type ReauthenticationLink, userLine } from './verify-page.js';

/** Fields of a form of the setup. */
export interface SetupFields extends FormFields {
  readonly alert?: PagePart;
  /** The form that ends an unfinished sign-in; absent for signed-in users. */
  readonly signOut?: FormFields;
  /** The login id of the account. */
  readonly loginId: string;
}

/** Page in place of the secret if the login is not recent enough. */
export function proveAgainPage(alert: PagePart, link: ReauthenticationLink | undefined): View {
  return pageView((context) => ({
    title: context.t.setup.title,
    body: html`${alert(context)}${
      link &&
      html`<p class="actions">${buttonLink(link.path, link.label(context.t), 'primary')}</p>
`
    }`,
  }));
}

/** Asks for the temporary access code that the first authenticator needs. */
export function accessCodePage(fields: SetupFields): View {
  const { alert } = fields;
  return pageView((context) => {
    const { setup, common } = context.t;
    const { helpContact } = context.brand;
    const field = html`<div class="field"><label for="access-code">${setup.accessCodeLabel}</label>
<input id="access-code" name="access_code" maxlength="64" class="code long" autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false"${focus(alert === undefined)} required></div>
`;
    return {
      title: setup.titleAccessCode,
      body: html`${alert?.(context)}${whoOf(context, fields)}${paragraph(setup.accessCodeIntro)}${form(fields, html`${field}${submitButton(common.continue)}`)}${
        helpContact === undefined
          ? undefined
          : html`<p class="hint">${common.contact(helpContact)}</p>
`
      }${leaving(context, fields)}`,
    };
  }, atAddress(fields));
}

interface ShownSecret {
  /** Path of the page on which the user may choose a passkey instead. */
  readonly choice?: string | undefined;
  /** `data:image/svg+xml;base64,…` */
  readonly qr: string;
  readonly secret: string;
  readonly otpauthUri: string;
  /** True if new backup codes are shown after the confirmation, as the second step. */
  readonly hasCodes: boolean;
}

/** Shows the pending secret, with the form that confirms it. */
export function secretPage(fields: SetupFields, { qr, secret, otpauthUri, choice, hasCodes }: ShownSecret): View {
  const { alert } = fields;
  return pageView((context) => {
    const { setup, common } = context.t;
    return {
      title: setup.titleScan,
      body: html`${alert?.(context)}${whoOf(context, fields)}${
        hasCodes
          ? html`<p class="steps">${setup.step(1, 2)}</p>
`
          : undefined
      }<div class="on-phone">
${paragraph(setup.onPhone)}<p class="actions"><a class="button" href="${otpauthUri}">${setup.openApp}</a></p>
</div>
<div class="beside">
<div>
${paragraph(setup.scan)}<img class="qr" src="${qr}" alt="${setup.qrAlt}" width="240" height="240">
<details>
<summary>${setup.cannotScan}</summary>
<p>${setup.typeKey}</p>
<p><code class="key" id="secret" data-text="${secret}">${inGroups(secret)}</code></p>
<p class="actions"><button type="button" hidden data-copy="secret" data-done="${common.copied}">${setup.copyKey}</button></p>
</details>
</div>
<div>
${paragraph(setup.enter)}${form(fields, html`${codeField(context, 'totp', { sendsItself: true })}${submitButton(setup.confirm)}`)}<p class="hint">${setup.timeLeft}</p>
</div>
</div>
${
  choice === undefined
    ? undefined
    : html`<ul class="links">
<li><a href="${choice}">${setup.otherWay}</a></li>
</ul>
`
}${leaving(context, fields)}`,
    };
  }, atAddress(fields));
}

/** The form for the code of a secret that is not shown again. */
export function confirmPage(fields: SetupFields): View {
  const { alert } = fields;
  return pageView((context) => {
    const { setup } = context.t;
    return {
      title: setup.title,
      body: html`${alert?.(context)}${whoOf(context, fields)}${paragraph(setup.hiddenSecret)}${form(
        fields,
        html`${codeField(context, 'totp', { isFocused: alert === undefined, sendsItself: true })}${submitButton(setup.confirm)}`,
      )}${leaving(context, fields)}`,
    };
  }, atAddress(fields));
}

/** The page is at the address of its fields, and shows the error of its form there. */
export function atAddress({ address }: Pick<FormFields, 'address'>): PageNeeds {
  return { address, typed: {} };
}

/** The account whose authenticator is set up. */
export function whoOf(context: PageContext, { loginId, signOut }: Pick<SetupFields, 'loginId' | 'signOut'>): Html {
  return userLine(context, loginId, signOut === undefined);
}

/** Form that ends an unfinished sign-in. */
export function leaving({ t }: PageContext, { signOut }: Pick<SetupFields, 'signOut'>): Html | undefined {
  return (
    signOut &&
    html`<div class="links">
${form(signOut, button(t.setup.notDone, 'plain'))}</div>
`
  );
}

/** Formats a secret in groups of four characters for typing; copying it yields no spaces. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}
