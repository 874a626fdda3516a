import { normalisedCode } from './backup-code/backup-code.js';
import { ServiceError } from '../errors/service-error.js';
import type { FactorId } from './second-factor.js';

/** A typed code in its normal form, and the second factor whose form it has. */
export interface SubmittedCode {
  readonly method: FactorId;
  readonly text: string;
}

/** The second factor whose form a typed code has; a text of neither form counts as a backup code. */
export function codeMethod(typed: string): FactorId {
  return totpDigits(typed) === undefined ? 'backup_code' : 'totp';
}

/** Undefined if the text has the form of no code. */
export function submittedCode(typed: string): SubmittedCode | undefined {
  const digits = totpDigits(typed);
  if (digits !== undefined) return { method: 'totp', text: digits };
  const text = normalisedCode(typed);
  return text === undefined ? undefined : { method: 'backup_code', text };
}

/** Six ASCII digits; apps show a space between them, and digits of other scripts are rejected. */
export function totpDigits(typed: string): string | undefined {
  if (typed.length > 32) return undefined;
  const digits = typed.replaceAll(' ', '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}

/** Thrown before an attempt is charged; routes reject such a body by its schema. */
export function malformedCode(): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'format' }] });
}
