/** An act on a user: the last part of the path of its page, whose form is sent to the same path. */
export type UserAct =
  | 'unlock'
  | 'remove-authenticator'
  | 'reset'
  | 'change'
  | 'roles'
  | 'password'
  | 'invite'
  | 'disable'
  | 'enable'
  | 'delete';

/** How the page of an act asks for it. */
export interface UserActRule {
  /** The help desk may perform it; `AccountAdministration` decides. */
  readonly byHelpDesk?: boolean;
  /** It takes something away, so administrators state a reason on its page, too. */
  readonly needsReason?: boolean;
  /** Its button is marked as dangerous. */
  readonly isDangerous?: boolean;
}

const USER_ACTS: Readonly<Record<UserAct, UserActRule>> = {
  unlock: { byHelpDesk: true },
  'remove-authenticator': { byHelpDesk: true, needsReason: true, isDangerous: true },
  reset: { byHelpDesk: true, needsReason: true, isDangerous: true },
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

/** True for the last part of the path of an act. */
export function isUserAct(text: string): text is UserAct {
  return Object.hasOwn(USER_ACTS, text);
}
