import { createHash } from 'node:crypto';

/** Where a person is known: the entity id of an identity provider, and its name for the person. */
export interface IdentityNames {
  readonly issuer: string;
  readonly person: string;
}

/** One row for a person of one identity provider; names are compared byte by byte, and may be long. */
export function identityId({ issuer, person }: IdentityNames): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, person]))
    .digest('base64url');
}

/**
 * What an account of staff is shown as, the best first: `<idp>:<person>`, or a mark in place of a name that another
 * account is shown by or that is no login id.
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
  return [...(named === undefined ? [] : [named]), `${idp}:~${mark}`];
}
