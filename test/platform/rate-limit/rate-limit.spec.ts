import { expect, it } from 'vitest';
import type { Tx, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { RateLimitTable } from '../../../src/platform/rate-limit/rate-limit.store.js';
import type { LimitVerdict } from '../../../src/platform/rate-limit/sliding-window.js';
import { WriteBehindCharges } from '../../../src/platform/rate-limit/write-behind-charges.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';

const WINDOW = 3_600_000;
/** The end of a window, in epoch seconds. */
const EDGE = 1_800_003_600 - (1_800_003_600 % 3600);
const charge = { quota: 25, windowMillis: WINDOW, hits: 3 };

onEveryDatabase('limits in the table rate_limit', (database) => {
  const replica = (clock: ManualClock): RateLimitTable => new RateLimitTable(database.work, clock);
  const sum = (verdicts: readonly { readonly admitted: number }[]): number =>
    verdicts.reduce((total, { admitted }) => total + admitted, 0);

  it('two replicas admit exactly as many hits as the quota, whatever the order of their statements', async () => {
    const clock = new ManualClock();
    const replicas = [replica(clock), replica(clock)];

    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        (replicas[turn % 2] as RateLimitTable).charge([{ ...charge, key: 'exact' }]),
      ),
    );

    expect(sum(verdicts.flat())).toBe(25);
  });

  it('clocks that differ by 2 seconds admit no more than the quota, also at the edge of a window', async () => {
    const [late, early] = [replica(new ManualClock(EDGE - 1)), replica(new ManualClock(EDGE + 1))];

    const verdicts = [];
    for (let turn = 0; turn < 12; turn += 1) {
      verdicts.push(...(await late.charge([{ ...charge, key: 'skewed' }])));
      verdicts.push(...(await early.charge([{ ...charge, key: 'skewed' }])));
    }

    expect(sum(verdicts)).toBe(25);
  });

  it('the hits of the window before fade evenly', async () => {
    const clock = new ManualClock(EDGE - 600);
    const table = replica(clock);
    await table.charge([{ ...charge, key: 'fading', hits: 25 }]);

    clock.set(EDGE + WINDOW / 2000);
    const [halfway] = await table.charge([{ ...charge, key: 'fading', hits: 25 }]);

    // 12.5 of them count; a part of a hit is none.
    expect(halfway).toMatchObject({ admitted: 12, remaining: 0 });
  });

  it('two replicas admit exactly the quota of each key, also if their batches contain the same keys', async () => {
    const clock = new ManualClock();
    const replicas = [replica(clock), replica(clock)];
    const keys = Array.from({ length: 9 }, (_, at) => `shared-${at}`);

    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        (replicas[turn % 2] as RateLimitTable).charge(
          (turn % 4 < 2 ? keys : keys.toReversed()).map((key) => ({ ...charge, key })),
        ),
      ),
    );

    const ofKeys = keys.map((_, at) =>
      sum(verdicts.map((batch, turn) => batch[turn % 4 < 2 ? at : 8 - at] as LimitVerdict)),
    );
    expect(ofKeys).toEqual(keys.map(() => 25));
  });

  it('more keys than one statement takes, some of them new and some used up, get the verdicts of their own', async () => {
    const table = replica(new ManualClock());
    const charges = Array.from({ length: 150 }, (_, at) => ({ ...charge, key: `many-${at}`, quota: 3 + (at % 3) }));
    await table.charge(charges.filter((_, at) => at % 2 === 0));

    const admitted = (await table.charge(charges)).map((verdict) => verdict.admitted);

    // Three hits came before: 0, 1 or 2 are left.
    expect(admitted).toEqual(charges.map((_, at) => (at % 2 === 0 ? at % 3 : 3)));
  });

  it('keys of one batch are charged apart, and the table shows neither of them', async () => {
    const [one, other] = [
      { ...charge, key: '192.0.2.7', quota: 2 },
      { ...charge, key: 'anna', quota: 9 },
    ];

    expect(await replica(new ManualClock()).charge([one, other])).toMatchObject([
      { admitted: 2, remaining: 0 },
      { admitted: 3, remaining: 6 },
    ]);
    const rows = await database.work.single((tx) => tx.rows<{ id: string }>('SELECT id FROM rate_limit'));
    expect(JSON.stringify(rows)).not.toMatch(/192\.0\.2\.7|anna/);
  });

  it.each([
    { processes: 1, most: 640 },
    { processes: 2, most: 650 },
  ])('a burst at $processes processes, which store hits behind responses, gets 640 to $most', async (burst) => {
    const clock = new ManualClock();
    const processes = Array.from({ length: burst.processes }, () => {
      const table = replica(clock);
      return new WriteBehindCharges((charges) => table.charge(charges), clock);
    });
    const hit = { key: `behind-${burst.processes}`, quota: 640, windowMillis: WINDOW };

    const verdicts = await Promise.all(
      Array.from({ length: 1000 }, () => processes.map((charges) => charges.charge(hit))).flat(),
    );
    await Promise.all(processes.map((charges) => charges.flush()));

    expect(sum(verdicts)).toBeGreaterThanOrEqual(640);
    expect(sum(verdicts)).toBeLessThanOrEqual(burst.most);
    expect(await replica(clock).charge([{ ...hit, hits: 0 }])).toMatchObject([{ admitted: 0, remaining: 0 }]);
  });

  // Transactions of the embedded database follow one another.
  if (database.engine === 'SQLite') return;

  it('a batch of which one key is used up after it was read charges every other key once', async () => {
    const clock = new ManualClock();
    const near = { ...charge, key: 'near', quota: 6 };
    const far = { ...charge, key: 'far', quota: 100 };
    const other = replica(clock);
    await other.charge([near, far]);
    let overtakings = 0;
    const overtaken = new RateLimitTable(
      changing(database.work, async () => {
        if (overtakings++ === 0) await other.charge([near]);
      }),
      clock,
    );

    expect(await overtaken.charge([near, far])).toMatchObject([
      { admitted: 0, remaining: 0 },
      { admitted: 3, remaining: 94 },
    ]);
    expect(overtakings).toBeGreaterThan(1);
  });
});

/** Units of work that run something before each of their changes. */
function changing(work: UnitOfWork, before: () => Promise<void>): UnitOfWork {
  const wrapped = (tx: Tx): Tx => ({
    rows: (...statement) => tx.rows(...statement),
    insert: (...statement) => tx.insert(...statement),
    change: async (...statement) => {
      await before();
      return tx.change(...statement);
    },
    repository: (entity) => tx.repository(entity),
    afterCommit: (listener) => {
      tx.afterCommit(listener);
    },
  });
  return {
    run: (inner: (tx: Tx) => Promise<unknown>) => work.run((tx) => inner(wrapped(tx))),
    single: (inner: (tx: Tx) => Promise<unknown>) => work.single((tx) => inner(wrapped(tx))),
  } as UnitOfWork;
}
