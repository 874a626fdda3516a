/** What stands in place of a value that is not shown. */
export const MASK = '******';

const SECRET_NAME = /(?:password|secret|token|key|credentials|passphrase|private-?key)$/i;
const LIST_INDEX = /(?:\[\d+\]|[._]\d+)$/;

/** The fixed rule of management-api.md 7.3, for keys and for the names of variables. */
export function namesSecret(name: string): boolean {
  return SECRET_NAME.test(name.replace(LIST_INDEX, '').replaceAll('_', '-'));
}

const USER_PART = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]+@/gi;
const SECRET_PARAMETER = /([?&;][^=&;\s]*(?:password|secret|token|key|credentials|passphrase)=)[^&;\s]*/gi;

/** Hides the user part of every URL in a text, and parameters named like secrets. */
export function maskUrls(text: string): string {
  return text.replaceAll(USER_PART, `$1${MASK}@`).replaceAll(SECRET_PARAMETER, `$1${MASK}`);
}

/** The text as it may be shown: whole, without the credentials in its URLs, or not at all. */
export function shown(text: string, isSecret: boolean, through: readonly string[] = []): string {
  if (isSecret || through.some(namesSecret)) return text === '' ? '' : MASK;
  return maskUrls(text);
}
