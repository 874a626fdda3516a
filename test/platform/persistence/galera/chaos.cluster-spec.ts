import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterRounds, HASTY } from '../../../support/database/cluster-rounds.js';
import { galeraCluster } from '../../../support/database/galera-cluster.js';
import type { Answer } from '../../../support/http/http-client.js';
import { enrolled, interruptBurst, NEWCOMERS, TOTP_USERS } from '../../../support/database/interrupted-burst.js';
import { storyOn } from '../../../support/login/login-story.js';
import { needs } from '../../../support/runner/needs.js';
import { upTo } from '../../../support/login/races.js';
import { waitUntil } from '../../../support/runner/wait-until.js';

const SERVICES = 3;
/** Interruptions, of each kind in turn. */
const ROUNDS = clusterRounds(4);
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

/** An interruption of a node or of a service; `mend` ends it after the services have found their way around it. */
interface Disturbance {
  readonly strike: () => Promise<void> | void;
  readonly untilOthersGoOn?: () => Promise<void>;
  readonly mend: () => Promise<void> | void;
}

/** A line of the table of a run. */
type Figures = Readonly<Record<string, number | string | undefined>>;

needs('galera')('R2, R4, R5: three services at the nodes of one Galera cluster that is disturbed', () => {
  const cluster = galeraCluster(HASTY);
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

  /** Waits until the other two nodes have excluded that node. */
  async function untilExcluded(number: number): Promise<void> {
    await Promise.all([1, 2].map((distance) => cluster.node(number + distance).untilMember(SERVICES - 1)));
  }

  const KINDS: Readonly<Record<string, (number: number) => Disturbance>> = {
    'node killed': (number) => ({
      strike: () => cluster.node(number).kill(),
      untilOthersGoOn: () => untilExcluded(number),
      mend: () => cluster.node(number).join(cluster.nodes),
    }),
    'service killed': (number) => ({
      strike: async () => story.services[number]?.kill(),
      mend: () => story.restart([], number),
    }),
    'node frozen': (number) => ({
      strike() {
        cluster.node(number).freeze();
      },
      untilOthersGoOn: () => untilExcluded(number),
      mend() {
        cluster.node(number).thaw();
      },
    }),
    'node cut off': (number) => ({
      strike: () => cluster.node(number).isolate(),
      untilOthersGoOn: () => untilExcluded(number),
      async mend() {
        try {
          await cluster.node(number).untilState('is not ready', ({ isReady }) => !isReady);
        } finally {
          await cluster.node(number).reunite();
        }
      },
    }),
  };

  it(
    `R2, R4, R5: no interruption forgets a used credential, loses an acknowledged fact or stops a service for 15 s, ${ROUNDS} times`,
    { timeout: 60_000 * ROUNDS },
    async () => {
      const regulars = await enrolled(story, TOTP_USERS);
      for (const round of upTo(ROUNDS)) {
        const [kind = '', disturbanceOf] = Object.entries(KINDS)[round % Object.keys(KINDS).length] ?? [];
        const disturbance = disturbanceOf?.(round % SERVICES);
        if (!disturbance) throw new Error('no disturbance');
        let withoutMillis: number | undefined;
        let backMillis = 0;

        const figures = await interruptBurst(story, regulars, round, {
          strike: async () => disturbance.strike(),
          async repair() {
            try {
              if (disturbance.untilOthersGoOn) {
                await disturbance.untilOthersGoOn();
                withoutMillis = await untilBack();
              }
            } finally {
              // Also after a failure: the next test and the next file need the whole cluster.
              await disturbance.mend();
            }
            backMillis = await untilBack();
            await cluster.untilWhole();
          },
          isOpen,
        });

        for (const sql of FACTS) {
          const [first, ...others] = await cluster.queryEach(sql);
          for (const other of others) expect(other, `${kind} in round ${round}: ${sql}`).toEqual(first);
        }
        table.push({ ...figures, round, kind, millisWithoutNode: withoutMillis, millisUntilBack: backMillis });
      }
    },
  );

  it('R4: without a majority of nodes every service responds 503, lives, is not ready, and is back within 15 s', async () => {
    const [, second, third] = cluster.nodes;
    second?.freeze();
    third?.freeze();
    try {
      await cluster.node(0).untilState('has no majority', ({ isReady }) => !isReady);
      for (const [service, answer] of (await Promise.all(upTo(SERVICES).map(login))).entries()) {
        expect(answer).toBeRefused(503, 'UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(await story.client(service).get('/actuator/health/liveness')).toBeAnswered(200);
        expect(await story.client(service).get('/actuator/health/readiness')).toMatchObject({ status: 503 });
      }
    } finally {
      second?.thaw();
      third?.thaw();
    }

    await cluster.untilWhole();
    await untilBack();
    expect(await login(1)).toBeAnswered(200);
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
  if (value === undefined) return '-';
  return typeof value === 'number' ? value.toFixed() : value;
}
