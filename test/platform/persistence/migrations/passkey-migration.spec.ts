import { beforeAll, expect, it } from 'vitest';
import { revertLast } from '../../../../src/platform/persistence/migrations/migrations.js';
import { SeveralAuthenticators1796700000001 } from '../../../../src/apps/schema/migrations/passkey.migration.js';
import { onEveryDatabase } from '../../../support/database/engines.js';
import { accountParts } from '../../../identity/account/account-parts.js';

interface AccountRow {
  readonly id: string;
  readonly totp_id: string | null;
  readonly pending_totp_id: string | null;
  readonly backup_set_id: string | null;
  readonly enrolment_forced: number;
}

onEveryDatabase('a revert of passkeys and of several authenticators', (database) => {
  const row = async (id: string): Promise<AccountRow | undefined> => {
    const sql = 'SELECT id, totp_id, pending_totp_id, backup_set_id, enrolment_forced FROM account WHERE id = ?';
    return (await database.work.single((tx) => tx.rows<AccountRow>(sql, [id])))[0];
  };
  const secrets = (): Promise<readonly { readonly id: string }[]> =>
    database.work.single((tx) => tx.rows('SELECT id FROM totp_secret ORDER BY id'));

  beforeAll(async () => {
    const parts = accountParts(database.work);
    await database.work.run(async (tx) => {
      const local = { kind: 'local', roles: [], mfaRequired: false, createdAt: 1 } as const;
      const ids = ['apps', 'adding', 'passkey'];
      await parts.changesStore.insert(
        tx,
        ids.map((id) => ({ ...local, id, loginId: id })),
      );
      for (const [id, user, change] of [
        ['app-1', 'apps', null],
        ['app-2', 'apps', null],
        ['app-3', 'adding', null],
        ['app-4', 'adding', 'add'],
      ] as const) {
        const [activatedAt, expiresAt] = change === null ? [2, null] : [null, 602];
        await tx.change(
          'INSERT INTO totp_secret (id, user_id, sealed, seal_key, created_at, expires_at, activated_at, asked_for, ' +
            "svg_taken, png_taken) VALUES (?, ?, '', '', 2, ?, ?, ?, 0, 0)",
          [id, user, expiresAt, activatedAt, change],
        );
      }
      await tx.change("UPDATE account SET backup_set_id = 'codes', backup_codes_at = 2");
      await tx.change("UPDATE account SET totp_count = 2 WHERE id = 'apps'");
      await tx.change("UPDATE account SET totp_count = 1, pending_totp_id = 'app-4' WHERE id = 'adding'");
      await tx.change("UPDATE account SET passkey_count = 1 WHERE id = 'passkey'");
    });
    await parts.hasher.close();
    while ((await revertLast(database.dataSource, true)) !== SeveralAuthenticators1796700000001.name);
  });

  it('keeps the newest authenticator app of an account with its backup codes', async () => {
    expect(await row('apps')).toMatchObject({ totp_id: 'app-2', backup_set_id: 'codes', enrolment_forced: 0 });
  });

  it('deletes the pending app, whose confirmation would replace the backup codes by none', async () => {
    expect(await row('adding')).toMatchObject({ totp_id: 'app-3', pending_totp_id: null, backup_set_id: 'codes' });
    expect(await secrets()).toEqual([{ id: 'app-2' }, { id: 'app-3' }]);
  });

  it('demands a new second factor of an account that had passkeys only', async () => {
    expect(await row('passkey')).toMatchObject({ totp_id: null, backup_set_id: null, enrolment_forced: 1 });
  });
});
