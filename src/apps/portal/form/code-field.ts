import { ServiceError } from '../../../kernel/errors/service-error.js';
import { normalisedCode } from '../../../identity/second-factor/backup-code/backup-code.js';
import type { Submitted, SubmittedCode } from '../../../identity/second-factor/second-factor.js';
import { submittedCode, submittedTotp } from '../../../identity/second-factor/submitted-code.js';

/** The code in a form. @throws ServiceError `VALIDATION_FAILED` for a malformed code; the form shows it */
export function codeIn(typed: string): SubmittedCode {
  return submittedCode(withoutSeparators(typed)) ?? malformed();
}

/** The code of an authenticator app in a form. @throws ServiceError as `codeIn` does */
export function totpIn(typed: string): Submitted<'totp'> {
  return submittedTotp(withoutSeparators(typed)) ?? malformed();
}

/** The temporary access code in a form, in its normal form. @throws ServiceError as `codeIn` does */
export function accessCodeIn(typed: string): string {
  return normalisedCode(typed) ?? malformed('access_code');
}

function malformed(field = 'code'): never {
  throw new ServiceError('VALIDATION_FAILED', { errors: [{ field, code: 'format' }] });
}

/** Blanks, dashes, and characters without width, which people type between digits or copy with them. */
const SEPARATORS = /[\s\p{Cf}\p{Pd}\u2212]/gu;
/** Digits and letters of keyboards for East Asian scripts. */
const FULL_WIDTH = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/g;
const TO_ASCII = 0xfee0;

/**
 * A code as the user means it. Nothing but separators and width changes: every other character stays, so that no text becomes
 * the code of another one. The API accepts the plain form only (http-api section 2).
 */
function withoutSeparators(typed: string): string {
  return typed
    .replaceAll(SEPARATORS, '')
    .replaceAll(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - TO_ASCII));
}
