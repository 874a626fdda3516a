import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { AuthModule } from '../../signin/auth/auth.module.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { SamlModule } from '../../signin/saml/saml.module.js';
import { MfaModule } from '../../identity/second-factor/mfa.module.js';
import { SessionModule } from '../../identity/session/session.module.js';
import { AccountForms } from './account/account-forms.service.js';
import { AccountOverview } from './account/account-overview.service.js';
import { AccountController } from './account/account.controller.js';
import { ActivityController } from './account/activity.controller.js';
import { AddAppController } from './account/add-app.controller.js';
import { AddPasskeyController } from './account/add-passkey.controller.js';
import { AuthenticatorsController } from './account/authenticators.controller.js';
import { SecondFactorChangesController } from './account/second-factor-changes.controller.js';
import { BackupCodesPageController } from './account/backup-codes-page.controller.js';
import { InlineStepUp } from './account/inline-step-up.service.js';
import { AddressPageController } from './account/address-page.controller.js';
import { AddressPages } from './account/address-pages.service.js';
import { PasswordPageController } from './account/password-page.controller.js';
import { PasswordPages } from './account/password-pages.service.js';
import { SessionPanels } from './account/session-panels.service.js';
import { AdminModule } from '../admin/admin.module.js';
import { OverviewModule } from '../admin/overview/overview.module.js';
import { AdminApiModule } from '../admin/api/admin-api.module.js';
import { AdminAccessCodeController } from './admin/admin-access-code.controller.js';
import { AdminActsController } from './admin/admin-acts.controller.js';
import { AdminClientsController } from './admin/admin-clients.controller.js';
import { AdminEventsController } from './admin/admin-events.controller.js';
import { AdminImportController } from './admin/admin-import.controller.js';
import { AdminPages } from './admin/admin-pages.service.js';
import { AdminOverviewController } from './admin/overview/admin-overview.controller.js';
import { AdminUserController } from './admin/admin-user.controller.js';
import { AdminUserPages } from './admin/admin-user-pages.service.js';
import { AdminUsersController } from './admin/admin-users.controller.js';
import { AssetsController } from './assets.controller.js';
import { FormTokens } from './form/form-tokens.service.js';
import { PageForms } from './form/page-forms.service.js';
import { HomeController } from './home/home.controller.js';
import { Navigation } from './home/navigation.service.js';
import { SecondFactorSummaries } from './home/second-factor-summaries.service.js';
import { SignOutController } from './home/sign-out.controller.js';
import { Visitors } from './home/visitors.service.js';
import { CodesPageController } from './second-factor/codes-page.controller.js';
import { CodesPages } from './second-factor/codes-pages.service.js';
import { CodePages } from './second-factor/code-pages.service.js';
import { ConfirmPageController } from './second-factor/confirm-page.controller.js';
import { LockPages } from './second-factor/lock-pages.service.js';
import { PasskeyPagesController } from './second-factor/passkey-pages.controller.js';
import { ReauthenticationLinks } from './second-factor/reauthentication-links.service.js';
import { SecondStepForm } from './second-factor/second-step-form.service.js';
import { SetupPages } from './second-factor/setup-pages.service.js';
import { SetupSteps } from './second-factor/setup-steps.service.js';
import { SetupPagesController } from './second-factor/setup-pages.controller.js';
import { VerifyPageController } from './second-factor/verify-page.controller.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { RecoveryApiModule } from '../../signin/recovery/api/recovery-api.module.js';
import { ForgotPageController } from './recovery/forgot-page.controller.js';
import { AddressLinkPageController } from './recovery/address-link-page.controller.js';
import { RecoveryPagesController } from './recovery/recovery-pages.controller.js';
import { RecoveryPages } from './recovery/recovery-pages.service.js';
import { PlainHttpWarning } from './sign-in/plain-http-warning.service.js';
import { PasskeySignInController } from './sign-in/passkey-sign-in.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInLanguage } from './sign-in/sign-in-language.service.js';
import { PasswordStrengthController } from './form/password-strength.controller.js';
import { SignInOptions } from './sign-in/sign-in-options.service.js';
import { ClientModule } from '../../identity/client/client.module.js';
import { FormerSessions } from './home/former-sessions.service.js';
import { FormAnswers } from './form/form-answers.service.js';
import { LostForms } from './sign-in/lost-forms.service.js';
import { SignInForms } from './sign-in/sign-in-forms.service.js';

/** The pages of the service. */
@Module({
  imports: [
    AdminModule,
    AdminApiModule,
    AccountModule,
    AuthModule,
    ClientModule,
    EventsModule,
    MailModule,
    MfaModule,
    OverviewModule,
    RecoveryApiModule,
    SamlModule,
    SessionModule,
  ],
  controllers: [
    HomeController,
    SignOutController,
    SignInController,
    PasskeySignInController,
    VerifyPageController,
    SetupPagesController,
    ConfirmPageController,
    PasskeyPagesController,
    AccountController,
    BackupCodesPageController,
    SecondFactorChangesController,
    AuthenticatorsController,
    AddAppController,
    AddPasskeyController,
    PasswordPageController,
    AddressPageController,
    ActivityController,
    ForgotPageController,
    RecoveryPagesController,
    PasswordStrengthController,
    AddressLinkPageController,
    CodesPageController,
    AdminOverviewController,
    AdminUsersController,
    AdminUserController,
    AdminAccessCodeController,
    AdminActsController,
    AdminEventsController,
    AdminClientsController,
    AdminImportController,
    AssetsController,
  ],
  providers: [
    ...[FormTokens, FormAnswers, FormerSessions, PageForms, Navigation, SecondFactorSummaries, Visitors],
    ...[CodePages, CodesPages, LockPages, ReauthenticationLinks, SecondStepForm, SetupPages, SetupSteps],
    ...[
      PlainHttpWarning,
      LostForms,
      SignInForms,
      SignInOptions,
      SignInLanguage,
      PasswordPages,
      AddressPages,
      SessionPanels,
    ],
    ...[AccountForms, AccountOverview, InlineStepUp, RecoveryPages, AdminPages, AdminUserPages],
  ],
})
export class PortalModule {}
