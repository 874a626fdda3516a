import type { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import type { StagedImport } from '../../../src/identity/account/import/staged-imports.service.js';
import { AccountImports1795824000062 } from '../../../src/apps/schema/migrations/account-import.migration.js';
import { revertLast } from '../../../src/platform/persistence/migrations/migrations.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type AccountParts, accountParts } from './account-parts.js';

/** Begins an import and stages one account, as a process does that is killed before the end. */
async function begun({ stagedImports, changesStore }: AccountParts, id: string): Promise<StagedImport> {
  const account = { id, loginId: id, kind: 'local', roles: [], mfaRequired: false, createdAt: 1 } as const;
  const unfinished = await stagedImports.begin(undefined);
  await unfinished.stage([id], (tx) => changesStore.insert(tx, [account], 'staged'));
  return unfinished;
}

onEveryDatabase('the first start after a killed import', (database) => {
  it('creates the first user unless the import was complete: other staged accounts will be deleted', async () => {
    const parts = accountParts(database.work);
    const unfinished = await begun(parts, 'undecided');
    expect(await parts.creation.isFirstStart()).toBe(true);

    await unfinished.complete(() => Promise.resolve());
    expect(await parts.creation.isFirstStart()).toBe(false);

    await unfinished.settle();
    expect(await parts.creation.isFirstStart()).toBe(false);
    await parts.hasher.close();
  });
});

onEveryDatabase('a revert of the migration that added staged accounts', (database) => {
  it('activates the accounts of a complete import, which has been reported as done', async () => {
    const parts = accountParts(database.work);
    const decided = await begun(parts, 'decided');
    await decided.complete(() => Promise.resolve());

    await revertAccountImports(database.dataSource);

    // Not by the store, whose columns later migrations added.
    expect(await database.work.single((tx) => tx.rows('SELECT id, status FROM account'))).toEqual([
      { id: 'decided', status: 'active' },
    ]);
    await parts.hasher.close();
  });
});

onEveryDatabase('a revert of the migration that added staged accounts, during an import', (database) => {
  it('deletes the accounts of an import that was not complete', async () => {
    const parts = accountParts(database.work);
    await begun(parts, 'undecided');

    await revertAccountImports(database.dataSource);

    expect(await database.work.single((tx) => tx.rows('SELECT id FROM account'))).toEqual([]);
    await parts.hasher.close();
  });
});

async function revertAccountImports(dataSource: DataSource): Promise<void> {
  const wanted = AccountImports1795824000062.name;
  while ((await revertLast(dataSource, true)) !== wanted);
}
