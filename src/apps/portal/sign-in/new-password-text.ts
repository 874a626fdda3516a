import type { PasswordRejection } from '../../../identity/account/password/password-rules.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Messages } from '../../../signin/messages/messages.js';

const UNEXPECTED = 'unexpected';

type ShownRejection = PasswordRejection | 'same_as_temporary' | typeof UNEXPECTED;

/** Text for a rejected new password in the field `field`; undefined if the error has another cause. */
export function newPasswordText(
  { facts }: ServiceError,
  minLength: number,
  field = 'new_pw',
): ((t: Messages) => string) | undefined {
  const code = facts.errors?.find((error) => error.field === field)?.code;
  if (code === undefined) return undefined;
  return ({ newPassword }) => textOf(newPassword, minLength, code);
}

function textOf(texts: Messages['newPassword'], minLength: number, code: string): string {
  const { hint, too_short: tooShort, ...fixed } = texts;
  if (Object.hasOwn(fixed, code)) return fixed[code as Exclude<ShownRejection, 'too_short'>];
  return code === 'too_short' ? tooShort(minLength) : hint(minLength);
}

/**
 * True if the password is no longer temporary, for example after the form was sent twice, so that no new one is needed.
 */
export function isChangeDone({ facts }: ServiceError): boolean {
  return facts.errors?.some(({ field, code }) => field === 'new_pw' && code === UNEXPECTED) === true;
}
