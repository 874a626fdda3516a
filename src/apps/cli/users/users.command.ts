import { createReadStream, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { ImportFile, importFormat } from '../../../identity/account/import/import-file.js';
import type { ImportReport } from '../../../identity/account/import/import-row.js';
import { rolesWritten } from '../../../identity/account/account.js';
import { groupsWritten } from '../../../identity/account/profile.js';
import type { Act } from '../../admin/account-administration.service.js';
import { type CommandParts, type CommandResult, commandRunner } from '../command-run.js';
import { creating } from '../command-target.js';
import { addAdmitCommand } from './admit.command.js';
import type { ExitCode } from '../exit-code.js';
import { addInviteCommand } from './invite.command.js';
import { operatorAct, withReason } from '../operator.js';
import { addUserChanges } from './user-changes.command.js';
import { addUserExport } from './user-export.command.js';
import { addUserViews } from './user-views.command.js';
import type { UsersServices } from './users-services.command.js';

/** Dependencies of the commands. */
export interface UsersCommandParts extends CommandParts<UsersServices> {
  /** Actor of the security events. */
  readonly actor: string;
  readonly input: NodeJS.ReadableStream;
  /** Output of an export without `--out`. */
  readonly output: NodeJS.WritableStream;
}

/** Maximum number of rows that are printed; the number of the others follows. */
const MAX_ROWS = 100;

interface ImportOptions {
  readonly partial?: boolean;
  readonly preview?: boolean;
}

interface AddOptions {
  readonly passwordStdin?: boolean;
  readonly roles?: string;
  readonly groups?: string;
  readonly name?: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
}

/** Adds the commands for users; each sets the exit code by `exit`. */
export function addUsersCommand(program: Command, parts: UsersCommandParts, exit: (code: ExitCode) => void): void {
  const users = program.command('users').description('creates, changes and lists users');
  const run = commandRunner(parts, exit);

  withReason(creating(users.command('add')))
    .description('creates a user; without --password-stdin the password is random and printed once')
    .argument('<id>', 'login id')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .option('--roles <roles>', 'comma-separated, for example ROLE_ADMIN,ROLE_MANAGEMENT')
    .option('--name <name>', 'display name')
    .option('--groups <groups>', 'comma-separated; for applications, they authorize nothing here')
    .option('--email <address>')
    .option('--email-verified', 'mails to the address are known to reach the user')
    .action((id: string, options: AddOptions) => run((services) => add(services, parts, id, options, act())));

  const act = (): Act => operatorAct(parts.actor);

  addInviteCommand(users, act, run);

  addAdmitCommand(users, act, run);

  addUserViews(users, run);

  addUserExport(users, { act, run, output: parts.output });

  withReason(creating(users.command('import')))
    .description(
      'creates users from a file of JSON lines (*.jsonl, *.ndjson) or CSV: ' +
        'login_id,password_hash|password,email,email_verified,name,groups,roles,otpauth_uri',
    )
    .argument('<file>')
    .option('--partial', 'import the valid rows even if others are invalid; otherwise one invalid row rejects the file')
    .option('--preview', 'only report what would be created, and store nothing')
    .action((file: string, { partial = false, preview = false }: ImportOptions) =>
      run((services) => importFile(services, file, { isPartial: partial, isPreview: preview }, act())),
    );

  addUserChanges(users, { act, run, readPassword: () => firstLineOf(parts.input) });
}

async function add(
  { provisioning }: UsersServices,
  { input }: UsersCommandParts,
  loginId: string,
  { passwordStdin, roles = '', groups = '', name, email, emailVerified }: AddOptions,
  act: Act,
): Promise<readonly string[]> {
  const password = passwordStdin ? await firstLineOf(input) : undefined;
  const profile = { displayName: name, groups: groupsWritten(groups), email, emailVerified };
  const draft = { loginId, roles: rolesWritten(roles), password, ...profile };
  const { account, generated } = await provisioning.create(draft, act);
  const shown = generated === undefined ? '' : ` The password is shown only once: ${generated}`;
  return [`Created user ${account.loginId}.${shown}`];
}

async function firstLineOf(input: NodeJS.ReadableStream): Promise<string> {
  const [line = ''] = (await text(input)).split(/\r?\n/, 1);
  return line;
}

async function importFile(
  { bulkProvisioning: provisioning }: UsersServices,
  file: string,
  { isPartial, isPreview }: { readonly isPartial: boolean; readonly isPreview: boolean },
  act: Act,
): Promise<CommandResult> {
  try {
    // The file is read twice unless --partial: a pipe would be empty the second time.
    if (!isPartial && !isPreview && !statSync(file).isFile()) {
      return { message: 'Without --partial only a regular file can be imported.' };
    }
    const format = importFormat(file) ?? 'csv';
    const source = new ImportFile(() => createReadStream(file), format);
    if (isPreview) return previewReport(await provisioning.preview(source.rows(), act));
    const report = await provisioning.import(source, { ...act, isPartial });
    return importReport(report, isPartial);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return { message: `The file cannot be read (${code ?? syscall}).` };
  }
}

function previewReport({ valid = 0, errors, errorsTotal }: ImportReport): CommandResult {
  const summary = `The file has ${valid} ${valid === 1 ? 'user' : 'users'} that can be created. Nothing was changed.`;
  return errorsTotal === 0 ? [summary] : { lines: rowLines(errors, errorsTotal), message: summary };
}

function rowLines(errors: ImportReport['errors'], errorsTotal: number): readonly string[] {
  const lines = errors.slice(0, MAX_ROWS).map(({ line, field, code }) => `line ${line}: ${`${field} ${code}`.trim()}`);
  return errorsTotal > lines.length ? [...lines, `and ${errorsTotal - lines.length} more`] : lines;
}

function importReport({ created, errors, errorsTotal }: ImportReport, isPartial: boolean): CommandResult {
  const summary = `Created ${created} ${created === 1 ? 'user' : 'users'}.`;
  if (errorsTotal === 0) return [summary];
  const lines = rowLines(errors, errorsTotal);
  const rest = isPartial ? 'The rows above were skipped.' : 'Nothing was changed: correct the file, or use --partial.';
  return { lines, message: `${summary} ${rest}` };
}
