import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { MfaModule } from '../second-factor/mfa.module.js';
import { TokenModule } from '../token/token.module.js';
import { AccountLinkStore } from './account-link.store.js';
import { AccountLinks } from './account-links.service.js';

/** Mailed links, and what users do with them. */
@Module({
  imports: [AccountModule, MfaModule, TokenModule],
  providers: [AccountLinkStore, AccountLinks],
  exports: [AccountLinks],
})
export class RecoveryModule {}
