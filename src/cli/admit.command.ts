import type { Command } from 'commander';
import { withoutUndefined } from '../collections/without-undefined.js';
import type { Act } from '../admin/account-administration.service.js';
import type { AccountProvisioning } from '../admin/account-provisioning.service.js';
import { rolesWritten } from '../account/account.js';
import { printable } from '../config/show/failure-report.js';
import { configuredEntityId, MetadataFailure } from '../saml/idp/metadata-source.js';
import type { SamlProperties } from '../saml/saml.properties.js';
import { withReason } from './operator.js';
import { type Complaint, noSuch } from './users-answers.js';

/** What the command needs of the service. */
export interface AdmitServices {
  readonly saml: SamlProperties;
  readonly provisioning: AccountProvisioning;
}

interface AdmitOptions {
  readonly idp: string;
  readonly person: string;
  readonly issuer?: string;
  readonly roles?: string;
  readonly email?: string;
}

/** Adds `users admit`: creates the account of an identity provider's user before the first login. */
export function addAdmitCommand(
  users: Command,
  act: () => Act,
  run: (command: (services: AdmitServices) => Promise<readonly string[] | Complaint>) => Promise<void>,
): void {
  withReason(users.command('admit'))
    .description("pre-creates the account of an identity provider's user")
    .requiredOption('--idp <name>', 'as in app.security.saml.idp.<name>')
    .requiredOption('--person <name>', 'the persistent NameID, or the value of account.attribute')
    .option('--issuer <entity id>', 'of the identity provider, where its metadata are at a URL')
    .option('--roles <roles>', 'comma-separated; apply until the first login')
    .option('--email <address>', 'applies until the identity provider sends another one')
    .action((options: AdmitOptions) => run((services) => admitted(services, options, act())));
}

async function admitted(
  { saml, provisioning }: AdmitServices,
  { idp, person, issuer: given, roles = '', email }: AdmitOptions,
  act: Act,
): Promise<readonly string[] | Complaint> {
  const properties = saml.idp.get(idp);
  if (!properties)
    return noSuch(
      `Unknown identity provider "${printable(idp)}": app.security.saml.idp.${printable(idp)}.* is not set.`,
    );
  try {
    const known = await configuredEntityId(properties);
    if (known !== undefined && given !== undefined && known !== given) {
      return { complaint: `The entity id of ${idp} is ${known}.` };
    }
    const issuer = known ?? given;
    if (issuer === undefined)
      return { complaint: `The metadata of ${idp} are at a URL: give its entity id by --issuer.` };
    const who = withoutUndefined({ idp, issuer, person, roles: rolesWritten(roles), email });
    const { loginId } = await provisioning.admit(who, act);
    return [`Created user ${loginId}, who may sign in through ${idp}.`];
  } catch (error) {
    if (error instanceof MetadataFailure)
      return { complaint: `The metadata of ${idp} cannot be used: ${error.message}.` };
    throw error;
  }
}
