import { createHash } from 'node:crypto';

/** A person as one identity provider knows them. */
export interface IdentityNames {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Its persistent name of the person. */
  readonly person: string;
  /** The authority that assigned the name, if it is another one; `person` begins with it. */
  readonly qualifier?: string;
}

const MAX_NAME_LENGTH = 512;

/** True for the name of a person: not blank, at most 512 characters, no control characters. */
export function isPersonName(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(text);
}

/** The id of a person at one identity provider; names are compared byte by byte, and may be long. */
export function identityId({ issuer, person, qualifier }: IdentityNames): string {
  // In addition to the whole name: by itself, the end of the qualifier would be ambiguous.
  const names = qualifier === undefined ? [issuer, person] : [issuer, person, qualifier];
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url');
}

/**
 * Login ids for an account of staff, the best first: `<idp>:<person>`, or a generated id if that one is taken or is not
 * a login id.
 */
export function shownLoginIds(
  idp: string,
  names: IdentityNames,
  formOf: (text: string) => string | undefined,
): string[] {
  const mark = identityId(names)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase()
    .slice(0, 20);
  const named = formOf(`${idp}:${names.person}`);
  // A name must not equal the generated id of another person.
  const isFree = named !== undefined && !named.startsWith(`${idp}:~`);
  return [...(isFree ? [named] : []), `${idp}:~${mark}`];
}
