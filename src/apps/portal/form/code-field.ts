import { ServiceError } from '../../../kernel/errors/service-error.js';
import { normalisedCode } from '../../../identity/second-factor/backup-code/backup-code.js';
import type { Submitted, SubmittedCode } from '../../../identity/second-factor/second-factor.js';
import { submittedCode, submittedTotp } from '../../../identity/second-factor/submitted-code.js';

/** The code in a form. @throws ServiceError `VALIDATION_FAILED` for a malformed code; the form shows it */
export function codeIn(typed: string): SubmittedCode {
  return submittedCode(typed) ?? malformed();
}

/** The code of an authenticator app in a form. @throws ServiceError as `codeIn` does */
export function totpIn(typed: string): Submitted<'totp'> {
  return submittedTotp(typed) ?? malformed();
}

/** The temporary access code in a form, in its normal form. @throws ServiceError as `codeIn` does */
export function accessCodeIn(typed: string): string {
  return normalisedCode(typed) ?? malformed('access_code');
}

function malformed(field = 'code'): never {
  throw new ServiceError('VALIDATION_FAILED', { errors: [{ field, code: 'format' }] });
}
