import { beforeEach, expect, it } from 'vitest';
import { EventStore } from '../../../src/identity/events/event.store.js';
import type { EventRow } from '../../../src/identity/events/event-line.js';
import { SignInCountStore } from '../../../src/identity/events/sign-ins/sign-in-count.store.js';
import { SignInCounts } from '../../../src/identity/events/sign-ins/sign-in-counts.service.js';
import { HOUR } from '../../../src/identity/events/sign-ins/sign-in-hour.js';
import { SystemRandom, timeOrderedId } from '../../../src/kernel/random/random.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';

const START = 1_799_996_400;
const DAY = 24 * HOUR;
const random = new SystemRandom();

const EMPTY = {
  ...{ user_id: null, actor: null, ip: null, agent: null, request_id: null, idp: null },
  ...{ authn_context: null, amr: null, result: 'ok', reason: null, detail: null },
};

function eventAt(seconds: number, kind: string, reason: string | null = null): EventRow {
  const at = seconds * 1000;
  return { ...EMPTY, id: timeOrderedId(at, random.bytes(10)), at, kind, reason };
}

onEveryDatabase('sign-ins by hour', (database) => {
  let clock: ManualClock;
  const counts = (): SignInCounts => new SignInCounts(new EventStore(), new SignInCountStore(), database.work, clock);
  const record = (...rows: readonly EventRow[]): Promise<void> =>
    database.work.single((tx) => new EventStore().insert(tx, rows));

  beforeEach(async () => {
    clock = new ManualClock(START);
    for (const table of ['security_event', 'sign_in_count']) {
      await database.work.single((tx) => tx.change(`DELETE FROM ${table}`));
    }
  });

  it('U10: a sign-in in two steps counts once, and an abandoned one does not count', async () => {
    await record(
      ...[eventAt(START, 'LOGIN_PASSWORD_OK'), eventAt(START, 'MFA_CHALLENGED'), eventAt(START + 20, 'MFA_OK')],
      ...[eventAt(START + 30, 'LOGIN_PASSWORD_OK'), eventAt(START + 30, 'MFA_CHALLENGED')],
      eventAt(START + 40, 'LOGIN_PASSWORD_OK'),
      ...[eventAt(START + 50, 'SAML_OK'), eventAt(START + 51, 'SAML_OK', 'local'), eventAt(START + 70, 'MFA_OK')],
      eventAt(START + 80, 'SAML_OK', 'would_deny'),
      eventAt(START + 90, 'LOGIN_PASSKEY_OK'),
    );
    clock.advance(120);

    expect((await counts().recent()).at(-1)).toEqual({ hour: START, completed: 6, failed: 0 });
  });

  it('U10: wrong passwords, wrong codes, used codes and rejected messages of identity providers count as failed', async () => {
    const kinds = [
      'LOGIN_PASSWORD_FAILED',
      'LOGIN_PASSKEY_FAILED',
      'MFA_FAILED',
      'MFA_REPLAY',
      'SAML_REJECTED',
      'MFA_LOCKED',
      'USER_CHANGED',
    ];
    await record(...kinds.map((kind) => eventAt(START + 1, kind)));

    expect((await counts().recent()).at(-1)).toEqual({ hour: START, completed: 0, failed: 5 });
  });

  it('U10: hours that are over are stored, the oldest first, and counted only once by two replicas', async () => {
    await record(eventAt(START - 1, 'LOGIN_PASSWORD_OK'), eventAt(START, 'LOGIN_PASSWORD_OK'));
    await record(eventAt(START - 3 * DAY, 'LOGIN_PASSWORD_FAILED'), eventAt(START - 40 * DAY, 'LOGIN_PASSWORD_OK'));
    // The hour before ends with events that may not be committed yet.
    expect((await counts().recent()).slice(-2)).toEqual([
      { hour: START - HOUR, completed: 1, failed: 0 },
      { hour: START, completed: 1, failed: 0 },
    ]);
    clock.advance(301);

    while ((await Promise.all([counts().countPast(), counts().countPast()])).some((number) => number > 0));

    const recent = await counts().recent();
    expect(recent).toHaveLength(32 * 24);
    expect(new Set(recent.map(({ hour }) => hour)).size).toBe(32 * 24);
    expect(recent.filter(({ completed, failed }) => completed + failed > 0)).toEqual([
      { hour: START - 3 * DAY, completed: 0, failed: 1 },
      { hour: START - HOUR, completed: 1, failed: 0 },
      { hour: START, completed: 1, failed: 0 },
    ]);
  });

  it('U10: an hour is stored five minutes after its end, when no event of it can be committed any more', async () => {
    const last = async (): Promise<number | undefined> => database.work.single((tx) => new SignInCountStore().last(tx));
    while ((await counts().countPast()) > 0);
    expect(await last()).toBe(START - 2 * HOUR);

    clock.advance(299);
    await counts().countPast();
    expect(await last()).toBe(START - 2 * HOUR);

    clock.advance(1);
    await counts().countPast();
    expect(await last()).toBe(START - HOUR);
  });
});
