import type { FieldError } from '../../kernel/errors/service-error.js';

/** Claims about a user for other applications: display name and groups. They authorize nothing here, unlike roles. */

/** Length of the column. */
export const MAX_DISPLAY_NAME_LENGTH = 255;
/** Controls, line separators and marks that reorder text: a name stands in sentences of pages and mails. */
const DISPLAY_NAME = /^[^\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u;

const MAX_GROUP_LENGTH = 64;
/** Visible characters without comma, with single blanks between them. */
const GROUP = /^[^\p{C}\p{Z},]+(?: [^\p{C}\p{Z},]+)*$/u;
/** Length of the column. */
const MAX_GROUPS_LENGTH = 1024;

/** The form in which a display name is stored; undefined for a text that is none. */
export function displayNameOf(text: string): string | undefined {
  const name = text.normalize('NFC').trim();
  return name.isWellFormed() && name.length <= MAX_DISPLAY_NAME_LENGTH && DISPLAY_NAME.test(name) ? name : undefined;
}

/** What pages and mails call a user. */
export function calledName({
  displayName,
  loginId,
}: {
  readonly displayName?: string;
  readonly loginId: string;
}): string {
  return displayName ?? loginId;
}

function isGroup(group: string): boolean {
  return group.isWellFormed() && group.length <= MAX_GROUP_LENGTH && GROUP.test(group);
}

/** The form in which groups are stored: unique names in alphabetical order, separated by commas. */
export function groupsText(groups: readonly string[]): string {
  return [...new Set(groups.map((group) => group.normalize('NFC')))].sort().join(',');
}

/** The groups of a stored text. */
export function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

/** The groups of a list that a user wrote: names between commas, since a name may contain blanks. */
export function groupsWritten(text: string): readonly string[] {
  return text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
}

/**
 * The groups of another system that an account may have: without those whose names cannot be stored, and none at all if they are
 * too long together, since a part of them would be an arbitrary one.
 */
export function usableGroups(written: readonly string[]): readonly string[] {
  const groups = groupsOf(groupsText(written.map((group) => group.trim()).filter(isGroup)));
  return areGroups(groups) ? groups : [];
}

/** True if an account may have these groups. */
function areGroups(groups: readonly string[]): boolean {
  return groups.every(isGroup) && groupsText(groups).length <= MAX_GROUPS_LENGTH;
}

/** The errors of a name and groups by their members of requests; null and undefined are none. */
export function profileProblems(profile: {
  readonly displayName: string | null | undefined;
  readonly groups: readonly string[] | undefined;
}): readonly FieldError[] {
  const { displayName, groups } = profile;
  const isNoName = typeof displayName === 'string' && displayNameOf(displayName) === undefined;
  return [
    ...(isNoName ? [{ field: 'name', code: 'malformed' }] : []),
    ...(groups && !areGroups(groups) ? [{ field: 'groups', code: 'malformed' }] : []),
  ];
}
