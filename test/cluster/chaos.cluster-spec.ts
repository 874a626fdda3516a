import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterRounds, IS_LONG } from '../support/cluster-rounds.js';
import { galeraCluster } from '../support/galera-cluster.js';
import type { Answer } from '../support/http-client.js';
import { enrolled, interruptBurst, type Interruption, NEWCOMERS, TOTP_USERS } from '../support/interrupted-burst.js';
import { storyOn } from '../support/login-story.js';
import { needs } from '../support/needs.js';
import { upTo } from '../support/races.js';
import { waitUntil } from '../support/wait-until.js';

const SERVICES = 3;
/** Interruptions, of each kind in turn. */
const ROUNDS = clusterRounds(4);
/** In a run of all tests, a node that does not respond is excluded after 2 s instead of 5 s; a long run uses the defaults. */
const HASTY = [
  'evs.keepalive_period=PT0.5S',
  'evs.inactive_check_period=PT0.5S',
  'evs.suspect_timeout=PT2S',
  'evs.inactive_timeout=PT5S',
];
/** Promised time until every service serves logins again. */
const BACK_MILLIS = 15_000;
/** Everything that decides a login or was acknowledged by one, in an order of its own. */
const FACTS = [
  'SELECT id, security_stamp, last_used_step, failures, lock_level, last_attempt_id FROM account ORDER BY id',
  'SELECT user_id, hash FROM backup_code ORDER BY user_id, hash',
  'SELECT jti FROM used_mfa_token ORDER BY jti',
  'SELECT id, user_id, amr FROM session ORDER BY id',
  'SELECT token_hash, rotated_at, replaced_by FROM refresh_token ORDER BY token_hash',
  'SELECT id, kind, user_id FROM security_event ORDER BY id',
];

/** A line of the table of a run. */
type Figures = Readonly<Record<string, number | string>>;

needs('galera')('R2, R4: three services at the nodes of one Galera cluster that is disturbed', () => {
  const cluster = galeraCluster(IS_LONG ? [] : HASTY);
  const people = TOTP_USERS + NEWCOMERS * ROUNDS + 10;
  const story = storyOn(cluster, { people, services: SERVICES, isAlone: true });
  const table: Figures[] = [];
  let someone = story.person.bind(story);

  beforeEach(() => cluster.untilWhole(), 90_000);

  afterEach(() => {
    if (table.length > 0) process.stdout.write(figuresOf(table.splice(0)));
  });

  /** A complete password step; the person has no second factor. */
  function login(service: number): Promise<Answer> {
    const { id, password: pw } = someone();
    someone = () => ({ id, password: pw });
    return story.client(service).post('/login', { id, pw }, { signal: AbortSignal.timeout(BACK_MILLIS) });
  }

  /** Waits until the services serve logins; returns the time that the last one took, in milliseconds. */
  async function untilBack(services: readonly number[] = upTo(SERVICES)): Promise<number> {
    const begun = performance.now();
    for (const service of services) {
      await waitUntil(`service ${service} serves logins`, async () => (await login(service)).status === 200, {
        limitMillis: Math.max(BACK_MILLIS - (performance.now() - begun), 1),
      });
    }
    return performance.now() - begun;
  }

  async function untilOthersGoOn(number: number): Promise<void> {
    await Promise.all([1, 2].map((distance) => cluster.node(number + distance).untilMember(SERVICES - 1)));
  }

  const KINDS: Readonly<Record<string, (number: number) => Interruption>> = {
    'node killed': (number) => ({
      strike: () => cluster.node(number).kill(),
      async repair() {
        await untilOthersGoOn(number);
        await cluster.node(number).join(cluster.nodes);
      },
    }),
    'service killed': (number) => ({
      strike: async () => story.services[number]?.kill(),
      repair: () => story.restart([], number),
    }),
    'node frozen': (number) => ({
      strike() {
        cluster.node(number).freeze();
        return Promise.resolve();
      },
      async repair() {
        await untilOthersGoOn(number);
        cluster.node(number).thaw();
      },
    }),
    'node cut off': (number) => ({
      strike: () => cluster.node(number).isolate(),
      async repair() {
        await untilOthersGoOn(number);
        await cluster.node(number).untilState('is not ready', ({ isReady }) => !isReady);
        await cluster.node(number).reunite();
      },
    }),
  };

  it(
    `R2, R4: no interruption forgets a used credential or loses an acknowledged fact, ${ROUNDS} times`,
    { timeout: 60_000 * ROUNDS },
    async () => {
      const regulars = await enrolled(story, TOTP_USERS);
      for (const round of upTo(ROUNDS)) {
        const [kind = '', interruptionOf] = Object.entries(KINDS)[round % Object.keys(KINDS).length] ?? [];
        const interruption = interruptionOf?.(round % SERVICES);
        if (!interruption) throw new Error('no interruption');
        let backMillis = 0;

        const figures = await interruptBurst(story, regulars, round, {
          strike: () => interruption.strike(),
          async repair() {
            await interruption.repair();
            backMillis = await untilBack();
            await cluster.untilWhole();
          },
          isOpen,
        });

        for (const sql of FACTS) {
          const [first, ...others] = await cluster.queryEach(sql);
          for (const other of others) expect(other, `${kind} in round ${round}: ${sql}`).toEqual(first);
        }
        table.push({ ...figures, round, kind, backSeconds: backMillis / 1000 });
      }
    },
  );

  it('R4: without a majority of nodes every service responds 503, lives, and is back within 15 s', async () => {
    const [, second, third] = cluster.nodes;
    second?.freeze();
    third?.freeze();
    try {
      await cluster.node(0).untilState('has no majority', ({ isReady }) => !isReady);
      for (const service of upTo(SERVICES)) {
        const answer = await login(service);
        expect(answer).toBeRefused(503, 'UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(await story.client(service).get('/actuator/health/liveness')).toBeAnswered(200);
      }
    } finally {
      second?.thaw();
      third?.thaw();
    }

    await cluster.untilWhole();
    await untilBack();
    expect(await login(1)).toBeAnswered(200);
  }, 120_000);

  it('R5: a service whose node was cut off from its cluster is back within 15 s, at another node', async () => {
    await cluster.node(1).isolate();
    try {
      await untilOthersGoOn(1);
      await untilBack();
      expect(await login(1)).toBeAnswered(200);
    } finally {
      await cluster.node(1).reunite();
    }
  }, 120_000);

  it('R5: a service whose node was killed is back within 15 s, at another node', async () => {
    await cluster.node(2).kill();
    try {
      await untilOthersGoOn(2);
      await untilBack();
      expect(await login(2)).toBeAnswered(200);
    } finally {
      await cluster.node(2).join(cluster.nodes);
    }
  }, 120_000);
});

/** True for 503 with `Retry-After`, the only error of the server that an interruption may cause. */
function isOpen(answer: Answer): boolean {
  if (answer.status < 500) return false;
  expect(answer).toBeRefused(503, 'UNAVAILABLE');
  expect(answer.headers.get('retry-after')).toBe('1');
  return true;
}

function figuresOf(rows: readonly Figures[]): string {
  const [first = {}] = rows;
  const columns = Object.keys(first);
  const cells = rows.map((row) => columns.map((column) => shown(row[column])));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const lines = [columns, ...cells].map((row) =>
    row.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('  '),
  );
  return `${lines.join('\n')}\n`;
}

function shown(value: number | string | undefined): string {
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : String(value);
}
