import type { Command } from 'commander';
import type { Account } from '../account/account.js';
import { rolesWritten } from '../account/role-names.js';
import { withReason } from './operator.js';
import { type Complaint } from './users-answers.js';
import { ofUser, type UsersServices } from './users-services.command.js';

/** What the commands need to run. */
export interface UserChangesParts {
  readonly actor: string;
  readonly run: (command: (services: UsersServices) => Promise<readonly string[] | Complaint>) => Promise<void>;
  /** Reads a password from the first line of the input. */
  readonly readPassword: () => Promise<string>;
}

type Act = (services: UsersServices, account: Account) => Promise<string>;

/** Adds the commands that change one user. */
export function addUserChanges(users: Command, { actor, run, readPassword }: UserChangesParts): void {
  const command = (name: string, description: string): Command =>
    withReason(users.command(name).description(description).argument('<id>', 'login id'));
  const change = (id: string, act: Act): Promise<void> =>
    run((services) =>
      ofUser(services, id, async (account) => [`${account.loginId}: ${await act(services, account)}.`]),
    );

  command('set-password', 'sets a temporary password, which the user must change at the next sign-in')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .action((id: string, { passwordStdin }: { passwordStdin?: boolean }) =>
      change(id, async (services, account) => {
        const given = passwordStdin ? await readPassword() : undefined;
        const password = given ?? services.randomPassword();
        const endsAt = await setPassword(services, account, password, actor);
        const told = `set a temporary password, valid until ${new Date(endsAt * 1000).toISOString()}; ended all sessions`;
        return given === undefined ? `${told}. The password ${password} is shown only once` : told;
      }),
    );

  command('set-roles', 'replaces the stored roles and ends all sessions')
    .argument('<roles>', 'comma-separated; "" removes all')
    .action((id: string, roles: string) =>
      change(id, async ({ work, changes, endSessions }, { id: subject, kind }) => {
        const names = rolesWritten(roles);
        await work.run(async (tx) => {
          await changes.change(tx, subject, { roles: names }, actor);
          // New roles begin with a new sign-in, and with what policy demands of them.
          await endSessions(tx, subject);
        });
        const until = kind === 'staff' ? '; the identity provider replaces them at the next sign-in' : '';
        return `set roles ${names.join(',') || '(none)'}, ended all sessions${until}`;
      }),
    );

  command('require-mfa', 'requires a second factor of one user, from the next sign-in on')
    .option('--off', 'leave it to the policy for roles again (app.security.mfa.required-roles)')
    .action((id: string, { off = false }: { off?: boolean }) =>
      change(id, async ({ work, changes }, { id: subject }) => {
        await work.run((tx) => changes.change(tx, subject, { mfaRequired: !off }, actor));
        return off ? 'second factor required only by policy for roles' : 'second factor required';
      }),
    );

  command('unlock', 'ends the lock of the second factor').action((id: string) =>
    change(id, async ({ unlock }, { id: subject }) =>
      (await unlock(subject, actor)) ? 'unlocked' : 'nothing to unlock',
    ),
  );

  command('disable', 'rejects every login and ends all sessions').action((id: string) =>
    change(id, async ({ work, changes, endSessions }, { id: subject }) => {
      await work.run(async (tx) => {
        await changes.setStatus(tx, subject, 'disabled', actor);
        await endSessions(tx, subject);
      });
      return 'disabled, ended all sessions';
    }),
  );

  command('enable', 'lets a disabled user sign in again').action((id: string) =>
    change(id, async ({ work, changes }, { id: subject }) => {
      await work.run((tx) => changes.setStatus(tx, subject, 'active', actor));
      return 'enabled';
    }),
  );

  command('reset-mfa', 'removes the second factor and ends all sessions; the next login must set up a new one').action(
    (id: string) =>
      change(id, async ({ resetMfa }, { id: subject }) => {
        await resetMfa(subject, actor);
        return 'second factor reset, ended all sessions';
      }),
  );

  command('delete', 'deletes a user with sessions and second factor; the security events stay').action((id: string) =>
    change(id, async ({ work, changes, endSessions, forgetMfa }, { id: subject }) => {
      await work.run(async (tx) => {
        await changes.delete(tx, subject, actor);
        await endSessions(tx, subject);
        await forgetMfa(tx, subject);
      });
      return 'deleted';
    }),
  );
}

/** Answers when the password expires, in epoch seconds. */
async function setPassword(
  { work, changes, endSessions }: UsersServices,
  { id: subject }: Account,
  password: string,
  actor: string,
): Promise<number> {
  const ready = await changes.readyPassword(subject, password, 'pw');
  return work.run(async (tx) => {
    const endsAt = await changes.resetPassword(tx, subject, ready, actor);
    await endSessions(tx, subject);
    return endsAt;
  });
}
