import type { EventRow } from '../../identity/events/event-line.js';
import type { EventKind } from '../../identity/events/security-event.js';
import type { MailFacts } from '../../platform/mail/mail-message.js';
import type { Messages } from '../../signin/messages/messages.js';

export type NoticeKind = keyof Messages['notices']['kinds'];

/**
 * The notice about each kind of event. `BACKUP_LOW` has none: it is always recorded with `BACKUP_USED`, whose notice
 * states the remaining codes.
 */
const NOTICE_OF_EVENT = {
  MFA_CONFIRMED: 'mfa-on',
  MFA_DISABLED: 'mfa-off',
  MFA_RESET_BY_ADMIN: 'mfa-reset',
  ACCESS_CODE_ISSUED: 'access-code',
  TOTP_REMOVED: 'app-removed',
  PASSKEY_ADDED: 'passkey-on',
  PASSKEY_REMOVED: 'passkey-removed',
  PASSKEY_COUNTER: 'passkey-counter',
  MFA_LOCKED: 'locked',
  BACKUP_REISSUED: 'codes-reissued',
  BACKUP_USED: 'code-used',
  NEW_DEVICE: 'new-device',
  EMAIL_REQUESTED: 'address-requested',
  PASSWORD_CHANGED: 'password-changed',
  PASSWORD_RESET: 'password-reset',
  TOKEN_REUSE: 'token-reuse',
} as const satisfies Partial<Record<EventKind, NoticeKind>>;

export type NoticeEvent = keyof typeof NOTICE_OF_EVENT;

export const NOTICE_EVENTS = Object.keys(NOTICE_OF_EVENT) as readonly NoticeEvent[];

/** Notices about events whose text depends on the reason. */
const NOTICE_OF_REASON: ReadonlyMap<string, NoticeKind> = new Map<string, NoticeKind>([
  ['MFA_CONFIRMED replaced', 'mfa-replaced'],
  ['MFA_CONFIRMED added', 'app-added'],
  ['PASSKEY_ADDED added', 'passkey-added'],
]);

/** Notices that `NoticeMails` composes with facts about the account. */
export const NOTICE_KINDS: readonly NoticeKind[] = [
  ...Object.values(NOTICE_OF_EVENT),
  ...NOTICE_OF_REASON.values(),
  'address-changed',
];

/** The notice about an event of `NOTICE_EVENTS`. */
export function noticeKindOf({ kind, reason }: Pick<EventRow, 'kind' | 'reason'>): NoticeKind {
  return NOTICE_OF_REASON.get(`${kind} ${reason ?? ''}`) ?? NOTICE_OF_EVENT[kind as NoticeEvent];
}

/** Name of the mail template of a notice. */
export function templateOf(kind: NoticeKind): string {
  return `notice-${kind}`;
}

/** Facts that a notice reports. */
export interface NoticeFacts {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True for an act of an administrator or an operator, whose address and browser do not concern the user. */
  readonly isByAdministrator: boolean;
  readonly ip?: string;
  readonly agent?: string;
  /** Unused backup codes after the event. */
  readonly remaining?: number;
  /** Number of notices of the same kind that were mailed before; set in the last notice of an hour. */
  readonly several?: number;
}

/** The facts of an event that its notice stores until it is sent. */
export function mailFactsOf({ at, user_id: subject, actor, ip, agent, detail }: EventRow): MailFacts {
  if (actor !== null && actor !== subject) return { at: String(at), by: 'administrator' };
  const { remaining } = (detail === null ? {} : JSON.parse(detail)) as Readonly<Record<string, string>>;
  return {
    at: String(at),
    ...(ip !== null && { ip }),
    ...(agent !== null && { agent }),
    ...(remaining !== undefined && { remaining }),
  };
}

export function noticeFactsOf({ at, by, ip, agent, remaining, several }: MailFacts): NoticeFacts {
  return {
    at: Number(at),
    isByAdministrator: by !== undefined,
    ...(ip !== undefined && { ip }),
    ...(agent !== undefined && { agent }),
    ...(remaining !== undefined && { remaining: Number(remaining) }),
    ...(several !== undefined && { several: Number(several) }),
  };
}
