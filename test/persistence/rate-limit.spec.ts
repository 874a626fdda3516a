import { expect, it } from 'vitest';
import { RateLimitTable } from '../../src/rate-limit/rate-limit.store.js';
import { onEveryDatabase } from '../support/engines.js';
import { ManualClock } from '../support/manual-clock.js';

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
});
