import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { SamlModule } from '../saml/saml.module.js';
import { FormTokens } from './form-tokens.service.js';
import { PlainHttpWarning } from './plain-http-warning.service.js';
import { PageForms } from './page-forms.service.js';
import { ReauthenticationLinks } from './reauthentication-links.service.js';
import { SetupPagesController } from './setup-pages.controller.js';
import { SignInForms } from './sign-in-forms.service.js';
import { SignInController } from './sign-in.controller.js';
import { StartController } from './start.controller.js';
import { VerifyPageController } from './verify-page.controller.js';
import { Visitors } from './visitors.service.js';

/** The pages of the service. */
@Module({
  imports: [AccountModule, AuthModule, SamlModule],
  controllers: [StartController, SignInController, VerifyPageController, SetupPagesController],
  providers: [FormTokens, PageForms, PlainHttpWarning, ReauthenticationLinks, SignInForms, Visitors],
})
export class PortalModule {}
