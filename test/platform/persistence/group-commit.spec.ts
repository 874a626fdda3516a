import fs, { copyFileSync, existsSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, unitOfWork } from '../../../src/platform/persistence/database.js';
import type { Tx, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

type Sync = (descriptor: number, done: (error: Error | null) => void) => void;

const INSERT = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const READ = 'SELECT expires_at FROM used_mfa_token WHERE jti = ?';
const ENOUGH_TURNS = 20;

const confirmAtOnce: Sync = (_descriptor, done) => {
  done(null);
};

describe('commits of the embedded database', () => {
  let file: string;
  let dataSource: DataSource;
  let work: UnitOfWork;
  let disk: { sync: Sync; syncs: number };

  beforeEach(async () => {
    file = join(temporaryFolder('group-commit'), 'login.db');
    dataSource = await openDatabase({ url: `jdbc:sqlite:${file}` });
    work = unitOfWork(dataSource);
    disk = { sync: fs.fdatasync, syncs: 0 };
    vi.spyOn(fs, 'fdatasync').mockImplementation((descriptor, done) => {
      disk.syncs += 1;
      disk.sync(descriptor, done);
    });
    syncBuiltinESMExports();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await dataSource.destroy();
  });

  const insert = (jti: string): Promise<boolean> => work.run((tx) => tx.insert(INSERT, [jti, 1]));
  /** The disk confirms nothing until the returned function is called. */
  const holdDisk = (): (() => void) => {
    const waiting: (() => void)[] = [];
    disk.sync = (_descriptor, done) => {
      waiting.push(() => {
        done(null);
      });
    };
    return () => {
      disk.sync = confirmAtOnce;
      for (const confirm of waiting) confirm();
    };
  };
  const afterTurns = async (): Promise<void> => {
    for (let turn = 0; turn < ENOUGH_TURNS; turn += 1) await nextTurn();
  };

  it('a result waits until the disk has confirmed the commit, and so do its callbacks', async () => {
    const confirm = holdDisk();
    const told: string[] = [];
    const result = work.run(async (tx) => {
      tx.afterCommit(() => told.push('callback'));
      await tx.insert(INSERT, ['waits', 1]);
    });
    void result.then(() => told.push('result'));
    await afterTurns();
    expect(told).toEqual([]);
    expect(readElsewhere(file, 'waits')).toBe(true);

    confirm();
    await result;
    expect(told).toEqual(['callback', 'result']);
  });

  it.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['a read', (tx) => tx.rows(READ, ['seen'])],
    ['a refused insert', (tx) => tx.insert(INSERT, ['seen', 2])],
  ])('%s that saw an unconfirmed commit waits for the disk, too', async (_, act) => {
    const confirm = holdDisk();
    const first = insert('seen');
    let isTold = false;
    const second = work.single(act).then(() => (isTold = true));
    await afterTurns();
    expect(isTold).toBe(false);

    confirm();
    await Promise.all([first, second]);
  });

  it('a unit of work that throws after it saw an unconfirmed commit waits for the disk, too', async () => {
    const confirm = holdDisk();
    const first = insert('seen');
    let isTold = false;
    const second = work
      .run(async (tx) => {
        await tx.rows(READ, ['seen']);
        throw new RangeError('refused');
      })
      .catch(() => (isTold = true));
    await afterTurns();
    expect(isTold).toBe(false);

    confirm();
    await Promise.all([first, second]);
  });

  it('a read without an unconfirmed commit waits for nothing', async () => {
    await insert('kept');
    holdDisk();

    expect(await work.single((tx) => tx.rows(READ, ['kept']))).toEqual([{ expires_at: 1 }]);
  });

  it('concurrent units of work share syncs, and one that throws takes back its own changes only', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        work.run(async (tx) => {
          await tx.insert(INSERT, [`unit-${index}`, 1]);
          if (index % 4 === 0) throw new RangeError('stop');
        }),
      ),
    );

    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(outcomes.map((_, index) => index % 4 !== 0));
    expect(outcomes.map((_, index) => readElsewhere(file, `unit-${index}`))).toEqual(
      outcomes.map((_, index) => index % 4 !== 0),
    );
    expect(disk.syncs).toBeLessThan(5);
  });

  it('a failed sync ends the process, and no result of the group is returned', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const write = vi.spyOn(fs, 'writeSync').mockReturnValue(0);
    syncBuiltinESMExports();
    disk.sync = (_descriptor, done) => {
      done(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    };
    const outcomes = await Promise.allSettled([insert('first'), work.single((tx) => tx.rows(READ, ['first']))]);
    disk.sync = confirmAtOnce;

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
    expect(write.mock.calls.map(([, text]) => text)).toContainEqual(
      expect.stringMatching(/^The disk did not confirm a commit \(EIO\) of .*login\.db-wal\./),
    );
  });

  it('a database behind a symbolic link waits for the log of its target', async () => {
    const link = `${file}.link`;
    symlinkSync(file, link);
    await dataSource.destroy();
    dataSource = await openDatabase({ url: `jdbc:sqlite:${link}` });
    work = unitOfWork(dataSource);
    let synced = '';
    disk.sync = (descriptor, done) => {
      synced = readlinkSync(`/proc/self/fd/${descriptor}`);
      done(null);
    };

    expect(await insert('linked')).toBe(true);
    expect(synced).toBe(`${realpathSync(file)}-wal`);
  });

  it('a unit of work that has committed is confirmed while the database closes', async () => {
    const confirm = holdDisk();
    const first = insert('first');
    await afterTurns();
    const second = insert('second');
    while (!readElsewhere(file, 'second')) await Promise.resolve();
    await dataSource.destroy();
    confirm();

    expect(await Promise.all([first, second])).toEqual([true, true]);
    dataSource = await openDatabase({ url: `jdbc:sqlite:${file}` });
    expect([readElsewhere(file, 'first'), readElsewhere(file, 'second')]).toEqual([true, true]);
  });

  it('a change that returns rows waits for the disk', async () => {
    const confirm = holdDisk();
    let isTold = false;
    const returning = work
      .single((tx) => tx.rows(`${INSERT} RETURNING jti`, ['returned', 1]))
      .then(() => (isTold = true));
    await afterTurns();
    expect(isTold).toBe(false);

    confirm();
    await returning;
  });

  it('R2: after a power failure at any moment of a burst, the file holds every fact whose result was returned', async () => {
    const folder = temporaryFolder('power-cut');
    let number = 0;
    /** A copy of the files at the start of the last completed sync: a power failure leaves at least their content. */
    let durable = '';
    disk.sync = (_descriptor, done) => {
      number += 1;
      const copy = join(folder, `${number}.db`);
      copyFileSync(file, copy);
      if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
      setImmediate(() => {
        durable = copy;
        done(null);
      });
    };
    const lost: string[] = [];
    const tell = async (jti: string): Promise<void> => {
      await insert(jti);
      const copy = `${durable}.${jti}`;
      copyFileSync(durable, copy);
      copyFileSync(`${durable}-wal`, `${copy}-wal`);
      if (!readElsewhere(copy, jti)) lost.push(jti);
    };
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let turn = 0; turn < 15; turn += 1) await tell(`client-${client}-${turn}`);
    });
    await Promise.all(clients);

    expect(lost).toEqual([]);
    expect(number).toBeLessThan(120);
  });
});

function readElsewhere(file: string, jti: string): boolean {
  const connection = new DatabaseSync(file);
  try {
    return connection.prepare(READ).all(jti).length === 1;
  } finally {
    connection.close();
  }
}
