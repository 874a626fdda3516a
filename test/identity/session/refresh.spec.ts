import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import { openDatabase, unitOfWork } from '../../../src/platform/persistence/database.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { PWD, PWD_OTP } from '../../../src/kernel/principal/amr.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Rate } from '../../../src/platform/rate-limit/rate.js';
import { Sealer } from '../../../src/platform/sealing/sealer.js';
import type { OpenedSession } from '../../../src/identity/session/session.js';
import type { Rotation, SessionRefresh } from '../../../src/identity/session/session-refresh.service.js';
import type { Sessions } from '../../../src/identity/session/sessions.service.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { type TokenParts, tokenParts } from '../../support/login/token-parts.js';
import { roundsInTier } from '../../support/runner/tier.js';

const DAY = 86_400;
const RACERS = 20;
const ROUNDS = roundsInTier(4, { inFull: 20 });

const admit = (): Promise<string> => Promise.resolve('admitted');
const valueOf = (opened: OpenedSession): string => opened.refreshToken?.value ?? '';
const successorOf = (rotation: Rotation<unknown>): string =>
  rotation.kind === 'rejected' ? rotation.reason : rotation.kind === 'limited' ? 'limited' : valueOf(rotation.opened);
const raced = (replicas: readonly SessionRefresh[], value: string): Promise<readonly Rotation<string>[]> =>
  Promise.all(
    Array.from({ length: RACERS }, (_, index) =>
      (replicas[index % replicas.length] as SessionRefresh).rotate(value, admit),
    ),
  );
const kindsOf = (rotations: readonly Rotation<unknown>[]): Readonly<Record<string, number>> => {
  const groups = Map.groupBy(rotations, ({ kind }) => kind);
  return Object.fromEntries(Array.from(groups, ([kind, members]) => [kind, members.length]));
};

