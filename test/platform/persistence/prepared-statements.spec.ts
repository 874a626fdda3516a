import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, poolOf, unitOfWork } from '../../../src/platform/persistence/database.js';
import { MAX_PREPARED } from '../../../src/platform/persistence/engines/prepared-statements.js';
import type { Tx, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { needs } from '../../support/runner/needs.js';
import { fc } from '../../support/runner/property.js';

const MANY = 2 * MAX_PREPARED + 10;

needs('mariadb')('prepared statements of a connection', () => {
  let dataSource: DataSource;
  let work: UnitOfWork;

  beforeEach(async () => {
    const { url, username, password } = await freshMariadbDatabase();
    dataSource = await openDatabase({ url, username, password });
    work = unitOfWork(dataSource);
  });

  afterEach(() => dataSource.destroy());

  /** The text with this number, which returns the number and the value. */
  const ask = async (tx: Tx, number: number): Promise<unknown> =>
    (await tx.rows(`SELECT ${number} AS number, ? AS value`, [`value ${number}`]))[0];
  const answer = (number: number): object => ({ number, value: `value ${number}` });

  /** What the server has counted for the connection that was used last, which the pool lends first. */
  const counted = async (): Promise<{ readonly prepared: number; readonly open: number }> => {
    const lease = await poolOf(dataSource)?.borrow();
    const rows = (await lease?.connection.query("SHOW SESSION STATUS LIKE 'Com_stmt_%'")) as readonly {
      readonly Variable_name: string;
      readonly Value: string;
    }[];
    lease?.release();
    const of = (name: string): number => Number(rows.find((row) => row.Variable_name === name)?.Value);
    return { prepared: of('Com_stmt_prepare'), open: of('Com_stmt_prepare') - of('Com_stmt_close') };
  };

  it('the number of prepared statements is limited, however many texts a connection executes', async () => {
    await work.single(async (tx) => {
      for (let number = 0; number < MANY; number += 1) expect(await ask(tx, number)).toEqual(answer(number));
    });

    const { prepared, open } = await counted();
    expect(prepared).toBeGreaterThanOrEqual(MANY);
    expect(open).toBe(MAX_PREPARED);
  });

  it('a statement that was closed is prepared again, and those that are used often stay open', async () => {
    await work.single(async (tx) => {
      for (let number = 0; number < MANY; number += 1) {
        await ask(tx, MANY);
        await ask(tx, number);
      }
    });
    const before = await counted();

    expect(await work.single((tx) => ask(tx, MANY))).toEqual(answer(MANY));
    expect(await counted()).toEqual(before);
    expect(await work.single((tx) => ask(tx, 0))).toEqual(answer(0));
    expect(await counted()).toEqual({ prepared: before.prepared + 1, open: before.open });
  });

  it('every statement has its own result when many are sent together and others are closed meanwhile', async () => {
    const numbers = fc.array(fc.nat(MANY - 1), { minLength: MAX_PREPARED, maxLength: MANY });
    await fc.assert(
      fc.asyncProperty(numbers, async (sent) => {
        const results = await work.single((tx) => Promise.all(sent.map((number) => ask(tx, number))));

        expect(results).toEqual(sent.map(answer));
        // Behind the last result, the driver may prepare texts again; what it closes for them is sent after this first question.
        await counted();
        expect((await counted()).open).toBeLessThanOrEqual(MAX_PREPARED);
      }),
      { numRuns: 10 },
    );
  });

  it('texts that cannot be prepared take the place of no statement', async () => {
    await work.single(async (tx) => {
      await ask(tx, 1);
      for (let number = 0; number < MAX_PREPARED + 2; number += 1) {
        await expect(tx.rows(`SELECT ${number} FROM missing_table`)).rejects.toThrow(/missing_table/);
      }
    });
    const before = await counted();

    expect(await work.single((tx) => ask(tx, 1))).toEqual(answer(1));

    expect(await counted()).toEqual(before);
  });
});
