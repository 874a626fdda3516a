import { expect, it } from 'vitest';
import type { ServiceError } from '../../../src/kernel/errors/service-error.js';
import { PROTECTED_ROLES } from '../../../src/identity/account/account.js';
import type { Tx, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { accountParts } from './account-parts.js';

/** A transaction that has run `change` and waits to be committed. */
function begun(
  work: UnitOfWork,
  change: (tx: Tx) => Promise<unknown>,
): { readonly hasChanged: Promise<unknown>; commit(): Promise<void> } {
  const [changed, mayCommit] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const committed = work.run(async (tx) => {
    await change(tx);
    changed.resolve(undefined);
    await mayCommit.promise;
  });
  return {
    hasChanged: Promise.race([changed.promise, committed]),
    commit: () => {
      mayCommit.resolve(undefined);
      return committed;
    },
  };
}

onEveryDatabase('the lock of an account that the help desk acts on', (database) => {
  it.each(['ROLE_ADMIN', 'ROLE_MANAGEMENT', 'ROLE_HELPDESK'])(
    'waits for a promotion to %s in progress and refuses the account then',
    async (role) => {
      const { creation, changes, hasher } = accountParts(database.work);
      const { id } = await creation.create({ loginId: `becomes-${role}`, roles: ['ROLE_CLERK'] }, 'test');
      const promotion = begun(database.work, (tx) => changes.change(tx, id, { roles: ['ROLE_CLERK', role] }, 'test'));
      await promotion.hasChanged;
      const held = database.work.run((tx) => changes.hold(tx, id, PROTECTED_ROLES)).catch((error: unknown) => error);
      await promotion.commit();

      expect(await held).toMatchObject({ code: 'ACCESS_DENIED', facts: { reason: 'protected account' } });
      await hasher.close();
    },
  );

  it('makes a promotion wait until the act is committed', async () => {
    const { creation, changes, hasher } = accountParts(database.work);
    // A role whose name only begins with that of a protected one is not protected.
    const { id } = await creation.create({ loginId: 'acted-on', roles: ['ROLE_ADMINS'] }, 'test');
    const order: string[] = [];
    const act = begun(database.work, async (tx) => {
      await changes.hold(tx, id, PROTECTED_ROLES);
      order.push('acted');
    });
    await act.hasChanged;
    const promoted = database.work
      .run((tx) => changes.change(tx, id, { roles: ['ROLE_ADMIN'] }, 'test'))
      .then(() => order.push('promoted'));
    await act.commit();
    await promoted;

    expect(order).toEqual(['acted', 'promoted']);
    await hasher.close();
  });

  it('finds neither a staged account nor one that does not exist', async () => {
    const { changes, changesStore, stagedImports, hasher } = accountParts(database.work);
    const account = { id: 'staged-one', loginId: 'staged-one', kind: 'local', roles: [], mfaRequired: false } as const;
    const unfinished = await stagedImports.begin(undefined);
    await unfinished.stage([account.id], (tx) => changesStore.insert(tx, [{ ...account, createdAt: 1 }], 'staged'));

    for (const id of [account.id, 'none']) {
      const held = database.work.run((tx) => changes.hold(tx, id));
      await expect(held).rejects.toMatchObject({ code: 'NOT_FOUND' } satisfies Partial<ServiceError>);
    }
    await hasher.close();
  });
});