onEveryDatabase('refresh tokens', (database) => {
  const clock = new ManualClock();
  const partsWith = (graceSeconds?: number): TokenParts =>
    tokenParts(database.work, clock, graceSeconds === undefined ? {} : { graceSeconds });
  const opened = (subject = 'anna', { sessions } = partsWith()): Promise<OpenedSession> =>
    open(database.work, sessions, subject, clock);
  const eventsOf = async (subject: string): Promise<readonly string[]> => {
    const sql = 'SELECT kind FROM security_event WHERE user_id = ? ORDER BY kind';
    const rows = await database.work.single((tx) => tx.rows<{ readonly kind: string }>(sql, [subject]));
    return rows.map(({ kind }) => kind);
  };

  it('a refresh token is exchanged for a successor, and the session keeps its facts', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const { session, refreshToken } = await opened('first', parts);
    clock.advance(100);

    const rotation = await refreshes.rotate(refreshToken?.value ?? '', (_tx, { id }) => Promise.resolve(id));

    const expiresAt = clock.seconds() + 14 * DAY;
    expect(rotation).toMatchObject({
      kind: 'rotated',
      admitted: session.id,
      opened: { session: { ...session, lastUsedAt: clock.seconds(), expiresAt }, refreshToken: { expiresAt } },
    });
    expect(successorOf(rotation)).not.toBe(refreshToken?.value);
    expect(await eventsOf('first')).toEqual(['TOKEN_REFRESHED']);
    expect(await sessions.find(session.id)).toMatchObject({ amr: PWD, authTime: session.authTime, expiresAt });
  });

  it('S1: reuse of a refresh token after the grace period ends the session and all its tokens', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const first = await opened('robbed', parts);
    const successor = successorOf(await refreshes.rotate(valueOf(first), admit));
    clock.advance(11);

    const replayed = await refreshes.rotate(valueOf(first), admit);

    expect(replayed).toEqual({ kind: 'rejected', reason: 'reused', subject: 'robbed' });
    expect(await sessions.find(first.session.id)).toBeUndefined();
    expect(await refreshes.rotate(successor, admit)).toEqual({ kind: 'rejected', reason: 'unknown' });
    expect(await eventsOf('robbed')).toEqual(['TOKEN_REFRESHED', 'TOKEN_REUSE']);
  });

  it('reuse of a refresh token within the grace period returns the same successor', async () => {
    const parts = partsWith();
    const { refreshes } = parts;
    const first = await opened('tabs', parts);
    const rotated = await refreshes.rotate(valueOf(first), admit);
    clock.advance(10);

    const repeated = await refreshes.rotate(valueOf(first), admit);

    expect(repeated).toMatchObject({ kind: 'repeated', admitted: 'admitted' });
    expect(successorOf(repeated)).toBe(successorOf(rotated));
    expect(await eventsOf('tabs')).toEqual(['TOKEN_REFRESHED']);
  });

  it('reuse within the grace period ends the session when the successor was used', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const first = await opened('thief', parts);
    await refreshes.rotate(successorOf(await refreshes.rotate(valueOf(first), admit)), admit);

    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ kind: 'rejected', reason: 'reused' });
    expect(await sessions.find(first.session.id)).toBeUndefined();
  });

  it('reuse without a grace period ends the session', async () => {
    const parts = partsWith(0);
    const { sessions, refreshes } = parts;
    const first = await opened('strict', parts);
    await refreshes.rotate(valueOf(first), admit);

    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ kind: 'rejected', reason: 'reused' });
    expect(await sessions.find(first.session.id)).toBeUndefined();
  });

  it('the grace period applies when the clock of another replica is two seconds behind', async () => {
    const parts = partsWith();
    const { refreshes } = parts;
    const first = await opened('skewed', parts);
    const rotated = await refreshes.rotate(valueOf(first), admit);
    clock.advance(-2);

    expect(successorOf(await refreshes.rotate(valueOf(first), admit))).toBe(successorOf(rotated));
    clock.advance(2);
  });

  it('a clock set back by an hour does not extend the grace period', async () => {
    const parts = partsWith();
    const { refreshes } = parts;
    const first = await opened('setback', parts);
    await refreshes.rotate(valueOf(first), admit);
    clock.advance(-3600);

    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ kind: 'rejected', reason: 'reused' });
    clock.advance(3600);
  });

  it('S8: a refresh token and its session expire after 14 days without an event', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const first = await opened('idle', parts);
    clock.advance(14 * DAY);

    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ kind: 'rejected', reason: 'expired' });
    expect(await sessions.find(first.session.id)).toBeUndefined();
    expect(await eventsOf('idle')).toEqual([]);
  });

  it('S8: a session cannot be refreshed after 90 days', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const first = await opened('busy', parts);
    let value = valueOf(first);
    for (let day = 10; day < 90; day += 10) {
      clock.advance(10 * DAY);
      value = successorOf(await refreshes.rotate(value, admit));
    }
    expect((await sessions.find(first.session.id))?.expiresAt).toBe(first.session.createdAt + 90 * DAY);
    clock.advance(10 * DAY);

    expect(await refreshes.rotate(value, admit)).toMatchObject({ kind: 'rejected', reason: 'expired' });
  });

  it('a step-up supersedes the refresh token without an event, and the new one works', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const first = await opened('raised', parts);
    const facts = { amr: PWD_OTP, mfaAt: clock.seconds(), mfaMethod: 'totp' };
    const raised = await database.work.run((tx) => sessions.stepUp(tx, first.session.id, facts));

    expect(await refreshes.rotate(valueOf(first), admit)).toEqual({
      kind: 'rejected',
      reason: 'superseded',
      subject: 'raised',
    });
    const rotation = await refreshes.rotate(raised?.refreshToken?.value ?? '', admit);
    expect(rotation).toMatchObject({ kind: 'rotated', opened: { session: { amr: PWD_OTP, mfaMethod: 'totp' } } });
    expect(await eventsOf('raised')).toEqual(['TOKEN_REFRESHED']);
  });

  it('reuse after a step-up is rejected without ending the session', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const first = await opened('between', parts);
    await refreshes.rotate(valueOf(first), admit);
    const facts = { amr: PWD_OTP, mfaAt: clock.seconds(), mfaMethod: 'totp' };
    await database.work.run((tx) => sessions.stepUp(tx, first.session.id, facts));

    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ reason: 'superseded' });
    expect(await sessions.find(first.session.id)).toBeDefined();
  });

  it('X6: reuse of a refresh token ends the session after the row of the token has expired', async () => {
    const parts = partsWith();
    const { sessions, refreshes, sweep } = parts;
    const first = await opened('long-ago', parts);
    let value = valueOf(first);
    for (let day = 8; day <= 32; day += 8) {
      value = successorOf(await refreshes.rotate(value, admit));
      clock.advance(8 * DAY);
      await sweep.sweep();
    }
    expect(await generationsOf('long-ago')).not.toContain(1);

    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ kind: 'rejected', reason: 'reused' });

    expect(await sessions.find(first.session.id)).toBeUndefined();
    expect((await eventsOf('long-ago')).filter((kind) => kind === 'TOKEN_REUSE')).toHaveLength(1);
  });

  it('X6: the expired token of an expired session is no reuse', async () => {
    const parts = partsWith();
    const { refreshes } = parts;
    const first = await opened('away', parts);
    clock.advance(14 * DAY);
    await database.work.single((tx) => tx.change('DELETE FROM refresh_token WHERE user_id = ?', ['away']));

    expect(await refreshes.rotate(valueOf(first), admit)).toEqual({ kind: 'rejected', reason: 'unknown' });

    expect(await eventsOf('away')).toEqual([]);
  });

  it('X6: an old refresh token ends its session after a change of the active seal key', async () => {
    const [random, keys] = [new SystemRandom(), ['k1', 'k2'].map((id) => [id, randomBytes(32)] as const)];
    const partsUnder = (active: string): TokenParts =>
      tokenParts(database.work, clock, { sealer: new Sealer(active, new Map(keys), random) });
    const before = partsUnder('k1');
    const { sessions, refreshes } = partsUnder('k2');
    const first = await opened('rekeyed', before);
    await refreshes.rotate(valueOf(first), admit);
    const used = 'DELETE FROM refresh_token WHERE user_id = ? AND generation = 1';
    await database.work.single((tx) => tx.change(used, ['rekeyed']));

    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ kind: 'rejected', reason: 'reused' });

    expect(await sessions.find(first.session.id)).toBeUndefined();
  });

  it('S6: a refresh token is rejected after the end of its session', async () => {
    const parts = partsWith();
    const { sessions, refreshes } = parts;
    const first = await opened('ended', parts);
    await database.work.run((tx) => sessions.end(tx, first.session.id));

    expect(await refreshes.rotate(valueOf(first), admit)).toEqual({ kind: 'rejected', reason: 'unknown' });
  });

  it('a refresh token stays valid when the account check fails', async () => {
    const parts = partsWith();
    const { refreshes } = parts;
    const first = await opened('disabled', parts);
    const refuse = (): Promise<never> => Promise.reject(new ServiceError('REFRESH_INVALID'));

    await expect(refreshes.rotate(valueOf(first), refuse)).rejects.toThrow('REFRESH_INVALID');

    expect(await eventsOf('disabled')).toEqual([]);
    expect(await refreshes.rotate(valueOf(first), admit)).toMatchObject({ kind: 'rotated' });
  });

  it.each(['', 'x', 'A'.repeat(43), `${'A'.repeat(42)}'`, 'A'.repeat(5000), '\u0000'.repeat(43)])(
    'an unknown refresh token is rejected: %j',
    async (value) => {
      expect(await partsWith().refreshes.rotate(value, admit)).toEqual({ kind: 'rejected', reason: 'unknown' });
    },
  );

  it('S3: the table contains neither a refresh token nor its successor in clear text', async () => {
    const parts = partsWith();
    const { refreshes } = parts;
    const first = await opened('dumped', parts);
    const successor = successorOf(await refreshes.rotate(valueOf(first), admit));

    const table = JSON.stringify(await database.work.single((tx) => tx.rows('SELECT * FROM refresh_token')));

    expect(table).not.toContain(valueOf(first));
    expect(table).not.toContain(successor);
  });

  it('sealed successors are removed after the grace period and not stored without one', async () => {
    const sealed = async (subject: string): Promise<number> => {
      const sql = 'SELECT token_hash FROM refresh_token WHERE user_id = ? AND sealed_successor IS NOT NULL';
      return (await database.work.single((tx) => tx.rows(sql, [subject]))).length;
    };
    const parts = partsWith();
    const { refreshes, sealedSuccessors } = parts;
    await refreshes.rotate(valueOf(await opened('kept', parts)), admit);
    const strict = partsWith(0);
    await strict.refreshes.rotate(valueOf(await opened('not-kept', strict)), admit);

    expect(await sealed('not-kept')).toBe(0);
    clock.advance(10);
    await sealedSuccessors.removeExpired();
    expect(await sealed('kept')).toBe(1);
    clock.advance(1);
    await sealedSuccessors.removeExpired();
    expect(await sealed('kept')).toBe(0);
  });

  it('S2: twenty concurrent refreshes get the same successor', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const parts = partsWith();
      const { refreshes } = parts;
      const subject = `burst-${round}`;
      const first = await opened(subject, parts);

      const rotations = await raced([refreshes], valueOf(first));

      expect(kindsOf(rotations)).toEqual({ rotated: 1, repeated: RACERS - 1 });
      expect(new Set(rotations.map(successorOf)).size).toBe(1);
      expect(await eventsOf(subject)).toEqual(['TOKEN_REFRESHED']);
    }
  });

  it('S2: without a grace period one of twenty concurrent refreshes succeeds, and the session ends', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const parts = partsWith(0);
      const { sessions, refreshes } = parts;
      const subject = `strict-burst-${round}`;
      const first = await opened(subject, parts);

      const rotations = await raced([refreshes], valueOf(first));

      expect(kindsOf(rotations)).toEqual({ rotated: 1, rejected: RACERS - 1 });
      expect(await sessions.find(first.session.id)).toBeUndefined();
      expect(await eventsOf(subject)).toEqual(['TOKEN_REFRESHED', 'TOKEN_REUSE']);
    }
  });

  it('concurrent refreshes, step-ups and a session end leave no usable token', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const parts = partsWith();
      const { sessions, refreshes } = parts;
      const first = await opened(`mixed-${round}`, parts);
      const { id } = first.session;
      const facts = { amr: PWD_OTP, mfaAt: clock.seconds(), mfaMethod: 'totp' };
      const raise = (): Promise<unknown> => database.work.run((tx) => sessions.stepUp(tx, id, facts));
      const refresh = (): Promise<unknown> => refreshes.rotate(valueOf(first), admit);

      await Promise.all([refresh(), raise(), refresh(), raise(), refresh()]);
      const usable = await liveTokens(id);
      await Promise.all([refresh(), database.work.run((tx) => sessions.end(tx, id)), raise(), refresh()]);

      expect(usable).toBe(1);
      expect(await liveTokens(id)).toBe(0);
    }
  });

  async function generationsOf(subject: string): Promise<readonly number[]> {
    const sql = 'SELECT generation FROM refresh_token WHERE user_id = ?';
    const rows = await database.work.single((tx) => tx.rows<{ readonly generation: number }>(sql, [subject]));
    return rows.map(({ generation }) => generation);
  }

  async function liveTokens(sid: string): Promise<number> {
    const sql = `SELECT COUNT(*) AS number FROM refresh_token
      WHERE session_id = ? AND rotated_at IS NULL AND superseded_at IS NULL`;
    const [row] = await database.work.single((tx) => tx.rows<{ readonly number: number }>(sql, [sid]));
    return row?.number ?? -1;
  }
});

