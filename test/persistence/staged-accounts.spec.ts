import { expect, it } from 'vitest';
import type { StagedImport } from '../../src/account/import/staged-imports.service.js';
import { onEveryDatabase } from '../support/engines.js';
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
