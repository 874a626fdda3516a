import { expect, it } from 'vitest';
import { UnprovenTimes1795564873000 } from '../../../src/apps/schema/migrations/columns.migration.js';
import { onEveryDatabase, type TestDatabase } from '../../support/database/engines.js';

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const MOVE = 'UPDATE used_mfa_token SET expires_at = expires_at + 1 WHERE jti = ?';
const READ = 'SELECT expires_at FROM used_mfa_token WHERE jti = ?';

onEveryDatabase('a unit of work', (database) => {
  const marks = (jti: string): Promise<readonly unknown[]> => database.work.single((tx) => tx.rows(READ, [jti]));

  it('rolls back work that throws', async () => {
    const failing = database.work.run(async (tx) => {
      await tx.insert(MARK, ['thrown', 1]);
      throw new RangeError('stop');
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(await marks('thrown')).toEqual([]);
  });

  it('continues after an insert that violates a unique key', async () => {
    const inserted = await database.work.run(async (tx) => [
      await tx.insert(MARK, ['first', 1]),
      await tx.insert(MARK, ['first', 2]),
      await tx.insert(MARK, ['second', 3]),
    ]);

    expect(inserted).toEqual([true, false, true]);
    expect(await marks('first')).toEqual([{ expires_at: 1 }]);
    expect(await marks('second')).toEqual([{ expires_at: 3 }]);
  });

  it('unique keys compare texts byte by byte', async () => {
    const inserted = await database.work.run(async (tx) => [
      await tx.insert(MARK, ['aB', 1]),
      await tx.insert(MARK, ['ab', 1]),
      await tx.insert(MARK, ['äb', 1]),
    ]);

    expect(inserted).toEqual([true, true, true]);
  });

  it('counts the matched rows, whether or not they change', async () => {
    await database.work.single((tx) => tx.insert(MARK, ['same', 7]));
    const matched = await database.work.single((tx) =>
      tx.change('UPDATE used_mfa_token SET expires_at = 7 WHERE jti = ?', ['same']),
    );

    expect(matched).toBe(1);
  });

  it('callbacks run after the commit in order, when others can see the change', async () => {
    const told: string[] = [];
    const seen: Promise<readonly unknown[]>[] = [];

    await database.work.run(async (tx) => {
      tx.afterCommit(() => {
        told.push('first');
        seen.push(marks('told'));
      });
      await tx.insert(MARK, ['told', 1]);
      tx.afterCommit(() => told.push('second'));
      told.push('worked');
    });

    expect(told).toEqual(['worked', 'first', 'second']);
    expect(await Promise.all(seen)).toEqual([[{ expires_at: 1 }]]);
  });

  it('callbacks do not run for work that is rolled back', async () => {
    const told: string[] = [];
    const failing = database.work.run(async (tx) => {
      tx.afterCommit(() => told.push('never'));
      await tx.insert(MARK, ['untold', 1]);
      throw new RangeError('stop');
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(told).toEqual([]);
  });

  it('committed work is not repeated when a callback throws', async () => {
    let begun = 0;
    const work = database.work.run(async (tx) => {
      begun += 1;
      tx.afterCommit(() => {
        throw Object.assign(new Error('as of a deadlock'), { errno: 1213 });
      });
      await tx.change(MOVE, ['nothing']);
    });

    await expect(work).rejects.toThrow('as of a deadlock');
    expect(begun).toBe(1);
  });

  it('forty concurrent transactions on one row lose no change', async () => {
    await database.work.single((tx) => tx.insert(MARK, ['busy', 0]));
    await Promise.all(Array.from({ length: 40 }, () => database.work.run((tx) => tx.change(MOVE, ['busy']))));

    expect(await marks('busy')).toEqual([{ expires_at: 40 }]);
  });

  it('work that loses a deadlock is repeated, and its callbacks run once', async () => {
    await database.work.run(async (tx) => {
      await tx.insert(MARK, ['left', 0]);
      await tx.insert(MARK, ['right', 0]);
    });
    let told = 0;
    const both = (first: string, second: string) => async (): Promise<void> => {
      for (let round = 0; round < 20; round += 1) {
        await database.work.run(async (tx) => {
          tx.afterCommit(() => (told += 1));
          await tx.change(MOVE, [first]);
          await tx.change(MOVE, [second]);
        });
      }
    };

    await Promise.all([both('left', 'right')(), both('right', 'left')(), both('left', 'right')()]);

    expect(await marks('left')).toEqual([{ expires_at: 60 }]);
    expect(await marks('right')).toEqual([{ expires_at: 60 }]);
    expect(told).toBe(60);
  });
});

onEveryDatabase('the schema', (database) => {
  it('migrations run forward, back to nothing and forward again to the same schema', async () => {
    const before = await columnsAndIndexes(database);
    for (let left = database.dataSource.migrations.length; left > 0; left -= 1) {
      await database.dataSource.undoLastMigration({ transaction: 'none' });
    }
    const undone = await columnsAndIndexes(database);
    await database.dataSource.runMigrations({ transaction: 'none' });

    expect(undone.filter((line) => !line.startsWith('migrations'))).toEqual([]);
    expect(before.filter((line) => line.startsWith('account '))).not.toEqual([]);
    expect(await columnsAndIndexes(database)).toEqual(before);
  });
});

onEveryDatabase('nested units of work', (database) => {
  it('a nested unit of work on SQLite is rejected because it would wait for itself', async () => {
    if (database.engine !== 'SQLite') return;
    const nested = database.work.run(() => database.work.run(() => Promise.resolve()));

    await expect(nested).rejects.toThrow('pass tx on');
  });
});

/** Sorted lines of text, one for each column and each index. */
async function columnsAndIndexes({ dataSource, engine }: TestDatabase): Promise<readonly string[]> {
  const texts =
    engine === 'SQLite'
      ? ["SELECT tbl_name || ' ' || sql AS line FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"]
      : ON_A_SERVER;
  const lines = await Promise.all(texts.map((text) => dataSource.query<readonly { readonly line: string }[]>(text)));
  return lines
    .flat()
    .map(({ line }) => line)
    .toSorted();
}

const ON_A_SERVER = [
  `SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, column_default, collation_name) AS line
   FROM information_schema.columns WHERE table_schema = DATABASE()`,
  `SELECT CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name, non_unique) AS line
   FROM information_schema.statistics WHERE table_schema = DATABASE()`,
];

onEveryDatabase('the migration of staff sessions with unproven times', (database) => {
  const COLUMNS = 'id, user_id, kind, amr, auth_time, mfa_at, mfa_method, idp, created_at, last_used_at, expires_at';
  const SESSIONS = [
    ['local', 'anna', 'portal', 'pwd otp', 100, 110, 'totp', null, 100, 100, 900],
    ['staff', 'ada', 'staff', 'pwd otp', 100, 100, 'idp', 'corp', 100, 100, 900],
    ['code', 'joe', 'staff', 'pwd otp', 100, 120, 'totp', 'corp', 100, 100, 900],
  ] as const;

  it('S2: the migration keeps only proven times and can be repeated', async () => {
    await undoTo(database, 'UnprovenTimes');
    await database.work.run(async (tx) => {
      for (const session of SESSIONS) {
        await tx.insert(`INSERT INTO session (${COLUMNS}) VALUES (${COLUMNS.replaceAll(/\w+/g, '?')})`, session);
      }
    });
    const times = (): Promise<readonly unknown[]> =>
      database.work.single((tx) => tx.rows('SELECT id, auth_time, mfa_at FROM session ORDER BY id'));

    await database.dataSource.runMigrations({ transaction: 'none' });
    const proven = [
      { id: 'code', auth_time: null, mfa_at: 120 },
      { id: 'local', auth_time: 100, mfa_at: 110 },
      { id: 'staff', auth_time: null, mfa_at: null },
    ];
    expect(await times()).toEqual(proven);

    const migration = new UnprovenTimes1795564873000();
    const runner = database.dataSource.createQueryRunner();
    try {
      await migration.up(runner);
    } finally {
      await runner.release();
    }
    expect(await times()).toEqual(proven);
  });
});

onEveryDatabase('the rollback of temporary passwords', (database) => {
  const COLUMNS =
    'id, login_id, kind, status, password_hash, password_kind, password_ends_at, roles, mfa_required, enrolment_forced, ' +
    'security_stamp, last_used_step, failures, failures_in_row, lock_level, last_attempt_at, created_at, updated_at';

  it('A4: the rollback removes temporary passwords and their kinds', async () => {
    await database.work.run(async (tx) => {
      for (const [id, endsAt] of [['own', null] as const, ['temporary', 900] as const]) {
        const facts = [id, id, 'local', 'active', '$hash', '$kind', endsAt, '', 0, 0, 0, -1, 0, 0, 0, 0, 1, 1];
        await tx.insert(`INSERT INTO account (${COLUMNS}) VALUES (${COLUMNS.replaceAll(/\w+/g, '?')})`, facts);
      }
    });

    await undoTo(database, 'AccountAdministration');

    const rows = await database.work.single((tx) =>
      tx.rows('SELECT id, password_hash, password_kind FROM account ORDER BY id'),
    );
    expect(rows).toEqual([
      { id: 'own', password_hash: '$hash', password_kind: '$kind' },
      { id: 'temporary', password_hash: null, password_kind: 'new' },
    ]);
  });
});

/** Undoes every migration down to the named one. */
async function undoTo({ dataSource }: TestDatabase, name: string): Promise<void> {
  for (let isUndone = false; !isUndone;) {
    const [last] = await dataSource.query<readonly { readonly name: string }[]>(
      'SELECT name FROM migrations ORDER BY id DESC LIMIT 1',
    );
    isUndone = last?.name.startsWith(name) !== false;
    await dataSource.undoLastMigration({ transaction: 'none' });
  }
}
