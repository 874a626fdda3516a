import type { Amr } from '../../kernel/principal/amr.js';

/** The closed list of security events (docs/reference/events.md). */
export const KINDS = [
  'LOGIN_PASSWORD_OK',
  'LOGIN_PASSWORD_FAILED',
  'LOGIN_PASSKEY_OK',
  'LOGIN_PASSKEY_FAILED',
  'MFA_CHALLENGED',
  'MFA_OK',
  'MFA_FAILED',
  'MFA_REPLAY',
  'MFA_LOCKED',
  'MFA_UNLOCKED',
  'MFA_SETUP',
  'MFA_CONFIRMED',
  'MFA_DISABLED',
  'MFA_RESET_BY_ADMIN',
  'ACCESS_CODE_ISSUED',
  'ACCESS_CODE_USED',
  'TOTP_REMOVED',
  'PASSKEY_ADDED',
  'PASSKEY_REMOVED',
  'PASSKEY_COUNTER',
  'BACKUP_USED',
  'BACKUP_REISSUED',
  'BACKUP_LOW',
  'TOKEN_REFRESHED',
  'TOKEN_REUSE',
  'SESSION_REVOKED',
  'NEW_DEVICE',
  'DEVICE_TRUSTED',
  'DEVICE_REVOKED',
  'APPLICATION_SIGNED_IN',
  'APPLICATION_SIGNED_OUT',
  'STEP_UP_OK',
  'SAML_OK',
  'SAML_REJECTED',
  'PASSWORD_CHANGED',
  'PASSWORD_RESET',
  'NOT_ME_REPORTED',
  'EMAIL_REQUESTED',
  'EMAIL_CONFIRMED',
  'USER_CREATED',
  'USER_CHANGED',
  'USER_DELETED',
  'USER_INVITED',
  'INVITATION_ACCEPTED',
  'USERS_IMPORTED',
  'USER_EXPORTED',
  'EVENTS_EXPORTED',
  'MAIL_RESENT',
  'WEBHOOK_RESENT',
  'ADMIN_ACT_REFUSED',
  'KEY_ROTATED',
  'LOGLEVEL_CHANGED',
  'DATABASE_RESTORED',
  'EVENT_CHAIN_RESTARTED',
] as const;

export type EventKind = (typeof KINDS)[number];

/** Facts of an event; time, address, agent and request id are added when it is recorded. */
export interface SecurityEvent {
  readonly kind: EventKind;
  /** The affected account; unset if the login id is unknown. */
  readonly subject?: string;
  /** The actor, if it is not the account itself: the subject of an administrator, or `cli:<user>` for a command. */
  readonly actor?: string;
  readonly result?: 'ok' | 'refused';
  /** One of a few words, never input of a caller. */
  readonly reason?: string;
  readonly amr?: Amr;
  readonly idp?: string;
  /** The raw class an identity provider named (AuthnContextClassRef). */
  readonly authnContext?: string;
  /** Further facts of the kind by name; validated, and never a secret. */
  readonly detail?: Readonly<Record<string, string>>;
}
