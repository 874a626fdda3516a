import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import type { CacheFacts } from '../../platform/cache/cache.js';
import type { CacheManager } from '../../platform/cache/cache-manager.service.js';
import { InProcessCache } from '../../platform/cache/in-process-cache.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { PWD, PWD_HWK, PWD_SWK } from '../../kernel/principal/amr.js';
import { SessionCopies } from './session-copies.service.js';
import type { Session } from './session.js';

const SECRET = 'A'.repeat(43);

function copiesOf(maxAgeMillis = 10_000) {
  const clock = new ManualClock();
  const stored = new Map<string, unknown>();
  const open = <V extends object | string>(facts: CacheFacts<V>): InProcessCache<V> => {
    const cache = new InProcessCache(facts, {}, clock);
    const put = cache.put.bind(cache);
    return Object.assign(cache, {
      put: (key: string, value: V, ageMillis?: number) => {
        stored.set(key, v.parse(facts.schema, JSON.parse(JSON.stringify(value))));
        put(key, value, ageMillis);
      },
    });
  };
  const copies = new SessionCopies(maxAgeMillis, clock, { open } as unknown as CacheManager);
  const session: Session = {
    ...{ id: 'sid', subject: 'anna', kind: 'portal', amr: PWD, authTime: clock.seconds() },
    ...{ createdAt: clock.seconds(), lastUsedAt: clock.seconds() - 90, expiresAt: clock.seconds() + 1800 },
    ...{ ip: '192.0.2.7', agent: 'a browser', idpSession: 'at the provider' },
  };
  let reads = 0;
  const reading = (of: Session | undefined) => (): Promise<Session | undefined> => {
    reads += 1;
    return Promise.resolve(of);
  };
  const commit = (idOrSubject: string): void => {
    const listeners: (() => void)[] = [];
    copies.dropAfterCommit(
      { afterCommit: (listener: () => void) => listeners.push(listener) } as unknown as Tx,
      idOrSubject,
    );
    for (const listener of listeners) listener();
  };
  return { copies, clock, session, stored, reading, commit, reads: () => reads };
}

describe('copies of sessions', () => {
  it('a session is read once within its age, and again after it', async () => {
    const { copies, clock, session, reading, reads } = copiesOf();

    for (const seconds of [0, 9, 1]) {
      clock.advance(seconds);
      await copies.find('sid', reading(session));
    }

    expect(reads()).toBe(2);
  });

  it('without an age, every request reads', async () => {
    const { copies, session, reading, reads } = copiesOf(0);

    for (let times = 0; times < 3; times++) await copies.find('sid', reading(session));

    expect(reads()).toBe(3);
  });

  it('a copy has neither address, browser nor session at the provider, and its use needs no note', async () => {
    const { copies, clock, session, reading, stored } = copiesOf();

    await copies.find('sid', reading(session));
    const copy = await copies.find('sid', reading(undefined));

    const { id, subject, kind, amr, authTime, createdAt, expiresAt } = session;
    const facts = { id, subject, kind, amr, authTime, createdAt, expiresAt };
    expect(copy).toEqual({ ...facts, lastUsedAt: clock.seconds() });
    expect([...stored.values()]).toEqual([copy]);
  });

  it.each([PWD_HWK, PWD_SWK].map((amr) => [amr]))('a copy keeps the methods %j of a passkey', async (amr) => {
    const { copies, session, reading } = copiesOf();

    await copies.find('sid', reading({ ...session, amr }));

    expect(await copies.find('sid', reading(undefined))).toMatchObject({ amr });
  });

  it('S3: neither the value of a cookie nor a half-authenticated session is kept', async () => {
    const { copies, session, reading, stored, reads } = copiesOf();

    await copies.findBySecret(SECRET, reading(session));
    await copies.find('half', reading({ ...session, id: 'half', halfSecurityStamp: 1 }));
    await copies.find('half', reading({ ...session, id: 'half', halfSecurityStamp: 1 }));

    expect([...stored.keys()]).toEqual([expect.stringMatching(/^cookie:[\w-]{43}$/)]);
    expect(JSON.stringify([...stored])).not.toContain(SECRET);
    expect(reads()).toBe(3);
  });

  it.each([
    ['of that session', 'sid'],
    ['of all sessions of the account', 'anna'],
  ])('S6: after the commit of a change %s, no copy is used, by id or by cookie', async (_, changed) => {
    const { copies, session, reading, commit } = copiesOf();
    await copies.find('sid', reading(session));
    await copies.findBySecret(SECRET, reading(session));

    commit(changed);

    expect(await copies.find('sid', reading(undefined))).toBeUndefined();
    expect(await copies.findBySecret(SECRET, reading(undefined))).toBeUndefined();
  });

  it('S6: a copy that a slow read stores after the end of its session is not used', async () => {
    const { copies, clock, session, reading, commit } = copiesOf();
    let respond: (session: Session) => void = () => undefined;
    const slow = copies.find('sid', () => new Promise<Session>((resolve) => (respond = resolve)));
    await Promise.resolve();

    clock.advance(3);
    commit('sid');
    respond(session);
    await slow;
    const atOnce = await copies.find('sid', reading(undefined));
    clock.advance(9);

    expect(atOnce).toBeUndefined();
    expect(await copies.find('sid', reading(undefined))).toBeUndefined();
  });

  it('S6: more ends than can be remembered refuse all copies instead', async () => {
    const { copies, session, reading, commit } = copiesOf();
    await copies.find('sid', reading(session));

    commit('sid');
    for (let number = 0; number < 10_000; number++) commit(String(number));

    expect(await copies.find('sid', reading(undefined))).toBeUndefined();
  });

  it('a copy of a session that has expired meanwhile is not used', async () => {
    const { copies, clock, session, reading } = copiesOf();
    await copies.find('sid', reading({ ...session, expiresAt: clock.seconds() + 5 }));

    clock.advance(5);

    expect(await copies.find('sid', reading(undefined))).toBeUndefined();
  });
});
