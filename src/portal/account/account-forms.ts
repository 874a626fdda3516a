import { ACCOUNT_PAGES } from '../../auth/page-paths.js';
import { type Html, html } from '../../encoding/html.js';
import { type PageContext, type PagePart, View } from '../../http/page/view.js';
import type { Messages } from '../../messages/messages.js';
import { buttonLink, form, type FormFields, paragraph, passwordField, submitButton } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { codeField } from '../second-factor/verify-page.js';

/** A form of a signed-in user about the own account. */
export interface AccountFormFields extends FormFields {
  readonly navigation: NavigationFields;
  /** The last proof of the second factor is too old: the form also asks for a code. */
  readonly asksForCode: boolean;
  readonly alert?: PagePart;
}

/** `GET /portal/security/password`. */
export function passwordPage(fields: AccountFormFields, loginId: string, minLength: number): View {
  return accountForm(
    fields,
    ({ passwordChange }) => passwordChange,
    (context) => {
      const { passwordChange, common } = context.t;
      // Password managers look for the username.
      return html`<input value="${loginId}" autocomplete="username" aria-label="${common.username}" readonly hidden>
${passwordField(context, { id: 'current', label: passwordChange.current, autocomplete: 'current-password', isFocused: fields.alert === undefined })}${passwordField(
        context,
        { id: 'new', label: common.newPassword, autocomplete: 'new-password', minLength },
      )}<p class="hint">${passwordChange.effect}</p>
`;
    },
  );
}

/** `GET /portal/security/backup-codes`. */
export function newCodesPage(fields: AccountFormFields): View {
  return accountForm(fields, ({ newCodes }) => newCodes);
}

/** `GET /portal/security/turn-off`. */
export function turnOffPage(fields: AccountFormFields): View {
  return accountForm(fields, ({ turnOff }) => turnOff);
}

/** `GET /portal/security/replace`. */
export function replacePage(fields: AccountFormFields): View {
  return accountForm(fields, ({ setup, account }) => ({
    title: account.replace,
    text: setup.introReplace,
    submit: setup.begin,
  }));
}

interface FormTexts {
  readonly title: string;
  readonly text?: string;
  readonly submit: string;
}

function accountForm(
  fields: AccountFormFields,
  textsOf: (t: Messages) => FormTexts,
  content: (context: PageContext) => Html | undefined = () => undefined,
): View {
  const { alert, asksForCode } = fields;
  return new View((context) => {
    const { title, text, submit } = textsOf(context.t);
    const code = asksForCode ? codeField(context, 'any', false) : undefined;
    const back = buttonLink(context.contextPath + ACCOUNT_PAGES.security, context.t.common.cancel);
    return {
      title,
      navigation: navigation(context, fields.navigation),
      body: html`<div class="panel narrow">
${alert?.(context)}${text === undefined ? undefined : paragraph(text)}${form(
        fields,
        html`${content(context)}${code}<div class="actions">${submitButton(submit)}${back}</div>
`,
      )}</div>
`,
    };
  });
}
