import { type Account, rolesText } from './account.js';

/** The parts of a change that its event states. */
interface StatedChange {
  readonly roles?: readonly string[] | undefined;
  readonly mfaRequired?: boolean | undefined;
  readonly email?: string | null | undefined;
}

/**
 * What a change replaces, for its event. Addresses, names and groups are personal data, which the event would keep after the
 * account is deleted, so only what became of them is stated.
 */
export function changeFacts(before: Account, change: StatedChange): Readonly<Record<string, string>> {
  const { roles, mfaRequired, email } = change;
  const [rolesBefore, rolesAfter] = [rolesText(before.roles), rolesText(roles ?? before.roles)];
  const address = email === undefined ? undefined : becameOf(before.email, email ?? undefined);
  return {
    ...(rolesBefore !== rolesAfter && { roles_before: shown(rolesBefore), roles_after: shown(rolesAfter) }),
    ...(mfaRequired !== undefined &&
      mfaRequired !== before.mfaRequired && { second_factor: mfaRequired ? 'required' : 'by_policy' }),
    ...(address !== undefined && { email: address }),
  };
}

function becameOf(before: string | undefined, after: string | undefined): string | undefined {
  if (before === after) return undefined;
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

/** Every account has ROLE_USER, stored or not. */
function shown(roles: string): string {
  return roles === '' ? 'ROLE_USER' : roles.replaceAll(',', ' ');
}
