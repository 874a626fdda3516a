import { expect, it } from 'vitest';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { LoginStory, storyOn } from '../../support/login/login-story.js';
import { ACCOUNT_ARGS, ALL_EXPOSED, managed } from '../../support/management/management.js';
import { needs } from '../../support/runner/needs.js';
import { ask, type RedisServer, startRedis } from '../../support/database/redis.js';
import { onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import '../../support/runner/matchers.js';

const SECRET = 'cache-client-secret-0123456789-abcdef';
const ARGS = [
  ...[ALL_EXPOSED, ...ACCOUNT_ARGS],
  `--app.security.clients.shop.secret=${SECRET}`,
  '--app.cache.caffeine.spec=maximumSize=100,expireAfterWrite=1h,recordStats',
];
const BASIC = { authorization: `Basic ${Buffer.from(`shop:${SECRET}`).toString('base64')}` };

function me(client: HttpClient, bearer?: string): Promise<Answer> {
  return client.get('/me', bearer === undefined ? {} : { bearer });
}

function introspect(client: HttpClient, token: string): Promise<Answer> {
  return client.send('POST', '/token/introspect', { form: { token }, headers: BASIC });
}

async function measured(operator: HttpClient, meter: string, ...tags: readonly string[]): Promise<unknown> {
  const query = tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join('&');
  const { status, body } = await operator.get(`/metrics/${meter}?${query}`);
  return status === 200 ? (body['measurements'] as readonly { readonly value: number }[])[0]?.value : status;
}

onSqlite('the cache of users', (engine) => {
  const story = storyOn(engine, { people: 6, args: ARGS });
  const operator = (): HttpClient => managed(story.service).operator;

  it('is listed and counted, and clearing it changes no response', async () => {
    const { client, accessToken } = await story.signInByPassword(story.person());
    await operator().delete('/caches');
    const hits = await measured(operator(), 'cache.gets', 'name:users', 'result:hit');

    const answers = [await introspect(client, accessToken), await introspect(client, accessToken)];
    const size = await measured(operator(), 'cache.size', 'name:users', 'cache.manager:cacheManager');
    const cleared = await operator().delete('/caches/users');
    const sizeAfter = await measured(operator(), 'cache.size', 'name:users');
    answers.push(await introspect(client, accessToken));

    expect((await operator().get('/caches')).body).toEqual({
      cacheManagers: { cacheManager: { caches: { users: { target: 'InProcessCache' } } } },
    });
    expect([cleared.status, size, sizeAfter]).toEqual([204, 1, 0]);
    expect(await measured(operator(), 'cache.gets', 'name:users', 'result:hit')).toBe(Number(hits) + 1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ active: true });
  });

  it('S6: an ended session and a disabled account are inactive at once although the user is in the cache', async () => {
    const [ended, disabled] = [story.person(), story.person()];
    const [one, two] = [await story.signInByPassword(ended), await story.signInByPassword(disabled)];
    for (const { client, accessToken } of [one, two]) {
      expect((await introspect(client, accessToken)).body).toMatchObject({ active: true });
    }

    await one.client.post('/logout', undefined, { bearer: one.accessToken });
    const { exitCode } = await story.command('users', 'disable', disabled.id, '--reason=test');

    expect(exitCode).toBe(0);
    for (const { client, accessToken } of [one, two]) {
      expect((await introspect(client, accessToken)).body).toEqual({ active: false });
      expect(await me(client, accessToken)).toBeRefused(401, 'INVALID_TOKEN');
    }
  });

  it('S6: a session that another one of the user ends is refused at once', async () => {
    const person = story.person();
    const [one, other] = [await story.signInByPassword(person), await story.signInByPassword(person)];
    const before = await me(other.client, other.accessToken);

    await one.client.delete('/sessions', { bearer: one.accessToken });

    expect(before.status).toBe(200);
    expect(await me(other.client, other.accessToken)).toBeRefused(401, 'INVALID_TOKEN');
    expect(await me(one.client, one.accessToken)).toBeAnswered(200);
  });

  it('S6: the cookie of an ended session, and the one before a change of the password, are refused at once', async () => {
    const { id, password } = story.person();
    const browser = story.client();
    await browser.post('/session', { id, pw: password });
    const copy = browser.copy();
    const before = await me(copy);

    const changed = await browser.post('/me/password', { current: password, new: 'nine calm lanterns & 3 harbours' });
    const afterChange = [await me(copy), await me(browser)];
    const second = browser.copy();
    await browser.delete('/session');

    expect([before.status, changed.status, ...afterChange.map(({ status }) => status)]).toEqual([200, 204, 401, 200]);
    expect(await me(second)).toBeRefused(401, 'INVALID_TOKEN');
  });
});

