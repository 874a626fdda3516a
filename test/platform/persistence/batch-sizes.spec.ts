import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { ImportReport } from '../../../src/identity/account/import/import-row.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { batchesOf } from '../../../src/platform/persistence/batch-size.js';
import { DatabaseInstrumentation } from '../../../src/platform/persistence/database-instrumentation.js';
import { unitOfWork } from '../../../src/platform/persistence/database.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { BackupCodeStore } from '../../../src/identity/second-factor/backup-code/backup-code.store.js';
import { batchSizes } from '../../support/database/batch-sizes.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase, type TestDatabase } from '../../support/database/engines.js';
import { accountParts } from '../../identity/account/account-parts.js';

interface Watched {
  readonly work: UnitOfWork;
  /** How many rows each statement with this beginning had, by its value lists or its marks. */
  readonly sizes: (beginning: string, each: RegExp) => readonly number[];
}

function watched({ dataSource }: TestDatabase): Watched {
  const log = new CollectedLog();
  log.loggers.setLevel('orm.sql', 'DEBUG');
  const work = unitOfWork(dataSource, new SystemRandom(), new DatabaseInstrumentation(new Meters(), log.loggers));
  return {
    work,
    sizes: (beginning, each) =>
      log
        .of('orm.sql')
        .filter(({ message }) => message.startsWith(beginning))
        .map(({ message }) => message.match(each)?.length ?? 0),
  };
}

onEveryDatabase('batch sizes', (database) => {
  async function imported(name: string, sizes: ReturnType<typeof batchSizes>): Promise<[ImportReport, Watched]> {
    const service = watched(database);
    const parts = accountParts(service.work, new Loggers(), 'any', sizes);
    const rows = Array.from({ length: 7 }, (_, row) => ({ line: row + 1, cells: { login_id: `${name}-${row}` } }));
    const report = await parts.accountImport.run(() => Readable.from(rows), { actor: 'cli' });
    await parts.hasher.close();
    return [report, service];
  }

  it.each([
    { written: 3, read: 4, inserts: [3, 3, 1], lookUps: [4, 3] },
    { written: 50, read: 100, inserts: [7], lookUps: [7] },
    { written: 0, read: 0, inserts: [1, 1, 1, 1, 1, 1, 1], lookUps: [1, 1, 1, 1, 1, 1, 1] },
  ])('an import inserts $written accounts and looks up $read login ids with one statement', async (sizes) => {
    const { written, read, inserts, lookUps } = sizes;
    const [report, { sizes: of }] = await imported(`batch-${written}`, batchSizes(written, read));

    expect(report).toEqual({ created: 7, errors: [], errorsTotal: 0 });
    expect(of('INSERT INTO account (', /'staged'/g)).toEqual(inserts);
    expect(of('SELECT login_id FROM account', /\?/g)).toEqual(lookUps);
  });

  it('an account that another process creates during an import is one error, and the others are imported', async () => {
    const service = watched(database);
    const parts = accountParts(service.work, new Loggers(), 'any', batchSizes(3, 4));
    const taken = parts.changesStore.taken.bind(parts.changesStore);
    // The login id is taken between the look-up and the insert, in the second batch.
    parts.changesStore.taken = async (tx, loginIds) => {
      const before = await taken(tx, loginIds);
      await tx.change("UPDATE account SET login_id = 'raced-4' WHERE login_id = 'raced-other'");
      return before;
    };
    await parts.accountImport.run(() => Readable.from([{ line: 1, cells: { login_id: 'raced-other' } }]), {
      actor: 'cli',
    });
    const rows = Array.from({ length: 7 }, (_, row) => ({ line: row + 1, cells: { login_id: `raced-${row}` } }));

    const report = await parts.accountImport.run(() => Readable.from(rows), { actor: 'cli', isPartial: true });

    expect(report).toEqual({ created: 6, errors: [{ line: 5, field: 'login_id', code: 'taken' }], errorsTotal: 1 });
    await parts.hasher.close();
  });

  it('backup codes are inserted in batches', async () => {
    const { work, sizes } = watched(database);
    const codes = Array.from({ length: 10 }, (_, index) => ({ hash: `hash-${index}`, pepper: null }));

    await work.run((tx) => new BackupCodeStore(batchSizes(4)).insert(tx, 'subject', 'set', codes));

    expect(sizes('INSERT INTO backup_code', /\(\?, \?, \?, \?\)/g)).toEqual([4, 4, 2]);
    expect(await work.single((tx) => new BackupCodeStore().count(tx, 'subject', 'set'))).toBe(10);
  });
});

it('batches keep the order of all rows, and 0 puts each into a batch of its own', () => {
  expect(batchesOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(batchesOf([1, 2], 0)).toEqual([[1], [2]]);
  expect(batchesOf([], 2)).toEqual([]);
});
