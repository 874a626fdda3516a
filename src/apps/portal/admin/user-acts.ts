/** An act on a user. Its name is the last segment of the path of its page and of its form. */
export type UserAct =
  | 'unlock'
  | 'remove-authenticator'
  | 'reset'
  | 'access-code'
  | 'change'
  | 'roles'
  | 'password'
  | 'invite'
  | 'disable'
  | 'enable'
  | 'delete';

/** Rules for the page of an act. */
export interface UserActRule {
  /** True if the help desk may see the page; `AccountAdministration` decides about the act itself. */
  readonly byHelpDesk?: boolean;
  /** True if administrators must state a reason, because the act removes access or authenticators. */
  readonly needsReason?: boolean;
  /** True if the button is marked as dangerous. */
  readonly isDangerous?: boolean;
}

const USER_ACTS: Readonly<Record<UserAct, UserActRule>> = {
  unlock: { byHelpDesk: true },
  'remove-authenticator': { byHelpDesk: true, needsReason: true, isDangerous: true },
  reset: { byHelpDesk: true, needsReason: true, isDangerous: true },
  'access-code': { byHelpDesk: true, needsReason: true },
  change: {},
  roles: { needsReason: true },
  password: { isDangerous: true },
  invite: {},
  disable: { needsReason: true, isDangerous: true },
  enable: {},
  delete: { needsReason: true, isDangerous: true },
};

export function actRule(act: UserAct): UserActRule {
  return USER_ACTS[act];
}

/** True if the path segment names an act. */
export function isUserAct(text: string): text is UserAct {
  return Object.hasOwn(USER_ACTS, text);
}
