import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import { button, buttonLink, form, type FormFields, paragraph, submitButton } from '../form/forms.js';
import { passkeyButton, withoutPasskeys } from '../form/passkey-button.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { codeField, type CodeKind } from '../second-factor/verify-page.js';

/** How a caller can prove the second factor. */
export interface ProofMethods {
  readonly hasPasskey: boolean;
  /** The codes that the account has; absent if only a passkey is enough. */
  readonly code?: CodeKind | 'any';
}

/** A form of a signed-in user about the own account. */
export interface AccountFormFields extends FormFields {
  readonly navigation: NavigationFields;
  /** Set if the last proof of the second factor is too old or too weak: how the form also asks for one. */
  readonly proof?: ProofMethods;
  readonly alert?: PagePart;
}

interface FormTexts {
  readonly title: string;
  readonly text?: string;
  readonly submit: string;
  /** True for what cannot be undone. */
  readonly isDangerous?: boolean;
}

/** The page of a form about the own account. */
export function accountForm(
  fields: AccountFormFields,
  textsOf: (t: Messages) => FormTexts,
  content: (context: PageContext) => Html | undefined = () => undefined,
): View {
  const { alert, proof } = fields;
  return pageView(
    (context) => {
      const { title, text } = textsOf(context.t);
      return {
        title,
        navigation: navigation(context, fields.navigation),
        body: html`<div class="panel narrow">
${alert?.(context)}${text === undefined ? undefined : paragraph(text)}${form(
          fields,
          html`${content(context)}${submission(context, fields, textsOf(context.t))}`,
        )}</div>
`,
      };
    },
    { passkeys: proof?.hasPasskey ?? false },
  );
}

/** The buttons that send the form, or leave it; with a proof of the second factor if the form asks for one. */
function submission(
  context: PageContext,
  { proof, alert }: AccountFormFields,
  { submit, isDangerous = false }: FormTexts,
): Html {
  const { t, contextPath } = context;
  const back = buttonLink(contextPath + ACCOUNT_PAGES.security, t.common.cancel);
  const send = isDangerous ? button(submit, 'danger') : submitButton(submit);
  const sendWithCode = proof?.code && codeField(context, proof.code, false);
  if (proof?.hasPasskey !== true) {
    return html`${sendWithCode}<div class="actions">${send}${back}</div>
`;
  }
  const usePasskey = passkeyButton(context, { label: t.account.provePasskey, ceremony: 'get', isDangerous });
  if (sendWithCode === undefined) {
    return html`${usePasskey}${withoutPasskeys(context, true)}<p class="actions">${back}</p>
`;
  }
  // After an error, the user may have to correct the code. Without script, the code is the only way.
  const closedByScript = alert ? undefined : html` data-without-passkey`;
  return html`${usePasskey}<details open${closedByScript}>
<summary>${t.verify.useCode}</summary>
${sendWithCode}<p class="actions">${isDangerous ? send : button(submit)}</p>
</details>
<p class="actions">${back}</p>
`;
}
