import { normalisedCode } from './backup-code/backup-code.js';
import type { Submitted, SubmittedCode } from './second-factor.js';

/** Undefined if the text does not have the form of a code. Schemas and forms call it, so that each code is parsed once. */
export function submittedCode(typed: string): SubmittedCode | undefined {
  const totp = submittedTotp(typed);
  if (totp) return totp;
  const response = normalisedCode(typed);
  return response === undefined ? undefined : { method: 'backup_code', response };
}

/** Six ASCII digits; apps show a space between them, and digits of other scripts are rejected. */
export function submittedTotp(typed: string): Submitted<'totp'> | undefined {
  if (typed.length > 32) return undefined;
  const response = typed.replaceAll(' ', '');
  return /^[0-9]{6}$/.test(response) ? { method: 'totp', response } : undefined;
}
