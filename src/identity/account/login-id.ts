import { hash } from 'node:crypto';
import { ServiceError } from '../../kernel/errors/service-error.js';

/** In characters. */
export const MAX_LOGIN_ID_LENGTH = 255;
/** Blanks and characters without width, which a copied text may have at its ends. */
const AROUND = /^[\s\u200b-\u200f\u2060\ufeff]+|[\s\u200b-\u200f\u2060\ufeff]+$/g;
/** Control characters, line ends of Unicode, and characters that only control how their neighbours are shown. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Normalises login ids as `app.security.login-id` configures it. */
export class LoginIds {
  constructor(private readonly properties: { readonly caseSensitive: boolean }) {}

  /**
   * The one form in which a login id is stored, looked up and counted: NFKC, without blanks and zero-width characters
   * around it, lower case unless case matters.
   * Undefined for a text that is empty, longer than 255 characters, or has control characters or lone surrogates.
   */
  formOf(text: string): string | undefined {
    if (!text.isWellFormed() || length(text) > MAX_LOGIN_ID_LENGTH) return undefined;
    const composed = text.normalize('NFKC').replaceAll(AROUND, '');
    // Lower case can decompose a composed character.
    const form = this.properties.caseSensitive ? composed : composed.toLowerCase().normalize('NFKC');
    return form === '' || length(form) > MAX_LOGIN_ID_LENGTH || INVISIBLE.test(form) ? undefined : form;
  }

  /** @throws ServiceError `VALIDATION_FAILED` if the text is not a login id */
  normalise(text: string): string {
    const form = this.formOf(text);
    if (form !== undefined) return form;
    throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'id', code: 'malformed' }] });
  }
}

/** Replaces a login id in the log, known or not, so that attempts for one id can be found (docs/how-to/operate/change-a-log-level.md). */
export function pseudonym(form: string): string {
  return `id:${hash('sha256', form).slice(0, 12)}`;
}

/** False for the ids that display accounts of identity providers: `<idp>:<key>`. */
export function isLocalLoginId(form: string): boolean {
  return !form.includes(':');
}

/** True for ids that a spreadsheet would run as a formula after an export. */
export function looksLikeFormula(form: string): boolean {
  return /^[=+\-@]/.test(form);
}

/** In characters, as the column counts them. */
function length(text: string): number {
  return Array.from(text).length;
}