needs('mariadb')('refresh tokens with two replicas on one MariaDB', () => {
  it.each([
    ['concurrent refreshes at both replicas get one successor', undefined, { rotated: 1, repeated: RACERS - 1 }],
    ['one concurrent refresh succeeds without a grace period', 0, { rotated: 1, rejected: RACERS - 1 }],
  ])('S2: %s', async (_, graceSeconds, expected) => {
    const settings = await freshMariadbDatabase();
    const clock = new ManualClock();
    const databases = await Promise.all([openDatabase(settings), openDatabase(settings)]);
    const works = databases.map((dataSource) => unitOfWork(dataSource));
    const replicas = works.map((work) => tokenParts(work, clock, graceSeconds === undefined ? {} : { graceSeconds }));
    const [one] = replicas as [TokenParts];
    const refreshes = replicas.map((replica) => replica.refreshes);

    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await open(works[0] as UnitOfWork, one.sessions, `round-${round}`, clock);

      const rotations = await raced(refreshes, valueOf(first));

      expect(kindsOf(rotations)).toEqual(expected);
      const granted = rotations.filter(({ kind }) => kind !== 'rejected');
      expect(new Set(granted.map(successorOf)).size).toBe(1);
    }
    await Promise.all(databases.map((database) => database.destroy()));
  });

  it('X6: concurrent refreshes at both replicas do not exceed the limit of their session', async () => {
    const settings = await freshMariadbDatabase();
    const clock = new ManualClock();
    const databases = await Promise.all([openDatabase(settings), openDatabase(settings)]);
    const replicas = databases.map((dataSource) =>
      tokenParts(unitOfWork(dataSource), clock, { maxRate: Rate.of(5, 60) }),
    );
    const [one] = replicas as [TokenParts];
    const refreshes = replicas.map((replica) => replica.refreshes);
    const first = await open(unitOfWork(databases[0]), one.sessions, 'limited', clock);
    let value = valueOf(first);

    for (let minute = 0; minute < 2; minute += 1) {
      for (let time = 0; time < 5; time += 1) {
        const rotations = await raced(refreshes, value);
        expect(kindsOf(rotations)).toEqual({ rotated: 1, repeated: RACERS - 1 });
        value = successorOf(rotations[0] as Rotation<string>);
      }
      expect(kindsOf(await raced(refreshes, value))).toEqual({ limited: RACERS });
      clock.advance(60);
    }
    await Promise.all(databases.map((database) => database.destroy()));
  });
});

function open(work: UnitOfWork, sessions: Sessions, subject: string, clock: ManualClock): Promise<OpenedSession> {
  return work.run((tx) => sessions.open(tx, { subject, kind: 'token', amr: PWD, authTime: clock.seconds() }));
}
