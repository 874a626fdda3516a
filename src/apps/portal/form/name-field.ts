import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import { MAX_AUTHENTICATOR_NAME_LENGTH } from '../../../identity/second-factor/factor-state.js';
import { focus } from './forms.js';

interface NameField {
  readonly label: string;
  readonly value?: string;
  readonly isRequired?: boolean;
  readonly isFocused?: boolean;
}

/** The name of an authenticator, which only `isRequired` demands. */
export function nameField(
  { t }: PageContext,
  { label, value = '', isRequired = false, isFocused = false }: NameField,
): Html {
  return html`<div class="field"><label for="name">${label}</label>
<input id="name" name="name" value="${value}" maxlength="${MAX_AUTHENTICATOR_NAME_LENGTH}" autocomplete="off" aria-describedby="name-hint"${focus(isFocused)}${isRequired ? html` required` : undefined}>
<p class="hint" id="name-hint">${t.passkey.nameHint}</p></div>
`;
}
