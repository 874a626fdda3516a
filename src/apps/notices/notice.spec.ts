import { describe, expect, it } from 'vitest';
import type { EventKind } from '../../identity/events/security-event.js';
import { NOTICE_EVENTS, NOTICE_KINDS, noticeKindOf } from './notice.js';

describe('noticeKindOf', () => {
  it.each<[EventKind, string | null, string | undefined]>([
    ['MFA_CONFIRMED', null, 'mfa-on'],
    ['MFA_CONFIRMED', 'replaced', 'mfa-replaced'],
    ['MFA_CONFIRMED', 'added', 'app-added'],
    ['TOTP_REMOVED', null, 'app-removed'],
    ['PASSKEY_ADDED', null, 'passkey-on'],
    ['PASSKEY_ADDED', 'added', 'passkey-added'],
    ['PASSKEY_REMOVED', null, 'passkey-removed'],
    ['PASSKEY_COUNTER', null, 'passkey-counter'],
    ['PASSKEY_COUNTER', 'passkey_counter', 'passkey-counter'],
    ['MFA_DISABLED', null, 'mfa-off'],
  ])('the notice about %s with the reason %s is %s', (kind, reason, notice) => {
    expect(NOTICE_EVENTS).toContain(kind);
    expect(noticeKindOf({ kind, reason })).toBe(notice);
    expect(NOTICE_KINDS).toContain(notice);
  });
});
