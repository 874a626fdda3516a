import { RECOVERY_PAGES } from '../auth/page-paths.js';
import type { Account } from '../../identity/account/account.js';
import type { LastLock } from '../../identity/second-factor/attempts/attempt.js';
import { hashSecret, isSecretForm } from '../../identity/session/session.js';

/** Kinds of mailed links; each permits one act of one account (authentication.md 2.5). */
export type LinkKind = 'password-reset' | 'unlock' | 'invitation' | 'not-me' | 'email';

/** The pages that the links open. */
export const LINK_PAGES: Readonly<Record<LinkKind, string>> = {
  'password-reset': RECOVERY_PAGES.reset,
  unlock: RECOVERY_PAGES.unlock,
  invitation: RECOVERY_PAGES.invitation,
  'not-me': RECOVERY_PAGES['not-me'],
  email: RECOVERY_PAGES.email,
};

/** Version of an address that the account no longer has, and that no present one equals. */
export const FORMER_ADDRESS = -1;

/** Name of the token in the query of a link, in a form, and in the body of a request. */
export const LINK_TOKEN = 'token';

/** The effects of a report besides the end of all access. */
export interface ReportOutcome {
  /** True if the account has no mail address now, and no link was mailed. */
  readonly isAddressRemoved: boolean;
}

export interface LinkFacts {
  readonly account: Account;
  /** Needed for `unlock` alone. */
  readonly lock?: LastLock | undefined;
  /** The address that the link confirms; needed for `email` alone. */
  readonly email?: string | undefined;
}

/** The row of an account and kind. Notices do not replace the links of each other, since users may open any of the mails. */
export function slotOf(kind: LinkKind, subject: string, tokenHash: string): string {
  return kind === 'not-me' ? `${kind}:${tokenHash}` : `${kind}:${subject}`;
}

/**
 * What the account must still be when a link of this kind is used, as a hash: a link is void once the mail address of the
 * account was changed, even if the former one came back, apart from that of a report, which is also mailed to the previous address. A link for a password is void once the
 * account has another one, and a link that unlocks is for one lock. A link that confirms an address is void once anything has ended
 * the logins in progress, such as a report. Undefined if the account gets no such link.
 */
export function stateOf(kind: LinkKind, facts: LinkFacts): string | undefined {
  const state = partsOf(kind, facts);
  return state && hashSecret(JSON.stringify(state));
}

function partsOf(kind: LinkKind, { account, lock, email: confirmed }: LinkFacts): readonly unknown[] | undefined {
  const { passwordVersion, email = '', emailVersion, securityStamp, invitedAt } = account;
  // Links of before the first change of an address have no version.
  const address = emailVersion === 0 ? [email] : [email, emailVersion];
  switch (kind) {
    case 'password-reset':
      return canResetPassword(account) ? [passwordVersion, ...address] : undefined;
    case 'invitation':
      return invitedAt === undefined ? undefined : [passwordVersion, ...address];
    case 'unlock':
      return lock && [lock.id, ...address];
    case 'not-me':
      return [];
    case 'email':
      return confirmed === undefined ? undefined : [confirmed, securityStamp, ...address];
  }
}

/**
 * True for a user who had a password here: staff sign in at their identity provider, and an account without a password gets
 * its first one by an invitation.
 */
export function canResetPassword({ kind, hasPassword, passwordVersion, invitedAt }: Account): boolean {
  return kind === 'local' && invitedAt === undefined && (hasPassword || passwordVersion > 0);
}

/** Undefined for a text that is no token of ours, which is not looked up. */
export function hashOfToken(token: string): string | undefined {
  return isSecretForm(token) ? hashSecret(token) : undefined;
}
