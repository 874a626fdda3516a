import { Module } from '@nestjs/common';
import { AccountModule } from '../../../identity/account/account.module.js';
import { EventsModule } from '../../../identity/events/events.module.js';
import { MfaModule } from '../../../identity/second-factor/mfa.module.js';
import { ReplicasModule } from '../../../management/replicas/replicas.module.js';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { TlsModule } from '../../../platform/tls/tls.module.js';
import { SamlModule } from '../../../signin/saml/saml.module.js';
import { WebhookModule } from '../../webhook/webhook.module.js';
import { Certificates } from './certificates.service.js';
import { Overviews } from './overviews.service.js';
import { SystemStates } from './system-states.service.js';

/** Reads the overview of administrators; part of the service, not of commands. */
@Module({
  imports: [AccountModule, EventsModule, MailModule, MfaModule, ReplicasModule, SamlModule, TlsModule, WebhookModule],
  providers: [Certificates, Overviews, SystemStates],
  exports: [Overviews, SystemStates],
})
export class OverviewModule {}
