import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../../support/http/http-client.js';
import { LoginStory } from '../../support/login/login-story.js';
import { at, kvstoreOf } from '../../support/database/kvstore.js';
import { needs } from '../../support/runner/needs.js';
import { ask, type RedisServer, startRedis } from '../../support/database/redis.js';
import { type Engine, MARIADB, onSqlite } from '../../support/database/story-database.js';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const QUOTA = 30;
const LIMIT = `--app.security.rate-limit.open.per-address=${QUOTA}/1d`;
const ALONE = 'WARN Rate limits are counted by this process alone: the shared store does not respond';
const AGAIN = 'INFO Rate limits are shared again';

/** Requests to all services at once. */
async function burst(story: LoginStory, requests: number): Promise<readonly Answer[]> {
  const clients = story.services.map((_, service) => story.client(service));
  return Promise.all(
    Array.from({ length: requests }, (_, turn) => clients[turn % clients.length]?.get('/.well-known/jwks.json')).filter(
      (answer) => answer !== undefined,
    ),
  );
}

function admitted(answers: readonly Answer[]): number {
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  return answers.filter(({ status }) => status === 200).length;
}

/** Requests left of the limit of an address. */
function remaining({ headers }: Answer): number {
  return Number(/^"open-address";r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

function twoProcesses(title: string, engine: Engine, args: () => readonly string[], expected = QUOTA): void {
  it(`P3: two service processes admit exactly ${expected} requests together, ${title}`, async () => {
    const story = new LoginStory(engine, { people: 1, services: 2, isAlone: true, args: [LIMIT, ...args()] });
    await story.begin();
    try {
      const answers = [...(await burst(story, 2 * QUOTA)), ...(await burst(story, QUOTA))];

      expect(new Set(story.services.map(({ pid }) => pid)).size).toBe(2);
      expect(admitted(answers)).toBe(expected);
      expect(story.services.flatMap(({ log }) => log).filter((line) => line.startsWith(ALONE))).toEqual([]);
    } finally {
      await story.end();
    }
  });
}

function aheadOfTheOther(title: string, engine: Engine, args: () => readonly string[]): void {
  it(`P3: a process whose clock is 2 seconds ahead shares the limit, ${title}`, async () => {
    const story = new LoginStory(engine, { people: 1, isAlone: true, args: [LIMIT, ...args()] });
    await story.begin();
    try {
      const clock = new MovedClock();
      clock.advance(story.clock.seconds + 2 - clock.seconds);
      await story.join(clock);

      expect(admitted(await burst(story, 3 * QUOTA))).toBe(QUOTA);
    } finally {
      await story.end();
    }
  });
}

/** Wrong passwords of one login id, at the services in turn; returns the status of each. */
async function guesses(story: LoginStory, id: string, count: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const answer = await story.client(turn % story.services.length).post('/login', { id, pw: 'wrong' });
    statuses.push(answer.status);
  }
  return statuses;
}

function twoProcessesCountPasswords(title: string, engine: Engine, args: () => readonly string[]): void {
  it(`P3: two service processes count the wrong passwords of a login id together, ${title}`, async () => {
    const first = '--app.security.rate-limit.first-delay=1h';
    const longest = '--app.security.rate-limit.max-delay=1h';
    const story = new LoginStory(engine, {
      ...{ people: 2, services: 2, isAlone: true, throttled: true },
      args: [first, longest, '--app.security.rate-limit.forgotten-after=1d', ...args()],
    });
    await story.begin();
    try {
      const [guessed, owner] = [await story.enrolled(), await story.enrolled()];
      expect(await guesses(story, guessed.id, 14)).toEqual([...Array<number>(10).fill(401), 429, 429, 429, 429]);

      expect(await guesses(story, owner.id, 9)).toEqual(Array(9).fill(401));
      const login = { id: owner.id, pw: owner.password };
      expect(await story.client(1).post('/login', login)).toBeAnswered(200);
      expect(await guesses(story, owner.id, 9)).toEqual(Array(9).fill(401));
    } finally {
      await story.end();
    }
  });
}

needs('mariadb')('limits shared through MariaDB alone', () => {
  twoProcesses('without a key-value store', MARIADB, () => []);
  twoProcessesCountPasswords('without a key-value store', MARIADB, () => []);

  aheadOfTheOther('without a key-value store', MARIADB, () => []);

  it('P3: requests that were counted behind their responses count at the other process, and after a stop', async () => {
    const args = ['--app.security.rate-limit.open.per-address=6400/1d'];
    const story = new LoginStory(MARIADB, { people: 1, services: 2, isAlone: true, args });
    await story.begin();
    try {
      await burst(story, 20);
      await story.service.stop();
      await waitUntil('both have stored what they counted', async () => {
        const [row] = await story.database.query<{ hits: number }>('SELECT hits FROM rate_limit');
        return row?.hits === 20;
      });

      // The other process may still use the count of a moment ago, which its next stored requests renew.
      const left: number[] = [];
      await waitUntil('the other process knows of all 20', async () => {
        left.push(remaining(await story.client(1).get('/.well-known/jwks.json')));
        return left.at(-1) === 6400 - 20 - left.length;
      });
      // Never fewer: no request is counted twice.
      expect(left.filter((value, at) => value < 6400 - 20 - (at + 1))).toEqual([]);
    } finally {
      await story.end();
    }
  });
});

needs('redis')('limits shared through a key-value store', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  onSqlite('', (engine) => {
    const args = (): readonly string[] => [
      '--app.data.kvstore.host=127.0.0.1',
      `--app.data.kvstore.port=${redis.port}`,
    ];
    const storeOf = (store: string) => (): readonly string[] => [...args(), `--app.security.rate-limit.store=${store}`];
    twoProcesses('with a key-value store', engine, args);
    // The first test has used up the limit in database 0.
    twoProcesses('store=kvstore', engine, () => [...storeOf('kvstore')(), '--app.data.kvstore.database=1']);
    aheadOfTheOther('with a key-value store', engine, () => [...args(), '--app.data.kvstore.database=2']);
    twoProcesses('store=database on the embedded database', engine, storeOf('database'));
    twoProcesses('store=memory, which each of them has', engine, storeOf('memory'), 2 * QUOTA);
    it('P3: store=database counts in the table although a key-value store is configured', async () => {
      const counted = async (store: string): Promise<readonly number[]> => {
        const story = new LoginStory(engine, { people: 1, args: [LIMIT, ...storeOf(store)()] });
        await story.begin();
        try {
          expect(admitted(await burst(story, 2 * QUOTA))).toBe(QUOTA);
          return (await story.database.query<{ hits: number }>('SELECT hits FROM rate_limit')).map(({ hits }) => hits);
        } finally {
          await story.end();
        }
      };

      expect([await counted('database'), await counted('memory')]).toEqual([[QUOTA], []]);
    });
    twoProcessesCountPasswords('with a key-value store', engine, args);
  });
});

