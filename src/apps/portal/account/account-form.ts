import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageNeeds, View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import { button, buttonLink, form, type FormFields, paragraph, submitButton } from '../form/forms.js';
import { passkeyButton, withoutPasskeys } from '../form/passkey-button.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { codeField, type CodeKind } from '../second-factor/verify-page.js';

/** Methods by which a caller can prove the second factor. */
export interface ProofMethods {
  readonly hasPasskey: boolean;
  /** Accepted kinds of codes; absent if only a passkey is accepted. */
  readonly code?: CodeKind | 'any';
}

/** Fields of a form about the account of the signed-in user. */
export interface AccountFormFields extends FormFields {
  readonly navigation: NavigationFields;
  /** Methods of the proof that the form asks for; set if the last proof is too old or too weak. */
  readonly proof?: ProofMethods;
  readonly alert?: PagePart;
}

interface FormTexts {
  readonly title: string;
  readonly text?: string;
  readonly submit: string;
  /** True if the act cannot be undone. */
  readonly isDangerous?: boolean;
}

/** Page with a form about the account of the signed-in user. */
export function accountForm(
  fields: AccountFormFields,
  textsOf: (t: Messages) => FormTexts,
  content: (context: PageContext) => Html | undefined = () => undefined,
  needs: PageNeeds = {},
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
    { ...needs, passkeys: proof?.hasPasskey ?? false },
  );
}

/** Buttons that submit or cancel the form, with a proof of the second factor if the form asks for one. */
function submission(
  context: PageContext,
  { proof, alert }: AccountFormFields,
  { submit, isDangerous = false }: FormTexts,
): Html {
  const { t, contextPath } = context;
  const back = buttonLink(contextPath + ACCOUNT_PAGES.security, t.common.cancel);
  const send = isDangerous ? button(submit, 'danger') : submitButton(submit);
  const sendWithCode = proof?.code && codeField(context, proof.code);
  if (proof?.hasPasskey !== true) {
    return html`${sendWithCode}<div class="actions">${send}${back}</div>
`;
  }
  const usePasskey = passkeyButton(context, { label: t.account.provePasskey, ceremony: 'get', isDangerous });
  if (sendWithCode === undefined) {
    return html`${usePasskey}${withoutPasskeys(context, true)}<p class="actions">${back}</p>
`;
  }
  // The code stays open after an error, since it may need a correction, and without script, since it is the only way
  // then.
  const closedByScript = alert ? undefined : html` data-without-passkey`;
  return html`${usePasskey}<details open${closedByScript}>
<summary>${t.verify.useCode}</summary>
${sendWithCode}<p class="actions">${isDangerous ? send : button(submit)}</p>
</details>
<p class="actions">${back}</p>
`;
}
