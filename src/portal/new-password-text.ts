import type { PasswordFault } from '../account/password/password-rules.js';
import type { ServiceError } from '../errors/service-error.js';

const FIELD = 'new_pw';
const UNEXPECTED = 'unexpected';

type Fault = PasswordFault | 'same_as_temporary' | typeof UNEXPECTED;

/** Text for a rejected new password; undefined if the error has another cause. */
export function newPasswordText({ facts }: ServiceError, minLength: number): string | undefined {
  const texts: Readonly<Record<Fault, string>> = {
    too_short: `The new password is too short. Use at least ${minLength} characters.`,
    too_long: 'The new password is too long. Choose a shorter one.',
    too_common: 'The new password is one of the most common passwords. Choose another one.',
    same_as_id: 'The new password must differ from the username.',
    same_as_temporary: 'The new password must differ from the temporary one.',
    malformed: 'The new password has characters that cannot be used. Choose another one.',
    unexpected: 'Your password is not temporary and was not changed. Sign in with it.',
  };
  const code = facts.errors?.find(({ field }) => field === FIELD)?.code;
  return code !== undefined && Object.hasOwn(texts, code) ? texts[code as Fault] : undefined;
}

/** True if the password is no longer temporary, as after the form was sent twice: the form must not ask for a new one. */
export function isChangeDone({ facts }: ServiceError): boolean {
  return facts.errors?.some(({ field, code }) => field === FIELD && code === UNEXPECTED) === true;
}
