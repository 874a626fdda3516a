import type { Command } from 'commander';
import { type Account, rolesWritten } from '../../../identity/account/account.js';
import { groupsWritten } from '../../../identity/account/profile.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { AccountUpdate, Act } from '../../admin/account-administration.service.js';
import type { RunCommand } from '../command-run.js';
import { withReason } from '../operator.js';
import { ofUser, type UsersServices } from './users-services.command.js';

/** Dependencies of the commands. */
export interface UserChangesParts {
  readonly act: () => Act;
  readonly run: RunCommand<UsersServices>;
  /** Reads a password from the first line of the input. */
  readonly readPassword: () => Promise<string>;
}

interface ProfileOptions {
  readonly name?: string;
  readonly groups?: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
}

function profileChange({ name, groups, email, emailVerified }: ProfileOptions): AccountUpdate {
  return withoutUndefined({
    displayName: name === '' ? null : name,
    groups: groups === undefined ? undefined : groupsWritten(groups),
    email: email === '' ? null : email,
    emailVerified,
  });
}

type Change = (services: UsersServices, account: Account) => Promise<string>;

/** Adds the commands that change one user. */
export function addUserChanges(users: Command, { act, run, readPassword }: UserChangesParts): void {
  const command = (name: string, description: string): Command =>
    withReason(users.command(name).description(description).argument('<id>', 'login id'));
  const change = (id: string, apply: Change): Promise<void> =>
    run((services) =>
      ofUser(services, id, async (account) => [`${account.loginId}: ${await apply(services, account)}.`]),
    );

  command('set-password', 'sets a temporary password, which the user must change at the next sign-in')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .action((id: string, { passwordStdin }: { passwordStdin?: boolean }) =>
      change(id, async ({ administration }, { id: subject }) => {
        const password = passwordStdin ? await readPassword() : undefined;
        const { generated, expiresAt } = await administration.resetPassword(subject, password, act());
        const until = new Date(expiresAt * 1000).toISOString();
        const done = `set a temporary password, valid until ${until}; ended all sessions`;
        return generated === undefined ? done : `${done}. The password ${generated} is shown only once`;
      }),
    );

  command('set-roles', 'replaces the stored roles and ends all sessions')
    .argument('<roles>', 'comma-separated; "" removes all')
    .action((id: string, roles: string) =>
      change(id, async ({ administration }, { id: subject, kind }) => {
        const names = rolesWritten(roles);
        await administration.setRoles(subject, names, act());
        const until = kind === 'staff' ? '; the identity provider replaces them at the next sign-in' : '';
        return `set roles ${names.join(',') || '(none)'}, ended all sessions${until}`;
      }),
    );

  command('set-profile', 'changes the display name, the groups or the mail address; "" removes one')
    .option('--name <name>', 'display name')
    .option('--groups <groups>', 'comma-separated; for applications, they authorize nothing here')
    .option('--email <address>')
    .option('--email-verified', 'mails to the address are known to reach the user')
    .action((id: string, options: ProfileOptions) =>
      change(id, async ({ administration }, { id: subject }) => {
        await administration.update(subject, profileChange(options), act());
        return 'changed the profile';
      }),
    );

  command('require-mfa', 'requires a second factor of one user, from the next sign-in on')
    .option('--off', 'leave it to app.security.mfa.policy again')
    .action((id: string, { off = false }: { off?: boolean }) =>
      change(id, async ({ administration }, { id: subject }) => {
        await administration.requireMfa(subject, !off, act());
        return off ? 'second factor required only by policy' : 'second factor required';
      }),
    );

  command('unlock', 'ends the lock of the second factor').action((id: string) =>
    change(id, async ({ administration }, { id: subject }) =>
      (await administration.unlock(subject, act())) ? 'unlocked' : 'nothing to unlock',
    ),
  );

  command('disable', 'rejects every login and ends all sessions').action((id: string) =>
    change(id, async ({ administration }, { id: subject }) => {
      await administration.disable(subject, act());
      return 'disabled, ended all sessions';
    }),
  );

  command('enable', 'lets a disabled user sign in again').action((id: string) =>
    change(id, async ({ administration }, { id: subject }) => {
      await administration.enable(subject, act());
      return 'enabled';
    }),
  );

  command(
    'reset-mfa',
    'removes all passkeys, authenticator apps and backup codes and ends all sessions; the next login must set up a new second factor',
  ).action((id: string) =>
    change(id, async ({ administration }, { id: subject }) => {
      await administration.resetMfa(subject, act());
      return 'removed all authenticators and backup codes, ended all sessions';
    }),
  );

  command(
    'access-code',
    'issues a temporary access code, with which the user sets up the first authenticator; it is shown only once',
  ).action((id: string) =>
    change(id, async ({ accessCodes }, { id: subject }) => {
      const { code, expiresAt } = await accessCodes.issue(subject, act());
      return `issued the access code ${code}, valid until ${new Date(expiresAt * 1000).toISOString()}`;
    }),
  );

  command('revoke', 'ends all sessions, or one of them; without a new password the user can sign in again')
    .option('--session <session>', 'only this session, as "users sessions" lists it')
    .action((id: string, { session }: { session?: string }) =>
      change(id, async ({ administration }, { id: subject }) => {
        if (session === undefined) return `ended ${await administration.endSessions(subject, act())} sessions`;
        await administration.endSession(subject, session, act());
        return 'ended the session';
      }),
    );

  command('delete', 'deletes a user with sessions and second factor; the security events stay').action((id: string) =>
    change(id, async ({ administration }, { id: subject }) => {
      await administration.delete(subject, act());
      return 'deleted';
    }),
  );
}
