import { createHash } from 'node:crypto';

/** A person as one identity provider knows them. */
export interface IdentityNames {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** What it calls the person for good. */
  readonly person: string;
  /** Who gave the name, where that is somebody else; `person` begins with it. */
  readonly qualifier?: string;
}

const LONGEST_NAME = 512;

/** Whether a text can name a person: not blank, at most 512 characters, no control characters. */
export function isPersonName(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text);
}

/** One row for a person of one identity provider; names are compared byte by byte, and may be long. */
export function identityId({ issuer, person, qualifier }: IdentityNames): string {
  // Beside the whole name: alone, where the qualifier ends could be read in two ways.
  const names = qualifier === undefined ? [issuer, person] : [issuer, person, qualifier];
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url');
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
  // Nobody may be named so as to take the mark of somebody else.
  const isFree = named !== undefined && !named.startsWith(`${idp}:~`);
  return [...(isFree ? [named] : []), `${idp}:~${mark}`];
}
