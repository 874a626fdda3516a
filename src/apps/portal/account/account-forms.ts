import { MAX_EMAIL_LENGTH } from '../../../identity/account/account.js';
import { html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { focus, passwordField } from '../form/forms.js';
import { accountForm, type AccountFormFields } from './account-form.js';

/** `GET /portal/security/password`: the form for a new password. */
export function passwordPage(fields: AccountFormFields, loginId: string, minLength: number): View {
  return accountForm(
    fields,
    ({ passwordChange }) => passwordChange,
    (context) => {
      const { passwordChange, common } = context.t;
      // Password managers need the username in the form.
      return html`<input value="${loginId}" autocomplete="username" aria-label="${common.username}" readonly hidden>
${passwordField(context, { id: 'current', label: passwordChange.current, autocomplete: 'current-password', isFocused: fields.alert === undefined })}${passwordField(
        context,
        { id: 'new', label: common.newPassword, autocomplete: 'new-password', minLength },
      )}<p class="hint">${passwordChange.effect}</p>
`;
    },
    { newPassword: true },
  );
}

/** `GET /portal/security/email`: the form for another mail address. */
export function addressPage(
  fields: AccountFormFields,
  { typed, asksPassword }: { readonly typed: string; readonly asksPassword: boolean },
): View {
  return accountForm(
    fields,
    ({ addressChange }) => addressChange,
    (context) => {
      const { addressChange, passwordChange } = context.t;
      const password =
        asksPassword &&
        passwordField(context, { id: 'pw', label: passwordChange.current, autocomplete: 'current-password' });
      return html`<div class="field"><label for="email">${addressChange.email}</label>
<input id="email" name="email" type="email" value="${typed}" maxlength="${MAX_EMAIL_LENGTH}" autocomplete="email"${focus(fields.alert === undefined)} required></div>
${password === false ? undefined : password}`;
    },
  );
}

/** `GET /portal/security/backup-codes`: the form for new backup codes. */
export function newCodesPage(fields: AccountFormFields): View {
  return accountForm(fields, ({ newCodes }) => newCodes);
}

/** `GET /portal/security/turn-off`: the form that turns the second factor off. */
export function turnOffPage(fields: AccountFormFields): View {
  return accountForm(fields, ({ turnOff }) => ({ ...turnOff, isDangerous: true }));
}

/** `GET /portal/security/replace`: the form that replaces the authenticator app. */
export function replacePage(fields: AccountFormFields): View {
  return accountForm(fields, ({ setup, account }) => ({
    title: account.replace,
    text: setup.introReplace,
    submit: setup.begin,
  }));
}
