import { Module } from '@nestjs/common';
import { ClientModule } from '../../../identity/client/client.module.js';
import { TokenModule } from '../../../identity/token/token.module.js';
import { HostFactsModule } from '../../host/host-facts.module.js';
import { IdTokens } from '../token/id-tokens.service.js';
import { LogoutTokens } from './logout-tokens.service.js';

/** Tokens for applications themselves: ID tokens, and logout tokens, which the webhook's sender delivers. */
@Module({
  imports: [ClientModule, HostFactsModule, TokenModule],
  providers: [IdTokens, LogoutTokens],
  exports: [IdTokens, LogoutTokens],
})
export class LogoutTokensModule {}
