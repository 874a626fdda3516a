import bcrypt from 'bcryptjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountVersion } from '../../../src/identity/account/account.js';
import { kindOf } from '../../../src/identity/account/password/decoys.js';
import { HashKindStore } from '../../../src/identity/account/password/hash-kind.store.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type AccountParts, accountParts } from './account-parts.js';

const PASSWORD = 'kettle-orbit-seven';
/** An account as it was created. */
const unchanged = (id: string): AccountVersion => ({ id, securityStamp: 0, totpCount: 0, passkeyCount: 0 });
const ARGON2 = '$argon2id$v=19$m=128,t=1,p=1';
const BCRYPT = '$2b$04';

onEveryDatabase('H2: kinds of password hashes', (database) => {
  const store = new HashKindStore();
  let parts: AccountParts;

  beforeAll(() => {
    parts = accountParts(database.work);
  });
  afterAll(() => parts.hasher.close());

  const classify = (): Promise<boolean> => database.work.run((tx) => store.classify(tx));
  const kinds = (): Promise<readonly string[]> => database.work.single((tx) => store.kinds(tx));
  const count = async (kind: string): Promise<number> =>
    (await database.work.single((tx) => store.countSlice(tx, kind, ''))).number;
  const import_ = async (id: string, passwordHash: string | undefined): Promise<void> => {
    const draft = {
      id,
      loginId: id,
      kind: 'local',
      passwordHash,
      roles: [],
      mfaRequired: false,
      createdAt: 1,
    } as const;
    expect(await database.work.single((tx) => parts.changesStore.insert(tx, [draft]))).toBe(true);
  };

  it('kinds are counted after classification and follow every change of a hash', async () => {
    expect(await parts.decoys.decoyOf('nobody')).toBeUndefined();
    const old = bcrypt.hashSync(PASSWORD, 4);
    await import_('anna', old);
    await import_('bert', bcrypt.hashSync('other', 4));
    await import_('staff', undefined);
    const made = await parts.creation.create({ loginId: 'carl', password: PASSWORD, roles: [] }, 'cli');
    const before = await kinds();

    expect(await classify()).toBe(false);
    expect(before).toEqual([]);
    expect(await kinds()).toEqual([BCRYPT, ARGON2].sort());
    expect([await count(BCRYPT), await count(ARGON2)]).toEqual([2, 1]);

    expect(await parts.verification.verify({ loginId: 'anna', password: PASSWORD })).toMatchObject({
      kind: 'right',
    });
    await database.work.single((tx) =>
      parts.store.changePassword(tx, unchanged('bert'), bcrypt.hashSync('third', 5), 2),
    );
    await classify();
    expect([await count(BCRYPT), await count(ARGON2), await count('$2b$05')]).toEqual([0, 2, 1]);
    expect((await parts.accounts.find(made.id))?.hasPassword).toBe(true);
  });

  it('a background refresh updates the decoy kinds for unknown login ids', async () => {
    await database.work.run((tx) => tx.change("DELETE FROM account WHERE id <> 'bert'"));
    await parts.decoys.refresh();

    expect((await parts.decoys.decoyOf('nobody'))?.kind).toBe('$2b$05');
    expect((await parts.decoys.decoyOf('corp:somebody'))?.kind).toBe('$2b$05');
  });

  it('a kind is not written for a hash that was replaced after it was read', async () => {
    const stored = bcrypt.hashSync(PASSWORD, 4);
    await import_('dora', stored);
    await database.work.run(async (tx) => {
      const late = { ...tx, rows: tx.rows.bind(tx), change: tx.change.bind(tx) };
      // The hash changes between the read and the write of its kind.
      const rows: typeof late.rows = async (sql, values) => {
        const found = await tx.rows<never>(sql, values);
        await parts.store.changePassword(tx, unchanged('dora'), bcrypt.hashSync(PASSWORD, 6), 3);
        return found;
      };
      await store.classify(Object.assign(late, { rows }));
    });

    expect([await count('$2b$04'), await count('$2b$06')]).toEqual([0, 0]);
    await classify();
    expect([await count('$2b$04'), await count('$2b$06')]).toEqual([0, 1]);
    expect(kindOf(stored)).toBe('$2b$04');
  });

  it('queries for kinds use their index', async () => {
    const explain = database.engine === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    for (const sql of [
      "SELECT MIN(password_kind) AS kind FROM account WHERE password_kind > '' AND password_kind < 'new'",
      "SELECT id FROM account WHERE password_kind = '$2b$04' AND id > '' ORDER BY id LIMIT 10000",
    ]) {
      const plan = await database.work.single((tx) => tx.rows<Record<string, unknown>>(`${explain} ${sql}`));
      expect(JSON.stringify(plan), sql).toMatch(/account_password_kind|Select tables optimized away/);
    }
  });
});
