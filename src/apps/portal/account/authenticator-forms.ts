import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { pageView } from '../../../signin/messages/page.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import { buttonLink, form, hidden, note, paragraph } from '../form/forms.js';
import { nameField } from '../form/name-field.js';
import { passkeyButton, withoutPasskeys } from '../form/passkey-button.js';
import { navigation } from '../home/navigation.js';
import { accountForm, type AccountFormFields } from './account-form.js';
import { nameOf } from './authenticator-facts.js';

/** `GET /portal/security/authenticators/{id}/rename`: the form for a name; `typed` is the input after an error. */
export function renamePage(fields: AccountFormFields, authenticator: Authenticator, typed?: string): View {
  return accountForm(
    fields,
    (t) => ({ title: t.authenticators.renameTitle(nameOf(t, authenticator)), submit: t.common.save }),
    (context) =>
      nameField(context, {
        label: context.t.authenticators.name,
        value: typed ?? authenticator.name ?? '',
        isRequired: true,
        isFocused: fields.alert === undefined,
      }),
  );
}

/** `GET /portal/security/authenticators/{id}/remove`: the form that removes an authenticator. */
export function removePage(fields: AccountFormFields, authenticator: Authenticator): View {
  return accountForm(
    fields,
    (t) => ({
      title: t.authenticators.removeTitle(nameOf(t, authenticator)),
      submit: t.account.remove,
      isDangerous: true,
    }),
    ({ t }) => {
      const { removeText, removePasskey, removeApp } = t.authenticators;
      return html`${paragraph(removeText)}${paragraph(authenticator.type === 'passkey' ? removePasskey : removeApp)}`;
    },
  );
}

interface AddAppFields {
  /** Input of the form after an error. */
  readonly typed?: string;
  /** Pending secret of another login of the user, and its expiry in epoch seconds. */
  readonly pending?: { readonly until: number };
}

/** `GET /portal/security/add-app`: the form that begins the setup of another app. */
export function addAppPage(fields: AccountFormFields, { typed = '', pending }: AddAppFields): View {
  return accountForm(
    fields,
    ({ account, authenticators, setup, common }) => ({
      title: account.addApp,
      text: authenticators.addAppText,
      submit: pending ? setup.beginAgain : common.continue,
    }),
    (context) => {
      const { setup, authenticators } = context.t;
      const agreement =
        pending && html`${note('warn', paragraph(setup.otherPending))}${hidden('replaces', String(pending.until))}`;
      const label = authenticators.nameOptional;
      return html`${agreement}${nameField(context, { label, value: typed, isFocused: fields.alert === undefined })}`;
    },
  );
}

/** `GET /portal/security/add-passkey`, for a caller whose proof of the second factor, or whose login, is recent. */
export function addPasskeyPage(fields: AccountFormFields, typed = ''): View {
  return pageView(
    (context) => {
      const { t, contextPath } = context;
      const back = buttonLink(contextPath + ACCOUNT_PAGES.security, t.common.cancel);
      return {
        title: t.account.addPasskey,
        navigation: navigation(context, fields.navigation),
        body: html`<div class="panel narrow">
${fields.alert?.(context)}${paragraph(t.authenticators.addPasskeyText)}${form(
          fields,
          html`${passkeyButton(context, {
            label: t.account.addPasskey,
            ceremony: 'create',
            content: nameField(context, { label: t.authenticators.nameOptional, value: typed }),
          })}${withoutPasskeys(context, false)}<p class="actions">${back}</p>
`,
        )}</div>
`,
      };
    },
    { passkeys: true },
  );
}