onSqlite('the kind of cache', (engine) => {
  it('app.cache.type=none keeps nothing: there are no caches, and an ended session is refused at once', async () => {
    const story = new LoginStory(engine, { people: 1, args: [...ARGS, '--app.cache.type=none'] });
    await story.begin();
    try {
      const { client, accessToken } = await story.signInByPassword(story.person());
      const { operator } = managed(story.service);
      const before = await me(client, accessToken);
      await story.database.query('DELETE FROM session');

      expect(before.status).toBe(200);
      expect(await me(client, accessToken)).toBeRefused(401, 'INVALID_TOKEN');
      expect((await operator.get('/caches')).body).toEqual({ cacheManagers: {} });
      expect(await measured(operator, 'cache.size')).toBe(404);
    } finally {
      await story.end();
    }
  });

  it('app.cache.type=simple counts without recordStats, and caffeine without it has only its size', async () => {
    const spec = '--app.cache.caffeine.spec=maximumSize=10';
    const story = new LoginStory(engine, { people: 1, args: [...ARGS, spec, '--app.cache.type=simple'] });
    await story.begin();
    try {
      const seen: unknown[] = [];
      for (const restart of [false, true]) {
        if (restart) await story.restart(['--app.cache.type=caffeine']);
        const { operator } = managed(story.service);
        seen.push(await measured(operator, 'cache.size'), await measured(operator, 'cache.gets'));
      }

      expect(seen).toEqual([0, 0, 0, 404]);
    } finally {
      await story.end();
    }
  });
});

onSqlite('caches in the key-value store', (engine) => {
  needs('redis')('of two replicas', () => {
    it('are shared, cleared by one replica for all, and done without while the store is away', async () => {
      const redis: RedisServer = await startRedis();
      const store = ['--app.cache.type=kvstore', '--app.data.kvstore.host=127.0.0.1', '--app.data.kvstore.timeout=1s'];
      const args = [...ARGS, ...store, `--app.data.kvstore.port=${redis.port}`];
      const story = new LoginStory(engine, { people: 2, services: 2, args });
      await story.begin();
      try {
        const { client, accessToken } = await story.signInByPassword(story.person());
        const elsewhere = story.client(1);
        await introspect(client, accessToken);
        // Introspection also counts the guesses of its client there. The first line of KEYS is the number of the keys.
        const entries = (): Promise<string | null> => ask(redis.port, 'KEYS login:cache:*');
        await waitUntil('the entry is stored', async () => (await entries()) === '*1');

        const shared = await introspect(elsewhere, accessToken);
        const hits = await measured(managed(story.service).operator, 'cache.gets', 'result:hit');
        const hitsElsewhere = await measured(
          managed(story.services[1] ?? story.service).operator,
          'cache.gets',
          'result:hit',
        );
        const listed = await managed(story.service).operator.get('/caches/users');
        const cleared = await managed(story.service).operator.delete('/caches');
        const sizeAfter = await entries();
        redis.signal('SIGSTOP');
        const away = [await introspect(client, accessToken), await introspect(elsewhere, accessToken)];
        const clearedAway = await managed(story.service).operator.delete('/caches');
        redis.signal('SIGCONT');

        expect(shared.status).toBe(200);
        expect([hits, hitsElsewhere]).toEqual([0, 1]);
        expect(listed.body).toEqual({ target: 'KvstoreCache', name: 'users', cacheManager: 'cacheManager' });
        expect([cleared.status, sizeAfter]).toEqual([204, '*0']);
        expect(away.map(({ status }) => status)).toEqual([200, 200]);
        expect(clearedAway.status).toBe(503);
        expect((await introspect(elsewhere, accessToken)).body).toMatchObject({ active: true });
      } finally {
        await story.end();
        await redis.stop();
      }
    });
  });
});
