import { createReadStream, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Account } from '../account/account.js';
import type { AccountChanges } from '../account/account-changes.service.js';
import type { AccountCreation } from '../account/account-creation.service.js';
import type { AccountImport, TotpImport } from '../account/account-import.service.js';
import type { Accounts } from '../account/accounts.service.js';
import { importFormat, importRows } from '../account/import-file.js';
import { ImportFileError } from '../account/import-row.js';
import { rolesWritten } from '../account/role-names.js';
import { printable } from '../config/failure-report.js';
import { ServiceError } from '../errors/service-error.js';
import type { Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { addAdmitCommand, type AdmitServices } from './admit.command.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { type Complaint, complaintOf, importLines, noSuch } from './users-answers.js';

/** Who does it, in the security events of commands. */
const ACTOR = 'cli';

/** The service as far as the commands need it, opened for one command. */
export interface UsersServices extends AdmitServices {
  readonly work: UnitOfWork;
  readonly accounts: Accounts;
  readonly creation: AccountCreation;
  readonly changes: AccountChanges;
  readonly accountImport: AccountImport;
  readonly totps?: TotpImport;
  /** Ends all sessions of a user, and forgets the trusted devices. */
  readonly endSessions: (tx: Tx, subject: string) => Promise<unknown>;
  /** Ends the lock of the second factor; false where nothing had failed. */
  readonly unlock: (subject: string, actor: string) => Promise<boolean>;
  /** Takes secret, codes and devices away and ends all sessions; the next login must enrol. */
  readonly resetMfa: (subject: string, actor: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** What the commands need from outside. */
export interface UsersCommandParts {
  readonly open: () => Promise<UsersServices>;
  readonly input: NodeJS.ReadableStream;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

interface AddOptions {
  readonly passwordStdin?: boolean;
  readonly roles?: string;
  readonly email?: string;
}

/** `users add`, `admit`, `import`, `require-mfa`, `unlock`, `disable`, `enable` and `reset-mfa`; each sets the exit code by `exit`. */
export function addUsersCommand(program: Command, parts: UsersCommandParts, exit: (code: ExitCode) => void): void {
  const users = program.command('users').description('create, change and help users');
  const run = async (command: (services: UsersServices) => Promise<readonly string[] | Complaint>): Promise<void> => {
    exit(await answered(parts, command));
  };

  users
    .command('add')
    .description('creates a user; without --password-stdin the password is random and printed once')
    .argument('<id>', 'login id')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .option('--roles <roles>', 'comma-separated, for example ROLE_ADMIN,ROLE_MANAGEMENT')
    .option('--email <address>')
    .action((id: string, options: AddOptions) => run((services) => add(services, parts, id, options)));

  addAdmitCommand(users, ACTOR, run);

  users
    .command('import')
    .description(
      'creates users from a file of JSON lines (*.jsonl, *.ndjson) or CSV: ' +
        'login_id,password_hash|password,email,roles,otpauth_uri',
    )
    .argument('<file>')
    .option('--partial', 'import the valid rows even if others are invalid; otherwise one invalid row rejects the file')
    .action((file: string, { partial = false }: { partial?: boolean }) =>
      run((services) => importFile(services, file, partial)),
    );

  const ofOne = (
    name: string,
    description: string,
    done: string,
    act: (services: UsersServices, account: Account) => Promise<unknown>,
  ): void => {
    users
      .command(name)
      .description(description)
      .argument('<id>', 'login id')
      .action((id: string) =>
        run((services) =>
          ofUser(services, id, async (account) => {
            const isDone = (await act(services, account)) !== false;
            return [`${account.loginId}: ${isDone ? done : `nothing to ${name}`}`];
          }),
        ),
      );
  };

  users
    .command('require-mfa')
    .description('requires a second factor of one user, from the next sign-in on')
    .argument('<id>', 'login id')
    .option('--off', 'leave it to the policy for roles again (app.security.mfa.required-roles)')
    .action((id: string, { off = false }: { off?: boolean }) =>
      run((services) => ofUser(services, id, (account) => requireMfa(services, account, !off))),
    );

  ofOne('unlock', 'ends the lock of the second factor', 'unlocked', ({ unlock }, { id }) => unlock(id, ACTOR));
  ofOne('disable', 'refuses every login and ends all sessions', 'disabled, all sessions ended', disable);
  ofOne('enable', 'lets a disabled user sign in again', 'enabled', ({ work, changes }, { id }) =>
    work.run((tx) => changes.setStatus(tx, id, 'active', ACTOR)),
  );
  ofOne(
    'reset-mfa',
    'takes the second factor away and ends all sessions; the next login must set up a new one',
    'second factor reset, all sessions ended',
    ({ resetMfa }, { id }) => resetMfa(id, ACTOR),
  );
}

async function answered(
  { open, print, complain }: UsersCommandParts,
  command: (services: UsersServices) => Promise<readonly string[] | Complaint>,
): Promise<ExitCode> {
  const services = await open();
  try {
    const answer = await command(services).catch(complaintAbout);
    const { lines = [], complaint, exitCode = EXIT.failed } = 'complaint' in answer ? answer : { lines: answer };
    for (const line of lines) print(line);
    if (complaint === undefined) return EXIT.done;
    complain(complaint);
    return exitCode;
  } finally {
    await services.close();
  }
}

function complaintAbout(error: unknown): Complaint {
  if (error instanceof ServiceError) return complaintOf(error);
  if (error instanceof ImportFileError) return { complaint: error.message };
  throw error;
}

async function add(
  { creation }: UsersServices,
  { input }: UsersCommandParts,
  loginId: string,
  { passwordStdin, roles = '', email }: AddOptions,
): Promise<readonly string[]> {
  const draft = { loginId, roles: rolesWritten(roles), email };
  if (passwordStdin) {
    const [password = ''] = (await text(input)).split(/\r?\n/, 1);
    const account = await creation.create({ ...draft, password }, ACTOR);
    return [`Created user ${account.loginId}.`];
  }
  const { account, password } = await creation.createWithRandomPassword(draft, ACTOR);
  return [`Created user ${account.loginId}. The password is shown only once: ${password}`];
}

async function importFile(
  { accountImport, totps }: UsersServices,
  file: string,
  isPartial: boolean,
): Promise<readonly string[] | Complaint> {
  try {
    // Read twice, so that one bad row keeps all out: what can be read once would be empty then.
    if (!isPartial && !statSync(file).isFile())
      return { complaint: 'Without --partial only a regular file can be imported.' };
    const format = importFormat(file) ?? 'csv';
    const report = await accountImport.run(() => importRows(createReadStream(file), format), {
      actor: ACTOR,
      isPartial,
      ...(totps && { totps }),
    });
    return importLines(report, isPartial);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return { complaint: `The file cannot be read (${code ?? syscall}).` };
  }
}

async function ofUser(
  { accounts }: UsersServices,
  loginId: string,
  act: (account: Account) => Promise<readonly string[] | Complaint>,
): Promise<readonly string[] | Complaint> {
  const account = await accounts.findByLoginId(loginId);
  return account ? act(account) : noSuch(`Unknown user ${printable(loginId)}.`);
}

async function requireMfa(
  { work, changes }: UsersServices,
  { id, loginId }: Account,
  mfaRequired: boolean,
): Promise<readonly string[]> {
  await work.run((tx) => changes.change(tx, id, { mfaRequired }, ACTOR));
  return [`${loginId}: ${mfaRequired ? 'second factor required' : 'second factor required only by policy for roles'}`];
}

function disable({ work, changes, endSessions }: UsersServices, { id }: Account): Promise<void> {
  return work.run(async (tx) => {
    await changes.setStatus(tx, id, 'disabled', ACTOR);
    await endSessions(tx, id);
  });
}
