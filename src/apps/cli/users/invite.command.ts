import { type Command, Option } from 'commander';
import { rolesWritten } from '../../../identity/account/account.js';
import type { Act } from '../../admin/account-administration.service.js';
import { creating } from '../command-target.js';
import { withReason } from '../operator.js';
import type { CommandResult, RunCommand } from '../command-run.js';
import type { UsersServices } from './users-services.command.js';

interface InviteOptions {
  readonly name?: string;
  readonly email?: string;
  readonly roles?: string;
  readonly printLink?: boolean;
}

/** Adds `users invite`. */
export function addInviteCommand(users: Command, act: () => Act, run: RunCommand<UsersServices>): void {
  withReason(creating(users.command('invite')))
    .description(
      'creates a user who chooses the first password by a mailed link, or invites one again who has not accepted yet',
    )
    .argument('<id>', 'login id')
    .option('--name <name>', 'display name of a new user')
    .option('--email <address>', 'for a new user, or in place of the stored address')
    .option(
      '--roles <roles>',
      'of a new user: comma-separated, for example ROLE_ADMIN,ROLE_MANAGEMENT; to invite again, the same or none',
    )
    .addOption(new Option('--print-link', 'print the link in place of a mail; needed if no mail relay is configured'))
    .action((id: string, options: InviteOptions) => run((services) => invite(services, id, options, act())));
}

async function invite(
  { provisioning }: UsersServices,
  loginId: string,
  { name, email, roles, printLink = false }: InviteOptions,
  act: Act,
): Promise<CommandResult> {
  if (!printLink && !provisioning.canMailInvitations) {
    return {
      message: 'No mail relay is configured (app.mail.host). Use --print-link, and give the link to the user yourself.',
    };
  }
  const person = { loginId, displayName: name, email, roles: roles === undefined ? undefined : rolesWritten(roles) };
  const { account, link } = await provisioning.invite(person, printLink ? 'link' : 'mail', act);
  if (!link) return [`Invited user ${account.loginId}. The link is mailed by the service.`];
  const until = new Date(link.expiresAt * 1000).toISOString();
  return [`Invited user ${account.loginId}. The link is valid once, until ${until}, and shown only now: ${link.url}`];
}
