import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import { BackupRejection } from '../../platform/persistence/backup/backup-format.js';
import type { Row } from '../../platform/persistence/backup/backup-plan.js';
import { type BackupFacts, inspectBackup, loadBackup, rejectGuarded } from '../../platform/persistence/backup/load.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { withCommandContext } from '../../kernel/principal/command-context.js';
import { stepAt } from '../../identity/second-factor/totp/totp.js';
import { TotpSecrets } from '../../identity/second-factor/totp/totp-secrets.service.js';
import { BACKUP } from '../schema/backup-tables.js';
import type { Act } from './account-administration.service.js';

/** Options of a restore; each one gives up a protection. */
export interface RestoreOptions {
  /** Deletes the accounts of the database first. */
  readonly replace: boolean;
  /** Restores backup codes as well, some of which may have been used after the backup. */
  readonly keepBackupCodes: boolean;
  /** Restores TOTP keys that no configured seal key opens. */
  readonly lostSealKeys: boolean;
}

/**
 * Restores a backup in one transaction, and ends sessions, tokens and keys that must not survive it (decision 0061).
 */
@Injectable()
export class DatabaseRestore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: TotpSecrets,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  /** @throws BackupRejected, with an unchanged database */
  async restore(file: string, options: RestoreOptions, act: Act): Promise<BackupFacts> {
    if (!options.lostSealKeys) await this.checkSealKeys(file);
    return withCommandContext({ reason: act.reason }, () =>
      this.work.run(async (tx) => {
        if (!options.replace) await rejectGuarded(BACKUP, (sql) => tx.rows(sql));
        const now = this.clock.seconds();
        const restored = await loadBackup(tx, file, BACKUP, {
          // A code is accepted up to one step ahead of the clock, so the next step may have been used already.
          lastUsedStep: stepAt(now) + 1,
          keepsBackupCodes: options.keepBackupCodes,
        });
        await this.events.record(tx, {
          kind: 'DATABASE_RESTORED',
          actor: act.actor,
          detail: {
            backup_of: restored.header.created_at,
            accounts: String(restored.rows.get('account') ?? 0),
            backup_codes: options.keepBackupCodes ? 'kept' : 'removed',
          },
        });
        return restored;
      }),
    );
  }

  /** Opens one TOTP key of each seal key: an id alone does not tell whether the key is the right one. */
  private async checkSealKeys(file: string): Promise<void> {
    const failed = new Set<string>();
    const seen = new Set<string>();
    await inspectBackup(file, BACKUP, (table, row) => {
      if (table !== 'totp_secret') return;
      const { seal_key, user_id, sealed } = row as TotpRow;
      if (seen.has(seal_key)) return;
      seen.add(seal_key);
      if (!this.secrets.canOpen(user_id, sealed)) failed.add(seal_key);
    });
    if (failed.size === 0) return;
    throw new BackupRejection(
      `The TOTP keys of the backup are sealed under ${[...failed].map((id) => JSON.stringify(id)).join(', ')}, which is ` +
        'not configured, or is another key of that name. Put the seal key of the backup in place. If it is lost, give ' +
        '--lost-seal-keys: the users must then set up their app again. No account was changed.',
    );
  }
}

type TotpRow = Row & { readonly seal_key: string; readonly user_id: string; readonly sealed: string };
