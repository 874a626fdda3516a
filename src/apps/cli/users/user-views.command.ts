import { type Command, Option } from 'commander';
import { type Account, type AccountStatus, hasSecondFactor } from '../../../identity/account/account.js';
import { printable } from '../../../config/show/failure-report.js';
import { MAX_SLICE } from '../../../platform/persistence/slice.js';
import type { Lock } from '../../../identity/second-factor/attempts/attempt.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import type { RunCommand } from '../command-run.js';
import { withLimit } from '../page-limit.js';
import { ofUser, type UsersServices } from './users-services.command.js';

/** Reader with the rights of an operator, who may read everything. */
const READER = { actor: 'cli', authority: 'operator' } as const;
const MAX_LIMIT = 200;

interface ListOptions {
  readonly query?: string;
  readonly role?: string;
  readonly status?: AccountStatus;
  readonly after?: string;
  readonly limit: number;
}

/** Adds `users list`, `users show` and `users sessions`, which change nothing. */
export function addUserViews(users: Command, run: RunCommand<UsersServices>): void {
  const listing = users
    .command('list')
    .description('lists users by login id, a page at a time')
    .option('--query <text>', 'only users whose login id or mail address contains this text')
    .option('--role <role>', 'only users with this stored role')
    .addOption(new Option('--status <status>', 'only users with this status').choices(['active', 'disabled']));
  withLimit(listing, 'users', MAX_LIMIT)
    .option('--after <id>', 'continue after this login id')
    .action((options: ListOptions) => run((services) => list(services, options)));

  users
    .command('show')
    .description('shows one user; never a password, secret or code')
    .argument('<id>', 'login id')
    .action((id: string) => run((services) => ofUser(services, id, (account) => show(services, account))));

  users
    .command('sessions')
    .description('lists the sessions and the trusted devices of one user, newest first')
    .argument('<id>', 'login id')
    .action((id: string) => run((services) => ofUser(services, id, (account) => sessions(services, account))));
}

async function list({ accounts }: UsersServices, options: ListOptions): Promise<readonly string[]> {
  const { limit } = options;
  // Reads one more user than it prints, to know whether a page follows.
  const found = await accounts.list({ ...options, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const lines = shown.map((account) => {
    const { loginId, status, kind, roles } = account;
    const facts = [loginId, status, kind, hasSecondFactor(account) ? 'mfa' : 'no-mfa', roles.join(',') || '-'];
    return printable(facts.join('  '));
  });
  const last = found.length > limit ? shown.at(-1) : undefined;
  return last ? [...lines, `More users follow: --after ${printable(last.loginId)}`] : lines;
}

async function show({ directory, activity }: UsersServices, account: Account): Promise<readonly string[]> {
  const { id, loginId, kind, status, roles, groups, displayName, mfaRequired, enrolmentForced } = account;
  const { factors, authenticators = [] } = await directory.view(id, READER);
  const { state, backupCodes, lock } = factors;
  const [open, devices] = await Promise.all([
    activity.sessions(id, MAX_SLICE, READER),
    activity.devices(id, MAX_SLICE, READER),
  ]);
  const required = enrolmentForced ? 'required at the next sign-in' : mfaRequired ? 'required' : 'by policy';
  const facts: readonly (readonly [string, string])[] = [
    ['login id', loginId],
    ['subject', id],
    ['kind', kind],
    ['status', status],
    ['roles', roles.join(',') || 'none stored'],
    ['name', displayName ?? 'none'],
    ['groups', groups.join(',') || 'none'],
    ['email', emailText(account)],
    ['password', passwordText(account)],
    ['second factor', `${state}, ${required}`],
    ...authenticators.map((each) => ['authenticator', authenticatorText(each)] as const),
    ['backup codes', String(backupCodes.remaining)],
    ['locked until', lockText(lock)],
    ['created', instant(account.createdAt)],
    ['last sign-in', account.lastSignInAt === undefined ? 'none recorded' : instant(account.lastSignInAt)],
    ['sessions', numberText(open.length)],
    ['devices', numberText(devices.length)],
  ];
  return facts.map(([name, text]) => printable(`${name.padEnd(14)} ${text}`));
}

function emailText({ email, emailVerified }: Account): string {
  if (email === undefined) return 'none';
  return emailVerified ? `${email}, verified` : `${email}, not verified`;
}

function passwordText({ kind, hasPassword, passwordEndsAt, passwordVersion, invitedAt }: Account): string {
  if (invitedAt !== undefined) return `none, invited at ${instant(invitedAt)}, not accepted yet`;
  if (!hasPassword)
    return kind === 'local' && passwordVersion > 0 ? 'removed after a report, until it is reset' : 'none';
  return passwordEndsAt === undefined ? 'set' : `temporary, expires at ${instant(passwordEndsAt)}`;
}

async function sessions({ activity }: UsersServices, { id }: Account): Promise<readonly string[]> {
  const open = await activity.sessions(id, MAX_SLICE, READER);
  const devices = await activity.devices(id, MAX_SLICE, READER);
  const lines = [
    ...open.map(({ id: sid, kind, amr, createdAt, lastUsedAt, ip, agent }) =>
      ['session', sid, kind, amr.join(','), instant(createdAt), instant(lastUsedAt), ip ?? '-', agent ?? '-'].join(
        '  ',
      ),
    ),
    ...devices.map(({ id: device, createdAt, lastUsedAt, ip, label }) =>
      ['device', device, instant(createdAt), instant(lastUsedAt), ip ?? '-', label ?? '-'].join('  '),
    ),
  ];
  return lines.length === 0 ? ['No sessions, no trusted devices.'] : lines.map(printable);
}

/** Type, name and times of an authenticator, and whether a passkey may be synced. */
function authenticatorText({ type, id, name, isSynced, createdAt, lastUsedAt }: Authenticator): string {
  const used = lastUsedAt === undefined ? 'never used' : `last used ${instant(lastUsedAt)}`;
  const sync = isSynced === undefined ? [] : [isSynced ? 'synced' : 'bound to one device'];
  return [type, id, name ?? '-', ...sync, `created ${instant(createdAt)}`, used].join('  ');
}

function lockText(lock: Lock | undefined): string {
  if (lock === undefined) return 'not locked';
  return lock.endsByItself ? instant(lock.until) : 'unlocked';
}

function numberText(length: number): string {
  return length === MAX_SLICE.limit ? `${length} or more` : String(length);
}

function instant(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString();
}
