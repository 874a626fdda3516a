import { normalisedCode } from './backup-code/backup-code.js';
import { ServiceError } from '../errors/service-error.js';

/** What a member `code` holds, told apart by its form. */
export type SubmittedCode =
  { readonly method: 'totp'; readonly digits: string } | { readonly method: 'backup_code'; readonly text: string };

/** By its form alone; what is no code of ours at all is refused as a backup code. */
export function codeMethod(typed: string): SubmittedCode['method'] {
  return totpDigits(typed) === undefined ? 'backup_code' : 'totp';
}

/** Undefined where the text is neither kind of code. */
export function submittedCode(typed: string): SubmittedCode | undefined {
  const digits = totpDigits(typed);
  if (digits !== undefined) return { method: 'totp', digits };
  const text = normalisedCode(typed);
  return text === undefined ? undefined : { method: 'backup_code', text };
}

/** Six ASCII digits, between which apps show a space; digits of other scripts are none. */
export function totpDigits(typed: string): string | undefined {
  if (typed.length > 32) return undefined;
  const digits = typed.replaceAll(' ', '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}

/** Thrown before anything is counted; routes refuse such a body by its shape. */
export function malformedCode(): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'format' }] });
}
