import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';

const DESCRIPTIONS: Partial<Readonly<Record<ErrorCode, string>>> = {
  VALIDATION_FAILED: 'the form cannot be read, or has a parameter more than once',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not application/x-www-form-urlencoded in UTF-8',
  PAYLOAD_TOO_LARGE: 'the body is too long',
};

/** The error of a body that cannot be read, in the form of RFC 6749 section 5.2; undefined for other errors. */
export function oauthErrorOf({ code }: ServiceError): object | undefined {
  const description = DESCRIPTIONS[code];
  return description === undefined ? undefined : { error: 'invalid_request', error_description: description };
}