needs('redis')('limits while the key-value store is away', () => {
  onSqlite('', (engine) => {
    it('P3: a full store, which still responds to reads, is away until it takes writes again', async () => {
      const redis = await startRedis();
      const { kvstore } = kvstoreOf(at(redis));
      const story = new LoginStory(engine, {
        people: 1,
        args: [LIMIT, '--app.data.kvstore.host=127.0.0.1', `--app.data.kvstore.port=${redis.port}`],
      });
      const failed = async (): Promise<number> => {
        const calls = String(await kvstore.send('INFO', 'commandstats'));
        return Number(/cmdstat_evalsha:.*?failed_calls=(\d+)/.exec(calls)?.[1] ?? 0);
      };
      await story.begin();
      try {
        await burst(story, 1);
        const before = await failed();
        await ask(redis.port, 'CONFIG SET maxmemory 1');
        await burst(story, 1);
        await waitUntil('two probes have failed or the store is used', async () =>
          story.service.log.includes(AGAIN) ? true : (await failed()) >= before + 3,
        );
        const whileFull = story.service.log.filter((line) => line.startsWith(ALONE) || line === AGAIN);
        await ask(redis.port, 'CONFIG SET maxmemory 0');
        await waitUntil('the limits are shared again', () => story.service.log.includes(AGAIN));

        expect(whileFull).toEqual([expect.stringContaining(ALONE)]);
      } finally {
        await story.end();
        await kvstore.onApplicationShutdown();
        await redis.stop();
      }
    });

    it('a stopped store is replaced by the memory of the process, and used again without a restart', async () => {
      const redis = await startRedis();
      const story = new LoginStory(engine, {
        people: 1,
        args: [
          LIMIT,
          '--app.data.kvstore.host=127.0.0.1',
          `--app.data.kvstore.port=${redis.port}`,
          '--app.data.kvstore.timeout=1s',
        ],
      });
      await story.begin();
      try {
        const shared = admitted(await burst(story, 2 * QUOTA));
        redis.signal('SIGSTOP');
        const alone = admitted(await burst(story, 2 * QUOTA));
        redis.signal('SIGCONT');
        await waitUntil('the limits are shared again', () => story.service.log.includes(AGAIN));
        const back = await burst(story, 3);

        expect([shared, alone]).toEqual([QUOTA, QUOTA]);
        expect(back.map(({ status }) => status)).toEqual([429, 429, 429]);
        expect(story.service.log.filter((line) => line.startsWith(ALONE))).toHaveLength(1);
      } finally {
        await story.end();
        await redis.stop();
      }
    });
  });
});
