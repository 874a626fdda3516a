/**
 * True if the header of a token declares an `mfa_token`. The header is not trusted: it only selects the rules that verify
 * the token, and the error code if they reject it.
 */
export function hasMfaTokenType(token: string): boolean {
  const [header = ''] = token.split('.', 1);
  try {
    const { typ } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly typ?: unknown };
    return typ === 'mfa+jwt';
  } catch {
    return false;
  }
}

/** The token of an `Authorization` header (RFC 6750 section 2.1); undefined for any other form. */
export function parseBearer(authorization: string): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
}

/** Content of an `Authorization: Basic` header. */
export interface BasicCredentials {
  readonly name: string;
  readonly secret: string;
}

/** Name and secret of an `Authorization: Basic` header (RFC 7617), in UTF-8; undefined for any other form. */
export function parseBasic(authorization: string): BasicCredentials | undefined {
  const encoded = /^Basic +([\w+/-]+=*) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
  return rest.length === 0 ? undefined : { name, secret: rest.join(':') };
}

/** Id and secret of an OAuth client in an `Authorization: Basic` header. */
export function parseClientCredentials(authorization: string): BasicCredentials | undefined {
  const pair = parseBasic(authorization);
  return pair && { name: formDecoded(pair.name), secret: formDecoded(pair.secret) };
}

/** RFC 6749 section 2.3.1 form-encodes both parts; text that cannot be decoded was not encoded. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
}
