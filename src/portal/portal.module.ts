import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { SamlModule } from '../saml/saml.module.js';
import { FormTokens } from './form-tokens.service.js';
import { PlainHttpWarning } from './plain-http-warning.service.js';
import { SecondFactorPagesController } from './second-factor-pages.controller.js';
import { SignInController } from './sign-in.controller.js';
import { StartController } from './start.controller.js';

/** The pages of the service. */
@Module({
  imports: [AccountModule, AuthModule, SamlModule],
  controllers: [StartController, SignInController, SecondFactorPagesController],
  providers: [FormTokens, PlainHttpWarning],
})
export class PortalModule {}
