import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvRows } from '../../../src/identity/account/import/csv-import.js';
import type { ImportReport, ImportRow } from '../../../src/identity/account/import/import-row.js';
import type { ImportOptions } from '../../../src/identity/account/import/account-import.service.js';
import type { ImportedTotp } from '../../../src/identity/account/import/import-drafts.service.js';
import { StagedAccountsStore } from '../../../src/identity/account/import/staged-accounts.store.js';
import type { Tx } from '../../../src/platform/persistence/unit-of-work.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type AccountParts, accountParts, eventKinds } from './account-parts.js';

const PASSWORD = 'kettle-orbit-seven';

onEveryDatabase('account import', (database) => {
  let parts: AccountParts;
  let hash: string;

  beforeAll(async () => {
    parts = accountParts(database.work);
    hash = await parts.hasher.hash(PASSWORD);
  });
  afterAll(() => parts.hasher.close());

  const run = (lines: readonly string[], options: Partial<ImportOptions> = {}, own = parts): Promise<ImportReport> =>
    own.accountImport.run(() => csvRows(Readable.from([Buffer.from(lines.join('\n'))])), { actor: 'cli', ...options });
  const exists = async (loginId: string): Promise<boolean> =>
    (await parts.accounts.findByLoginId(loginId)) !== undefined;

  it('creates users with hashes, with passwords and with neither', async () => {
    const report = await run([
      'login_id,password_hash,password,email,roles',
      `With.Hash,"${hash}",,hash@example.org,"ROLE_A,ROLE_B"`,
      `with.password,,${PASSWORD},,`,
      'with.neither,,,,',
    ]);

    expect(report).toEqual({ created: 3, errors: [], errorsTotal: 0 });
    for (const loginId of ['with.hash', 'with.password']) {
      expect(await parts.verification.verify({ loginId, password: PASSWORD })).toMatchObject({ kind: 'right' });
    }
    expect(await parts.accounts.findByLoginId('with.hash')).toMatchObject({
      email: 'hash@example.org',
      roles: ['ROLE_A', 'ROLE_B'],
    });
    expect(await parts.accounts.findByLoginId('with.neither')).toMatchObject({ hasPassword: false, roles: [] });
    expect(await eventKinds(database.work)).toEqual(['USERS_IMPORTED']);
  });

  it('reports errors row by row and imports nothing', async () => {
    const report = await run([
      'login_id,password_hash,password,email,roles,otpauth_uri',
      'good.row,,,,,',
      ',,,,,',
      'idp:someone,,,,,',
      'huge.cost,$2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy,,,,',
      `both.ways,${hash.replaceAll(',', ';')},,,,`,
      `weak,,password,not-an-address,ROLE_PRE_MFA,`,
      'totp.row,,,,,otpauth://totp/x?secret=x',
    ]);

    expect(report).toEqual({
      created: 0,
      errors: [
        { line: 3, field: 'login_id', code: 'malformed' },
        { line: 4, field: 'login_id', code: 'malformed' },
        { line: 5, field: 'password_hash', code: 'unsupported' },
        { line: 6, field: 'password_hash', code: 'unsupported' },
        { line: 7, field: 'password', code: 'too_common' },
        { line: 7, field: 'email', code: 'malformed' },
        { line: 7, field: 'roles', code: 'malformed' },
        { line: 8, field: 'otpauth_uri', code: 'unsupported' },
      ],
      errorsTotal: 8,
    });
    expect(await exists('good.row')).toBe(false);
  });

  it('H6: rejects login ids that a spreadsheet would execute, and hashes below the minimum cost', async () => {
    const strict = accountParts(database.work, undefined, 'common');
    const bcrypt = '$2b$09$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

    const rows = ['=cmd', '+49', '-1', '@sum', '＝wide'].map((id) => `${id},`);
    const report = await run(['login_id,password_hash', ...rows, `weak.hash,${bcrypt}`], {}, strict);
    await strict.hasher.close();

    const formulas = rows.map((_, index) => ({ line: index + 2, field: 'login_id', code: 'formula' }));
    expect(report.errors).toEqual([...formulas, { line: 7, field: 'password_hash', code: 'too_weak' }]);
    expect(await exists('=cmd')).toBe(false);
  });

  it('H10: a login id that exists in the database or in the file is an error of its row', async () => {
    await parts.creation.create({ loginId: 'taken', password: PASSWORD, roles: ['ROLE_A'] }, 'cli');
    const lines = ['login_id,roles', 'free,', 'TAKEN,ROLE_ADMIN', 'Free,ROLE_ADMIN'];
    const errors = [
      { line: 3, field: 'login_id', code: 'taken' },
      { line: 4, field: 'login_id', code: 'taken' },
    ];

    expect(await run(lines)).toEqual({ created: 0, errors, errorsTotal: 2 });
    expect(await exists('free')).toBe(false);
    expect(await run(lines, { isPartial: true })).toEqual({ created: 1, errors, errorsTotal: 2 });
    expect(await parts.accounts.findByLoginId('taken')).toMatchObject({ roles: ['ROLE_A'], hasPassword: true });
    expect(await parts.accounts.findByLoginId('free')).toMatchObject({ roles: [] });
  });

  it('stores the authenticators of its rows in the same transaction', async () => {
    const stored: ImportedTotp[] = [];
    const totps = {
      problem: (uri: string): string | undefined => (uri.startsWith('otpauth://') ? undefined : 'malformed'),
      insert: (_tx: unknown, rows: readonly ImportedTotp[]): Promise<void> => {
        stored.push(...rows);
        return stored.length > 1 ? Promise.reject(new RangeError('no')) : Promise.resolve();
      },
      deleteOf: (): Promise<void> => Promise.resolve(),
    };
    const header = 'login_id,otpauth_uri';

    expect(await run([header, 'totp.one,otpauth://one', 'totp.none,'], { totps })).toEqual({
      created: 2,
      errors: [],
      errorsTotal: 0,
    });
    const account = await parts.accounts.findByLoginId('totp.one');
    expect(stored).toEqual([{ subject: account?.id, otpauthUri: 'otpauth://one' }]);
    expect(await run([header, 'totp.two,https://two'], { totps })).toMatchObject({
      errors: [{ line: 2, field: 'otpauth_uri', code: 'malformed' }],
    });
    await expect(run([header, 'totp.three,otpauth://three'], { totps })).rejects.toThrow(RangeError);
    expect(await exists('totp.three')).toBe(false);
  });

  it('a user never gets the password of another row, even if the file changes before it is read again to be stored', async () => {
    const users = { 'moved.one': PASSWORD, 'moved.two': 'lantern-quarry-nine' };
    let readings = 0;
    const rows = async function* (): AsyncGenerator<ImportRow> {
      readings += 1;
      const named = Object.entries(users).map(([login_id, password]) => ({ login_id, password }));
      for (const [index, cells] of (readings === 1 ? named : named.toReversed()).entries()) {
        yield await Promise.resolve({ line: index + 1, cells });
      }
    };

    expect(await parts.accountImport.run(rows, { actor: 'cli' })).toMatchObject({ created: 2 });

    for (const [loginId, password] of Object.entries(users)) {
      expect(await parts.verification.verify({ loginId, password })).toMatchObject({ kind: 'right' });
    }
  });

  it('two processes that import the same file at once create every user once', async () => {
    const lines = ['login_id', ...Array.from({ length: 700 }, (_, index) => `race${index}`)];
    const other = accountParts(database.work);

    const reports = await Promise.all([run(lines, { isPartial: true }), run(lines, { isPartial: true }, other)]);

    await other.hasher.close();
    expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(700);
    expect(reports.reduce((sum, { errors }) => sum + errors.length, 0)).toBe(700);
  });

  it('counts all errors of a long file and reports the first thousand', async () => {
    const rows = Array.from({ length: 3000 }, () => 'idp:someone,not-an-address');

    for (const isPartial of [false, true]) {
      const report = await run(['login_id,email', ...rows], { isPartial });

      expect(report).toMatchObject({ created: 0, errorsTotal: 6000 });
      expect(report.errors).toHaveLength(1000);
      expect(report.errors.at(-1)).toEqual({ line: 501, field: 'email', code: 'malformed' });
    }
  });

  it('reports only the problems of the reader for a malformed row', async () => {
    const rows: readonly ImportRow[] = [
      { line: 1, cells: { login_id: 'read.well' } },
      { line: 2, cells: { email: 'nonsense' }, problems: [{ field: '', code: 'format' }] },
    ];
    const all = (isPartial: boolean): Promise<ImportReport> =>
      parts.accountImport.run(() => Readable.from(rows), { actor: 'cli', isPartial });
    const errors = [{ line: 2, field: '', code: 'format' }];

    expect(await all(false)).toEqual({ created: 0, errors, errorsTotal: 1 });
    expect(await exists('read.well')).toBe(false);
    expect(await all(true)).toEqual({ created: 1, errors, errorsTotal: 1 });
  });

  describe('import without partial in progress', () => {
    /** Rows whose second reading, which stores them, stops in the middle until `go`. */
    const held = (name: string): { run: () => Promise<ImportReport>; stopped: Promise<void>; go: () => void } => {
      const stopped = Promise.withResolvers<undefined>();
      const gone = Promise.withResolvers<undefined>();
      let readings = 0;
      const rows = async function* (): AsyncGenerator<ImportRow> {
        readings += 1;
        for (let line = 1; line <= 500; line += 1) {
          if (readings === 2 && line === 250) {
            stopped.resolve(undefined);
            await gone.promise;
          }
          yield { line, cells: { login_id: `${name}${line}` } };
        }
      };
      return {
        run: () => parts.accountImport.run(rows, { actor: 'cli' }),
        stopped: stopped.promise,
        go: () => {
          gone.resolve(undefined);
        },
      };
    };
    const staged = async (): Promise<number> => {
      const sql = "SELECT COUNT(*) AS total FROM account WHERE status = 'staged'";
      const [row] = await database.work.single((tx) => tx.rows<{ total: number }>(sql));
      return Number(row?.total);
    };

    it('other units of work end meanwhile and find none of its accounts', async () => {
      await parts.creation.create({ loginId: 'meanwhile', password: PASSWORD }, 'cli');
      const { run: runHeld, stopped, go } = held('held');
      const report = runHeld();
      await stopped;

      expect(await parts.verification.verify({ loginId: 'meanwhile', password: PASSWORD })).toMatchObject({
        kind: 'right',
      });
      expect(await exists('held1')).toBe(false);
      expect(await parts.accounts.list({ query: 'held', limit: 10 })).toEqual([]);
      await expect(parts.creation.create({ loginId: 'held1', password: PASSWORD }, 'cli')).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      expect(await staged()).toBe(200);

      go();
      expect(await report).toEqual({ created: 500, errors: [], errorsTotal: 0 });
      expect(await staged()).toBe(0);
      expect(await parts.accounts.list({ query: 'held', status: 'active', limit: 1000 })).toHaveLength(500);
    });

    it('an account of the import that its own process did not finish is deleted, and that process creates no more', async () => {
      const { run: runHeld, stopped, go } = held('lost');
      const report = runHeld();
      await stopped;
      const other = accountParts(database.work);
      await other.stagedImports.settleAbandoned(undefined);
      expect(await staged()).toBe(200);

      other.clock.now += 31_000;
      await other.stagedImports.settleAbandoned(undefined);
      await other.hasher.close();
      expect(await staged()).toBe(0);

      go();
      await expect(report).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await parts.accounts.list({ query: 'lost', limit: 10 })).toEqual([]);
      expect(await run(['login_id', 'lost1'])).toMatchObject({ created: 1 });
    });

    it('an import that is complete is activated by another process if its own does not do it', async () => {
      const unfinished = await parts.stagedImports.begin(undefined);
      const account = { id: 'decided', loginId: 'decided', kind: 'local', roles: [] } as const;
      const more = { mfaRequired: false, createdAt: 1 };
      await unfinished.stage([account.id], (tx) => parts.changesStore.insert(tx, [{ ...account, ...more }], 'staged'));
      await unfinished.complete(() => Promise.resolve());
      expect(await exists('decided')).toBe(false);

      const other = accountParts(database.work);
      other.clock.now += 31_000;
      await other.stagedImports.settleAbandoned(undefined);
      await other.hasher.close();

      expect(await exists('decided')).toBe(true);
      await expect(unfinished.settle()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await exists('decided')).toBe(true);
    });

    it('every batch changes the row of the import, also within one second', async () => {
      const store = new StagedAccountsStore();
      const holder = 'one-second';
      const ends = ['SELECT expires_at FROM account_import WHERE holder = ?', [holder]] as const;
      const end = async (change: (tx: Tx) => Promise<boolean>): Promise<number | undefined> =>
        database.work.run(async (tx) => {
          expect(await change(tx)).toBe(true);
          return (await tx.rows<{ expires_at: number }>(...ends))[0]?.expires_at;
        });

      expect(await end((tx) => store.claim(tx, holder, 100))).toBe(100);
      expect(await end((tx) => store.extend(tx, holder, 'b', 100))).toBe(99);
      expect(await end((tx) => store.extend(tx, holder, 'b', 100))).toBe(100);
      expect(await end((tx) => store.hold(tx, holder, 'staging', 100))).toBe(99);
      expect(await end((tx) => store.hold(tx, holder, 'staging', 100))).toBe(100);
      await database.work.single((tx) => store.release(tx, holder));
    });

    it('a failure in the middle deletes the accounts and what was stored beside them', async () => {
      const deleted: string[] = [];
      const totps = {
        problem: () => undefined,
        insert: (_tx: unknown, rows: readonly ImportedTotp[]): Promise<void> =>
          rows.some(({ otpauthUri }) => otpauthUri === 'bad')
            ? Promise.reject(new RangeError('no'))
            : Promise.resolve(),
        deleteOf: (_tx: unknown, subjects: readonly string[]): Promise<void> => {
          deleted.push(...subjects);
          return Promise.resolve();
        },
      };
      const lines = Array.from({ length: 300 }, (_, index) => `broken${index},${index === 299 ? 'bad' : 'good'}`);

      await expect(run(['login_id,otpauth_uri', ...lines], { totps })).rejects.toThrow(RangeError);

      expect(new Set(deleted).size).toBe(200);
      expect(await staged()).toBe(0);
      expect(await exists('broken0')).toBe(false);
    });

    it('if two imports name the same users in opposite orders, one of them creates all users', async () => {
      const ids = Array.from({ length: 700 }, (_, index) => `order${index}`);
      const other = accountParts(database.work);

      const reports = await Promise.all([run(['login_id', ...ids]), run(['login_id', ...ids.toReversed()], {}, other)]);

      await other.hasher.close();
      expect(reports.map(({ created }) => created).toSorted()).toEqual([0, 700]);
      expect(reports.map(({ errorsTotal }) => errorsTotal).toSorted()).toEqual([0, 700]);
    });
  });

  it('imports 10,000 rows with password hashes', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => `many${index},"${hash}",many${index}@example.org,ROLE_A`);
    const report = await run(['login_id,password_hash,email,roles', ...rows]);

    expect(report).toEqual({ created: 10_000, errors: [], errorsTotal: 0 });
  });
});
