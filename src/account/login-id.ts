import { createHash } from 'node:crypto';

/** Characters. */
export const LONGEST_LOGIN_ID = 255;
/** Control characters, line ends of Unicode, and what only steers how its neighbours are shown. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * The one form in which a login id is stored, looked up and counted: NFKC, trimmed, lower case unless case matters.
 * Undefined where there is none: empty, longer than 255 characters, with control characters or lone surrogates.
 */
export function normalisedLoginId(text: string, isCaseSensitive: boolean): string | undefined {
  if (!text.isWellFormed() || length(text) > LONGEST_LOGIN_ID) return undefined;
  const composed = text.normalize('NFKC').trim();
  // Lower case can take a composed character apart again.
  const form = isCaseSensitive ? composed : composed.toLowerCase().normalize('NFKC');
  return form === '' || length(form) > LONGEST_LOGIN_ID || UNSEEN.test(form) ? undefined : form;
}

/** Stands in the log for a login id that may be nobody's, so that tries of one id can be found (operations.md, "Logging"). */
export function pseudonym(form: string): string {
  return `id:${createHash('sha256').update(form).digest('hex').slice(0, 12)}`;
}

/** False for ids that accounts of identity providers are shown by: `<idp>:<key>`. */
export function isLocalLoginId(form: string): boolean {
  return !form.includes(':');
}

/** True for ids that a spreadsheet would run as a formula once they are exported. */
export function looksLikeFormula(form: string): boolean {
  return /^[=+\-@]/.test(form);
}

/** In characters, as the column counts them. */
function length(text: string): number {
  return Array.from(text).length;
}
