let common: Promise<ReadonlySet<string>> | undefined;

/** Passwords in lower case that are found first in lists of stolen ones; read when they are needed for the first time. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return common;
}
