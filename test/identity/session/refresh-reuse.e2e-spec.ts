import { hash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { HttpClient } from '../../support/http/http-client.js';
import { type Person, refresh, storyOn } from '../../support/login/login-story.js';
import { atOnce, outcomes } from '../../support/login/races.js';
import { onEachEngine } from '../../support/database/story-database.js';

/** The oldest tokens are deleted when the successor of this generation is issued. */
const LAST_KEPT = 1099;

onEachEngine('a copied refresh token', (engine) => {
  const story = storyOn(engine, { people: 8 });

  it('X6: the use of an old refresh token ends the session, however often a copy was refreshed', async () => {
    const person = story.person();
    const { client: victim } = await story.signInByPassword(person);
    const thief = victim.copy();
    await refreshManyTimes(person, thief);
    expect(await generationsOf(person)).not.toContain(1);

    expect(await refresh(victim)).toBeRefused(401, 'REFRESH_INVALID');

    expect(await refresh(thief)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(1);
    expect(await generationsOf(person)).toEqual([]);
  });

  it('X6: concurrent uses of an old refresh token cause one event', async () => {
    const person = story.person();
    const { client: victim } = await story.signInByPassword(person);
    const thief = victim.copy();
    await refreshManyTimes(person, thief);

    const answers = await atOnce(20, (index) => refresh(index === 10 ? thief : victim.copy()));

    expect(outcomes(answers)['REFRESH_INVALID']).toBeGreaterThanOrEqual(19);
    expect(await refresh(thief)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(1);
  });

  it('X6: a refresh token of the previous version works, and an old one ends the session', async () => {
    const person = story.person();
    const { client: victim } = await story.signInByPassword(person);
    await makePrevious(person, victim);
    const thief = victim.copy();
    await refreshManyTimes(person, thief);

    expect(await refresh(victim)).toBeRefused(401, 'REFRESH_INVALID');

    expect(await refresh(thief)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(1);
  });

  it('X6: revocation with an old refresh token ends the session', async () => {
    const person = story.person();
    const { client: victim } = await story.signInByPassword(person);
    const thief = victim.copy();
    await refreshManyTimes(person, thief);

    expect(await victim.post('/token/revoke')).toBeAnswered(204);

    expect(await refresh(thief)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await story.countOf(person, 'SESSION_REVOKED')).toBe(1);
  });

  it('X6: an old token that a step-up superseded is rejected, and its session lives', async () => {
    const person = await story.enrolled();
    const { client, accessToken: bearer } = await story.signIn(person);
    const copy = client.copy();
    expect(await client.post('/2fa/verify', { code: story.nextCode(person) }, { bearer })).toBeAnswered(200);
    await refreshManyTimes(person, client);

    expect(await refresh(copy)).toBeRefused(401, 'REFRESH_INVALID');

    expect(await refresh(client)).toBeAnswered(200);
    expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(0);
  });

  it('X6: a token that was made up from the token of another session ends none', async () => {
    const [mine, theirs] = [story.person(), story.person()];
    const { client } = await story.signInByPassword(mine);
    const { client: other } = await story.signInByPassword(theirs);
    const own = Buffer.from(client.cookie('refresh_token') ?? '', 'base64url');
    const [session] = await story.database.query<{ id: string }>('SELECT id FROM session WHERE user_id = ?', [
      await story.subjectOf(theirs),
    ]);
    const sid = Buffer.from(session?.id.replaceAll('-', '') ?? '', 'hex');
    const bytes = (at: number): Buffer => own.subarray(at, at + 16);

    for (const made of [
      [sid, bytes(16)],
      [bytes(0), sid],
      [bytes(16), bytes(0)],
      [sid, randomBytes(16)],
    ]) {
      const forger = story.client();
      forger.plant('refresh_token', Buffer.concat(made).toString('base64url'), '/token');
      expect(await refresh(forger)).toBeRefused(401, 'REFRESH_INVALID');
    }

    expect(await refresh(other)).toBeAnswered(200);
    expect(await story.countOf(theirs, 'TOKEN_REUSE')).toBe(0);
  });

  /** As after 1,100 refreshes, of which the first and the last are requests. */
  async function refreshManyTimes(person: Person, client: HttpClient): Promise<void> {
    expect(await refresh(client)).toBeAnswered(200);
    story.clock.advance(60);
    const newest =
      'UPDATE refresh_token SET generation = ? WHERE user_id = ? AND rotated_at IS NULL AND superseded_at IS NULL';
    await story.database.query(newest, [LAST_KEPT, await story.subjectOf(person)]);
    for (let time = 0; time < 3; time += 1) expect(await refresh(client)).toBeAnswered(200);
  }

  async function generationsOf(person: Person): Promise<readonly number[]> {
    const sql = 'SELECT generation FROM refresh_token WHERE user_id = ? ORDER BY generation';
    const rows = await story.database.query<{ generation: number }>(sql, [await story.subjectOf(person)]);
    return rows.map(({ generation }) => generation);
  }

  /** Replaces the only token of an account by one that the previous version issued: random, without the session. */
  async function makePrevious(person: Person, client: HttpClient): Promise<void> {
    const value = randomBytes(32).toString('base64url');
    await story.database.query('UPDATE refresh_token SET token_hash = ?, names_session = 0 WHERE user_id = ?', [
      hash('sha256', value, 'base64url'),
      await story.subjectOf(person),
    ]);
    client.plant('refresh_token', value, '/token');
  }
});
