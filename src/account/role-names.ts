import { ROLE_PRE_MFA } from '../principal/principal.js';

export const ROLE_ADMIN = 'ROLE_ADMIN';
export const ROLE_MANAGEMENT = 'ROLE_MANAGEMENT';

const FORM = /^ROLE_[A-Z][A-Z0-9_]{0,58}$/;
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

/**
 * Whether accounts may have these roles: `ROLE_` and capital letters, digits or underscores. Never the authority of a
 * half-authenticated caller.
 */
export function areRoles(roles: readonly string[]): boolean {
  return roles.every((role) => FORM.test(role) && role !== ROLE_PRE_MFA) && rolesText(roles).length <= LONGEST;
}
