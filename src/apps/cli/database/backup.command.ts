import type { Command } from 'commander';
import type { DatabaseRestore, RestoreOptions } from '../../admin/database-restore.service.js';
import type { Act } from '../../admin/account-administration.service.js';
import { printable } from '../../../config/show/failure-report.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { BackupRejection, type RowCounts } from '../../../platform/persistence/backup/backup-format.js';
import { driverCode } from '../../../platform/persistence/engines/driver-failure.js';
import { creating } from '../command-target.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { withReason } from '../operator.js';

/** Services that `restore` needs. */
export interface RestoreServices {
  readonly databaseRestore: DatabaseRestore;
  readonly close: () => Promise<void>;
}

/** Dependencies of the commands. */
export interface BackupCommandParts {
  readonly backUp: (file: string) => Promise<RowCounts>;
  /** Checks file and database before the service is opened, which migrates the tables. */
  readonly checkRestore: (file: string, options: RestoreOptions) => Promise<void>;
  readonly open: () => Promise<RestoreServices>;
  /** True if access tokens are signed with a configured key, which a restore cannot replace. */
  readonly hasOwnSigningKey: () => boolean;
  readonly actor: string;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

type Flags = Partial<RestoreOptions> & { readonly reason?: string };

/** `backup` and `restore`; each sets the exit code by `exit`. */
export function addBackupCommands(program: Command, parts: BackupCommandParts, exit: (code: ExitCode) => void): void {
  program
    .command('backup')
    .description('writes one state of the database to a new file, while the service runs')
    .argument('<file>', 'must not exist; seal keys and peppers are not in it and need a backup of their own')
    .action(async (file: string) => {
      exit(await answered(parts, () => backedUp(parts, file)));
    });

  withReason(creating(program.command('restore')))
    .description('restores a backup into the database of app.datasource.url, on any engine; stop the service before')
    .argument('<file>', 'written by "backup"')
    .option('--replace', 'delete the accounts that the database has')
    .option('--keep-backup-codes', 'only if no backup code was used after the backup: such a code would work again')
    .option('--lost-seal-keys', 'restore TOTP keys that no seal key opens; their users must set up their app again')
    .action(async (file: string, { reason, ...flags }: Flags) => {
      const options = { replace: false, keepBackupCodes: false, lostSealKeys: false, ...flags };
      const act: Act = { actor: parts.actor, authority: 'operator', ...(reason !== undefined && { reason }) };
      exit(await answered(parts, () => restored(parts, file, options, act)));
    });
}

async function answered(
  { print, printError }: BackupCommandParts,
  command: () => Promise<readonly string[]>,
): Promise<ExitCode> {
  try {
    for (const line of await command()) print(line);
    return EXIT.done;
  } catch (error) {
    if (error instanceof BackupRejection) printError(printable(error.message));
    else if (error instanceof ServiceError)
      printError(`The database has failed (${driverCode(error.cause)}); try again.`);
    else throw error;
    return EXIT.failed;
  }
}

async function backedUp({ backUp }: BackupCommandParts, file: string): Promise<readonly string[]> {
  const rows = await backUp(file);
  return [
    `Wrote ${file}: ${counted(rows['account'] ?? 0, 'account')}, ${counted(rows['security_event'] ?? 0, 'security event')}.`,
    'Store the seal keys and peppers in another place: without them, no second factor works after a restore.',
  ];
}

async function restored(
  parts: BackupCommandParts,
  file: string,
  options: RestoreOptions,
  act: Act,
): Promise<readonly string[]> {
  await parts.checkRestore(file, options);
  const services = await parts.open();
  try {
    const { header, rows } = await services.databaseRestore.restore(file, options, act);
    const events = `${counted(rows.get('security_event') ?? 0, 'security event')} that the database did not have`;
    return [
      `Restored ${counted(rows.get('account') ?? 0, 'account')} and ${events}, as of ${header.created_at}.`,
      'All sessions, refresh tokens, trusted devices, unfinished logins and signing keys have ended.',
      options.keepBackupCodes
        ? 'Backup codes are restored: those that were used after the backup work once more.'
        : 'Backup codes are removed: users get new ones when they reissue them.',
      'Accounts that were disabled, deleted or changed after the backup are as they were at that time.',
      ...(parts.hasOwnSigningKey() ? [OWN_KEY] : []),
    ];
  } finally {
    await services.close();
  }
}

const OWN_KEY =
  'Access tokens are signed with app.security.token.signing-key: other services accept earlier ones until they expire.';

function counted(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? '' : 's'}`;
}
