import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { MfaModule } from '../../identity/second-factor/mfa.module.js';
import { SessionModule } from '../../identity/session/session.module.js';
import { TokenModule } from '../../identity/token/token.module.js';
import { AccessTermination } from './access-termination.service.js';
import { AccountLinkStore } from './account-link.store.js';
import { AccountLinks } from './account-links.service.js';
import { AccountProtection } from './account-protection.service.js';
import { AddressConfirmations } from './address-confirmations.service.js';
import { InvitationDelivery } from './invitation-delivery.service.js';
import { Invitations } from './invitations.service.js';
import { LinkTokens } from './link-tokens.service.js';
import { LockRecovery } from './lock-recovery.service.js';
import { NotMeReports } from './not-me-reports.service.js';
import { PasswordRecovery } from './password-recovery.service.js';
import { ResetMails } from './reset-mails.service.js';

/** Mailed links, and what users do with them; without an interface. */
@Module({
  imports: [EventsModule, MailModule, AccountModule, SessionModule, TokenModule, MfaModule],
  providers: [
    ...[
      AccountLinkStore,
      AccountProtection,
      LinkTokens,
      AccountLinks,
      AccessTermination,
      ResetMails,
      InvitationDelivery,
    ],
    ...[PasswordRecovery, LockRecovery, NotMeReports, Invitations, AddressConfirmations],
  ],
  exports: [
    ...[AccessTermination, AccountLinks, ResetMails, PasswordRecovery, LockRecovery, NotMeReports, Invitations],
    AddressConfirmations,
  ],
})
export class RecoveryModule {}
