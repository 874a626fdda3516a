import type { Command } from 'commander';
import type { Act } from '../../admin/account-administration.service.js';
import type { StaffAdmission } from '../../admin/staff-admission.service.js';
import { rolesWritten } from '../../../identity/account/account.js';
import { printable } from '../../../config/show/failure-report.js';
import { notFound } from '../command-failure.js';
import type { CommandResult, RunCommand } from '../command-run.js';
import { creating } from '../command-target.js';
import { withReason } from '../operator.js';

/** Services that the command needs. */
export interface AdmitServices {
  readonly admission: Pick<StaffAdmission, 'admit'>;
}

interface AdmitOptions {
  readonly idp: string;
  readonly person: string;
  readonly issuer?: string;
  readonly roles?: string;
  readonly email?: string;
}

/** Adds `users admit`: creates the account of an identity provider's user before the first login. */
export function addAdmitCommand(users: Command, act: () => Act, run: RunCommand<AdmitServices>): void {
  withReason(creating(users.command('admit')))
    .description("pre-creates the account of an identity provider's user")
    .requiredOption('--idp <name>', 'as in app.security.saml.idp.<name>')
    .requiredOption('--person <name>', 'the persistent NameID, or the value of account.attribute')
    .option('--issuer <entity id>', 'of the identity provider, if its metadata is at a URL')
    .option('--roles <roles>', 'comma-separated; apply until the first login')
    .option('--email <address>', 'applies until the identity provider sends another one')
    .action((options: AdmitOptions) => run((services) => admitted(services, options, act())));
}

async function admitted(
  { admission }: AdmitServices,
  { roles = '', ...person }: AdmitOptions,
  act: Act,
): Promise<CommandResult> {
  const { idp } = person;
  const result = await admission.admit({ ...person, roles: rolesWritten(roles) }, act);
  switch (result.kind) {
    case 'admitted':
      return [`Created user ${result.account.loginId}, who may sign in through ${idp}.`];
    case 'unknown idp':
      return notFound(
        `Unknown identity provider "${printable(idp)}": app.security.saml.idp.${printable(idp)}.* is not set.`,
      );
    case 'other issuer':
      return { message: `The entity id of ${idp} is ${result.issuer}.` };
    case 'issuer required':
      return { message: `The metadata of ${idp} is at a URL: give its entity id by --issuer.` };
    case 'metadata unusable':
      return { message: `The metadata of ${idp} cannot be used: ${result.reason}.` };
  }
}
