import * as v from 'valibot';
import { authenticatorName } from '../../../signin/auth/api/login.schema.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
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

/** Input for the name of an authenticator; optional unless `isRequired`. */
export function nameField(
  { t }: PageContext,
  { label, value = '', isRequired = false, isFocused = false }: NameField,
): Html {
  return html`<div class="field"><label for="name">${label}</label>
<input id="name" name="name" value="${value}" maxlength="${MAX_AUTHENTICATOR_NAME_LENGTH}" autocomplete="off" aria-describedby="name-hint"${focus(isFocused)}${isRequired ? html` required` : undefined}>
<p class="hint" id="name-hint">${t.passkey.nameHint}</p></div>
`;
}

/** The name in a form. @throws ServiceError `VALIDATION_FAILED` for a missing or invalid name; the form shows it */
export function nameIn(typed: string): string {
  const result = v.safeParse(authenticatorName, typed);
  if (result.success) return result.output;
  throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'name', code: 'format' }] });
}

/** The name in a form that may leave it empty; undefined for an empty text. @throws ServiceError as `nameIn` does */
export function optionalNameIn(typed: string): string | undefined {
  return typed.trim() === '' ? undefined : nameIn(typed);
}
