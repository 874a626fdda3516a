import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { Accounts } from '../../identity/account/accounts.service.js';
import { AccountActivity } from '../admin/account-activity.service.js';
import { AccessCodeIssue } from '../admin/access-code-issue.service.js';
import { AccountAdministration } from '../admin/account-administration.service.js';
import { AccountDirectory } from '../admin/account-directory.service.js';
import { AccountProvisioning } from '../admin/account-provisioning.service.js';
import { BulkProvisioning } from '../admin/bulk-provisioning.service.js';
import { EventExports } from '../admin/event-exports.service.js';
import { PersonExport } from '../admin/person-export.service.js';
import { Resends } from '../admin/resends.service.js';
import { StaffAdmission } from '../admin/staff-admission.service.js';
import { AdminModule } from '../admin/admin.module.js';
import type { EventsServices } from './events.command.js';
import type { MailServices } from './mail.command.js';
import type { KeysServices } from './keys.command.js';
import type { SamlServices } from './saml.command.js';
import type { UsersServices } from './users/users-services.command.js';
import { type CommandInputs, openContext } from './service-context.js';
import { ClockModule } from '../../kernel/clock/clock.module.js';
import { PepperUses } from '../../identity/second-factor/backup-code/pepper-use.service.js';
import { MfaModule } from '../../identity/second-factor/mfa.module.js';
import { TotpSecrets } from '../../identity/second-factor/totp/totp-secrets.service.js';
import { RandomModule } from '../../kernel/random/random.module.js';
import { MailBacklog } from '../../platform/mail/mail-backlog.service.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { MetadataRequestsModule } from '../../signin/saml/idp/metadata-requests.module.js';
import { MetadataRequests } from '../../signin/saml/idp/metadata-requests.service.js';
import { Sealer } from '../../platform/sealing/sealer.js';
import { EventVerification } from '../../identity/events/chain/event-verification.service.js';
import { EventSearch } from '../../identity/events/event-search.service.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { WebhookDeliveries } from '../webhook/webhook-deliveries.service.js';
import { WebhookModule } from '../webhook/webhook.module.js';
import { HostFactsModule } from '../../signin/host/host-facts.module.js';
import { KeyRotation } from '../../identity/token/keys/key-rotation.service.js';
import { TokenModule } from '../../identity/token/token.module.js';

/** The service without its listeners, for one command. */
@Module({
  imports: [
    ClockModule,
    RandomModule,
    AccountModule,
    HostFactsModule,
    TokenModule,
    MfaModule,
    AdminModule,
    MetadataRequestsModule,
    EventsModule,
    MailModule,
    WebhookModule,
  ],
  providers: [Resends],
})
class CommandModule {}

/** Services of the commands `users`, `keys`, `saml`, `events` and `mail`; the caller that opens them must close them. */
export type CommandServices = UsersServices & KeysServices & SamlServices & EventsServices & MailServices;

/** @throws ConfigurationFailure if the database or a key cannot be opened */
export async function openCommandServices(inputs: CommandInputs): Promise<CommandServices> {
  const { context, close } = await openContext(CommandModule, inputs);
  return {
    accounts: context.get(Accounts),
    administration: context.get(AccountAdministration),
    accessCodes: context.get(AccessCodeIssue),
    provisioning: context.get(AccountProvisioning),
    bulkProvisioning: context.get(BulkProvisioning),
    admission: context.get(StaffAdmission),
    directory: context.get(AccountDirectory),
    activity: context.get(AccountActivity),
    personExport: context.get(PersonExport),
    eventSearch: context.get(EventSearch),
    mailBacklog: context.get(MailBacklog),
    eventVerification: context.get(EventVerification),
    eventExports: context.get(EventExports),
    resends: context.get(Resends),
    webhookDeliveries: context.get(WebhookDeliveries),
    requestMetadata: (idp) => context.get(MetadataRequests).add(idp),
    rotation: context.get(KeyRotation),
    activeSealKey: context.get(Sealer).activeKeyId,
    resealTotpSecrets: () => context.get(TotpSecrets).resealAll(),
    pepperUses: () => context.get(PepperUses).count(),
    countTotpSecrets: () => context.get(TotpSecrets).countByKey(),
    close,
  };
}
