export const ROLE_ADMIN = 'ROLE_ADMIN';

/** Names of roles that accounts may have: never the authority of a half-authenticated caller (`ROLE_PRE_MFA`). */
export const ROLE_FORM = /^(?!ROLE_PRE_MFA$)ROLE_[A-Z][A-Z0-9_]{0,58}$/;
/** Length of the column. */
const LONGEST = 1024;

/** The form in which roles are stored: their names in order, once each, between commas. */
export function rolesText(roles: readonly string[]): string {
  return [...new Set(roles)].sort().join(',');
}

export function rolesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

/** Names as a person writes them in a list: between commas, semicolons, bars or blanks. */
export function rolesWritten(text: string): readonly string[] {
  return text.split(/[\s,;|]+/).filter((role) => role !== '');
}

/** Whether accounts may have these roles. */
export function areRoles(roles: readonly string[]): boolean {
  return roles.every((role) => ROLE_FORM.test(role)) && rolesText(roles).length <= LONGEST;
}
