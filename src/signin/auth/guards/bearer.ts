import { unverifiedHeader } from '../../../identity/token/signed-token.js';
import { parseBasic } from '../../../platform/web/authorization-header.js';

/**
 * True if the header of a token declares an `mfa_token`. The header is not trusted: it only selects the rules that verify
 * the token, and the error code if they reject it.
 */
export function hasMfaTokenType(token: string): boolean {
  const header = unverifiedHeader(token);
  return typeof header === 'object' && header !== null && 'typ' in header && header.typ === 'mfa+jwt';
}

/** The credentials of an OAuth client. */
export interface ClientCredentials {
  readonly name: string;
  /** The secret as RFC 6749 encodes it and as it was sent: many clients encode nothing. */
  readonly secrets: readonly [decoded: string, sent: string];
}

/** The credentials in an `Authorization: Basic` header. */
export function parseClientCredentials(authorization: string): ClientCredentials | undefined {
  const pair = parseBasic(authorization);
  return pair && { name: formDecoded(pair.name), secrets: [formDecoded(pair.secret), pair.secret] };
}

/** RFC 6749 section 2.3.1 form-encodes both parts; text that cannot be decoded was not encoded. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
}
