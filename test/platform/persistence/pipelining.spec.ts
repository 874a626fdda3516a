import type { Connection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GuessFailureTable } from '../../../src/identity/account/throttle/password-failure.store.js';
import { GuessFailures, SharedFailures } from '../../../src/identity/account/throttle/shared-failures.js';
import { SESSION } from '../../../src/signin/auth/cookies.js';
import { NewDevices } from '../../../src/signin/auth/new-devices.service.js';
import { SystemClock } from '../../../src/kernel/clock/clock.js';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { StoreAvailability } from '../../../src/platform/kvstore/store-availability.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { openDatabase, poolOf, unitOfWork } from '../../../src/platform/persistence/database.js';
import type { Tx, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { KnownClientStore } from '../../../src/identity/session/known-client.store.js';
import { KnownClients } from '../../../src/identity/session/known-clients.service.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { Door } from '../../support/programs/door.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { eventChainParts } from '../../support/events/event-chain-parts.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { needs } from '../../support/runner/needs.js';
import { enrolledUser, markUsed, secondFactorParts, typedCode } from '../../support/login/second-factor-parts.js';
import { accountParts } from '../../identity/account/account-parts.js';

const PASSWORD = 'kettle-orbit-seven';

type Callback = (error: Error | null) => void;
type Query = (sql: string, callback: Callback) => unknown;

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const MOVE = 'UPDATE used_mfa_token SET expires_at = expires_at + 1 WHERE jti = ?';
const READ = 'SELECT jti, expires_at FROM used_mfa_token WHERE jti LIKE ? ORDER BY jti';

onEveryDatabase('concurrent statements of a unit of work', (database) => {
  const marks = (pattern: string): Promise<readonly unknown[]> =>
    database.work.single((tx) => tx.rows(READ, [pattern]));

  it('are executed in the order in which they were issued, prepared before or not', async () => {
    await database.work.single((tx) => tx.insert(MARK, ['ordered', 1]));
    const read = (tx: Tx): Promise<readonly unknown[]> => tx.rows(READ, ['ordered']);
    const change = `${MOVE} AND 1 = 1`;

    for (const expected of [2, 3]) {
      const [, row] = await database.work.run((tx) => Promise.all([tx.change(change, ['ordered']), read(tx)]));
      expect(row).toEqual([{ jti: 'ordered', expires_at: expected }]);
    }
  });

  it('are rolled back together if one of them fails', async () => {
    const failing = database.work.run((tx) =>
      Promise.all([
        tx.insert(MARK, ['together-1', 1]),
        tx.change('UPDATE nothing SET a = 1'),
        tx.insert(MARK, ['together-2', 1]),
      ]),
    );

    await expect(failing).rejects.toThrow(/nothing/);
    expect(await marks('together-%')).toEqual([]);
  });

  it('a statement after the end of its unit of work is refused', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const failing = database.work.run((tx) => {
      const slow = async (): Promise<void> => {
        for (let row = 0; row < 5; row += 1) await tx.insert(MARK, [`late-${row}`, 1]);
      };
      late = slow().catch((error: unknown) => error);
      return Promise.reject(new RangeError('stop'));
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(String(await late)).toContain('after the end of its unit of work');
    expect(await marks('late-%')).toEqual([]);
  });

  it('a deadlock in the middle of the statements commits nothing of that attempt', async () => {
    await database.work.run(async (tx) => {
      await tx.insert(MARK, ['deadlock-left', 0]);
      await tx.insert(MARK, ['deadlock-right', 0]);
    });
    const attempts: string[] = [];
    let holding = 0;
    const gate = Promise.withResolvers<undefined>();
    const both = (own: string, other: string): Promise<unknown> =>
      database.work.run(async (tx) => {
        const attempt = `attempt-${own}-${attempts.length}`;
        attempts.push(attempt);
        await tx.change(MOVE, [`deadlock-${own}`]);
        // Each transaction holds the row that the other one needs; the embedded database runs one after the other.
        holding += 1;
        if (holding === 2 || database.engine === 'SQLite') gate.resolve(undefined);
        await gate.promise;
        return Promise.all([
          tx.insert(MARK, [`${attempt}-a`, 1]),
          tx.change(MOVE, [`deadlock-${other}`]),
          tx.insert(MARK, [`${attempt}-b`, 1]),
          tx.insert(MARK, [`${attempt}-c`, 1]),
        ]);
      });

    await Promise.all([both('left', 'right'), both('right', 'left')]);

    expect(attempts.length).toBeGreaterThan(database.engine === 'SQLite' ? 1 : 2);
    const kept = (await marks('attempt-%')) as readonly { readonly jti: string }[];
    const whole = new Set(kept.map(({ jti }) => jti.slice(0, -2)));
    expect(whole.size).toBe(2);
    expect(kept).toHaveLength(6);
    expect(await marks('deadlock-%')).toMatchObject([{ expires_at: 2 }, { expires_at: 2 }]);
  });
});

needs('mariadb')('statements on a database server', () => {
  let door: Door;
  let dataSource: DataSource;
  let work: UnitOfWork;
  let held: { release(): void } | undefined;

  beforeEach(async () => {
    const { url, username, password, server } = await freshMariadbDatabase();
    door = new Door(server);
    await door.open();
    const settings = { url: url.replace(`:${server.port}/`, `:${door.port}/`), username, password };
    dataSource = await openDatabase(settings, { settings: { maximumPoolSize: 2 } });
    // Leaves one connection for all statements.
    held = await poolOf(dataSource)?.borrow();
    work = unitOfWork(dataSource);
  });

  afterEach(async () => {
    await door.shut();
    held?.release();
    await dataSource.destroy();
  });

  /** The next statement with this text fails as if the server had killed it, before or after it was executed. */
  const kill = async (text: string, { isExecuted = false } = {}): Promise<void> => {
    const lease = await poolOf(dataSource)?.borrow();
    const connection = lease?.connection.driver as Connection;
    const query: Query = connection.query.bind(connection);
    const killed: Query = (sql, callback) => {
      if (sql !== text) return query(sql, callback);
      Object.assign(connection, { query });
      const interrupted = Object.assign(new Error('Query execution was interrupted'), { errno: 1317 });
      if (isExecuted) return query(sql, () => callback(interrupted));
      callback(interrupted);
      return undefined;
    };
    Object.assign(connection, { query: killed });
    lease?.release();
  };
  const insertAll = (name: string): Promise<readonly boolean[]> =>
    work.run((tx) => Promise.all(['a', 'b', 'c', 'd'].map((letter) => tx.insert(MARK, [`${name}-${letter}`, 1]))));

  /** The settings of the connection of the next statement. */
  const mode = (tx: Tx): Promise<readonly unknown[]> => tx.rows('SELECT @@autocommit AS mode, CONNECTION_ID() AS id');

  /** The pool tests a connection that was unused for a while, which would be a write of its own. */
  const justUsed = (): Promise<unknown> => work.single(mode);

  it('concurrent statements are sent in one write with the begin of their transaction', async () => {
    await insertAll('prepared');
    const before = door.writes;

    expect(await insertAll('counted')).toEqual([true, true, true, true]);

    // The statements, the first of which begins the transaction, and the commit.
    expect(door.writes - before).toBe(2);
  });

  it('a statement outside of a transaction is sent in one write with the return to autocommit', async () => {
    const alone = (name: string): Promise<boolean> => work.single((tx) => tx.insert(MARK, [name, 1]));
    await alone('prepared');
    await insertAll('before');
    const before = door.writes;

    expect(await alone('alone')).toBe(true);

    expect(door.writes - before).toBe(1);
  });

  it('what follows from a one-time code is sent in one write with its use', async () => {
    const clock = new ManualClock();
    const parts = secondFactorParts(work, clock);
    const { subject, app } = await enrolledUser(work, parts, clock);
    const writesOf = async (jti: string): Promise<number> => {
      clock.advance(60);
      const code = app.codeAt(clock.seconds());
      await justUsed();
      const before = door.writes;
      await parts.secondFactors.prove({ subject, jti }, typedCode(code), (tx) => markUsed(tx, jti));
      return door.writes - before;
    };
    await writesOf('prepared');

    // The attempt, the use of the code with what follows, and the commit.
    expect(await writesOf('counted')).toBe(3);
  });

  it('an account is read in one write with the failures of its passwords that replicas share', async () => {
    const availability = new StoreAvailability(
      () => Promise.resolve(),
      1000,
      new CollectedLog().loggers.get('limits'),
      { lost: 'lost', back: 'back' },
    );
    const table = new GuessFailureTable(work, new SystemClock());
    const failures = new GuessFailures(new SharedFailures(table, availability));
    const parts = accountParts(work, undefined, undefined, undefined, failures);
    await parts.creation.create({ loginId: 'one.trip', password: PASSWORD, roles: [] }, 'cli');
    const writesOf = async (credentials: { readonly device?: string }): Promise<number> => {
      await justUsed();
      const before = door.writes;
      const verdict = await parts.verification.verify({ loginId: 'one.trip', password: PASSWORD, ...credentials });
      expect(verdict.kind).toBe('right');
      return door.writes - before;
    };
    const device = parts.devices.issue('01893b1e-6f80-7000-8000-000000000001');
    await writesOf({});
    await writesOf({ device });

    expect([await writesOf({}), await writesOf({ device })]).toEqual([1, 1]);
    await parts.hasher.close();
  });

  it('a login of a client that was reported takes no write of its own for that, and is not reported again', async () => {
    const clock = new ManualClock();
    const events = new SecurityEvents(new EventStore(), clock, new SystemRandom(), new Loggers(), work);
    const devices = new NewDevices(accountParts(work).devices, events, new KnownClients(new KnownClientStore(), clock));
    const login = async ({ keepsCookies }: { readonly keepsCookies: boolean }): Promise<number> => {
      const before = door.writes;
      await work.run((tx) =>
        Promise.all([
          devices.record(tx, 'anna', keepsCookies ? { [SESSION]: 'ended' } : {}),
          events.record(tx, { kind: 'LOGIN_PASSWORD_OK', subject: 'anna' }),
        ]),
      );
      return door.writes - before;
    };
    const reports = (): Promise<readonly unknown[]> =>
      work.single((tx) => tx.rows("SELECT id FROM security_event WHERE kind = 'NEW_DEVICE'"));
    for (let logins = 0; logins < 3; logins += 1) await login({ keepsCookies: false });
    expect(await reports()).toHaveLength(1);

    // All statements, and the commit.
    expect(await login({ keepsCookies: false })).toBe(2);
    expect(await reports()).toHaveLength(1);
    await login({ keepsCookies: true });
    expect(await reports()).toHaveLength(2);
    clock.advance(30 * 86_400);
    await login({ keepsCookies: false });
    expect(await reports()).toHaveLength(3);
  });

  it('the end of the event chain is read in one write with the events that follow it', async () => {
    const { record, relayAll, relay } = eventChainParts(work, new ManualClock());
    await record({ kind: 'MFA_OK', subject: 'anna' });
    await relayAll();
    await justUsed();
    const before = door.writes;

    expect(await relay.relay()).toBe('none');

    expect(door.writes - before).toBe(1);
  });

  it('all statements fail when the connection is lost, and later ones succeed', async () => {
    await insertAll('before');
    const lost = work.run((tx) => {
      const all = Promise.allSettled(['a', 'b', 'c'].map((letter) => tx.insert(MARK, [`lost-${letter}`, 1])));
      return Promise.all([door.shut(), all]);
    });

    const [, results] = await lost.catch(() => [undefined, []] as const);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    await door.open();

    expect(await insertAll('after')).toEqual([true, true, true, true]);
    expect(await work.single((tx) => tx.rows(READ, ['lost-%']))).toEqual([]);
  });

  it('nothing is stored by a unit of work whose COMMIT the server killed', async () => {
    await insertAll('before');
    await kill('COMMIT');

    await expect(insertAll('killed')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(await insertAll('after')).toEqual([true, true, true, true]);
    expect(await work.single((tx) => tx.rows(READ, ['killed-%']))).toEqual([]);
  });

  it('a statement outside of a transaction stores nothing if the return to autocommit fails', async () => {
    const connection = async (): Promise<unknown> => (await work.run(mode))[0];
    await insertAll('before');
    const before = await connection();
    await kill('SET autocommit = 1');

    const alone = work.single((tx) => Promise.all([tx.insert(MARK, ['alone-a', 1]), tx.insert(MARK, ['alone-b', 1])]));
    await expect(alone).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(await connection()).not.toEqual(before);
    expect(await work.single((tx) => tx.rows(READ, ['alone-%']))).toEqual([]);
  });

  it('a transaction is rolled back although a return to autocommit failed after it took effect', async () => {
    await insertAll('before');
    await kill('SET autocommit = 1', { isExecuted: true });
    const lease = await poolOf(dataSource)?.borrow();
    await expect(lease?.connection.query('SELECT 1')).rejects.toThrow('interrupted');
    lease?.release();

    await expect(
      work.run(async (tx) => {
        await tx.insert(MARK, ['undone', 1]);
        throw new RangeError('stop');
      }),
    ).rejects.toThrow('stop');

    expect(await work.single((tx) => tx.rows(READ, ['undone']))).toEqual([]);
  });

  it('a statement outside of a transaction is committed after autocommit was switched off by a statement that failed', async () => {
    await work.single(mode);
    await kill('SET autocommit = 0', { isExecuted: true });
    await expect(insertAll('killed')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    await work.single((tx) => tx.insert(MARK, ['alone', 1]));

    (await poolOf(dataSource)?.borrow())?.discard();
    expect(await work.single((tx) => tx.rows(READ, ['killed-%']))).toEqual([]);
    expect(await work.single((tx) => tx.rows(READ, ['alone']))).toHaveLength(1);
  });

  it('autocommit stays off after a commit and a rollback, and is on for statements outside of transactions', async () => {
    const [before] = await work.single(mode);
    const off = { ...(before as object), mode: 0 };

    expect(await work.run(mode)).toEqual([off]);
    expect(await work.single(mode)).toEqual([before]);
    await work.run(() => Promise.reject(new RangeError('stop'))).catch(() => undefined);
    expect(await work.run(mode)).toEqual([off]);
    expect(await work.single(mode)).toEqual([before]);
    expect(before).toMatchObject({ mode: 1 });
  });

  it('a statement that TypeORM or a check of the server sends after a transaction is committed by itself', async () => {
    const isStored = async (jti: string): Promise<boolean> => {
      // Nothing is committed by the connection that is closed here.
      const lease = await poolOf(dataSource)?.borrow();
      lease?.discard();
      return (await work.single((tx) => tx.rows(READ, [jti]))).length === 1;
    };
    await insertAll('typeorm');
    await dataSource.query(MARK, ['by-typeorm', 1]);
    expect(await isStored('by-typeorm')).toBe(true);

    await insertAll('check');
    const lease = await poolOf(dataSource)?.borrow();
    await lease?.connection.query("INSERT INTO used_mfa_token (jti, expires_at) VALUES ('by-query', 1)");
    lease?.release();
    expect(await isStored('by-query')).toBe(true);
  });
});
