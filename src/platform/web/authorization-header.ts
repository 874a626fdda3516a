/** The token of an `Authorization` header (RFC 6750 section 2.1); undefined for any other form. */
export function parseBearer(authorization: string): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
}

/** The content of an `Authorization: Basic` header. */
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
