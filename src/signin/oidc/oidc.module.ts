import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { ClientModule } from '../../identity/client/client.module.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { SessionModule } from '../../identity/session/session.module.js';
import { TokenModule } from '../../identity/token/token.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { HostFactsModule } from '../host/host-facts.module.js';
import { SamlModule } from '../saml/saml.module.js';
import { AuthorizationEndpoint } from './authorize/authorization-endpoint.service.js';
import { AuthorizationResponses } from './authorize/authorization-responses.service.js';
import { AuthorizeController } from './authorize/authorize.controller.js';
import { ParController } from './authorize/par.controller.js';
import { PushedRequests } from './authorize/pushed-requests.service.js';
import { RequestReader } from './authorize/request-reader.service.js';
import { SignInDecisions } from './authorize/sign-in-decisions.service.js';
import { SignInQuestions } from './authorize/sign-in-questions.service.js';
import { StoredRequestStore } from './authorize/stored-request.store.js';
import { AuthorizationCodeStore } from './code/authorization-code.store.js';
import { AuthorizationCodes } from './code/authorization-codes.service.js';
import { CodeGrant } from './code/code-grant.service.js';
import { DiscoveryController } from './discovery.controller.js';
import { EndSessionController } from './logout/end-session.controller.js';
import { EndSession } from './logout/end-session.service.js';
import { EndSessionRequests } from './logout/end-session-requests.service.js';
import { LogoutTokensModule } from './logout/logout-tokens.module.js';
import { ProviderMetadata } from './provider-metadata.service.js';
import { ClientAssertions } from './token/client-assertions.service.js';
import { ClientKeys } from './token/client-keys.service.js';
import { ClientAuthentication } from './token/client-authentication.service.js';
import { Grants } from './token/grants.service.js';
import { RefreshGrant } from './token/refresh-grant.service.js';
import { RevocationController } from './token/revocation.controller.js';
import { TokenEndpointController } from './token/token-endpoint.controller.js';
import { TokenResponses } from './token/token-responses.service.js';
import { TokenRevocation } from './token/token-revocation.service.js';
import { UserinfoController } from './user/userinfo.controller.js';
import { Userinfo } from './user/userinfo.service.js';

/** The OpenID provider; part of the service only if applications are configured. */
@Module({
  imports: [
    AccountModule,
    AuthModule,
    ClientModule,
    EventsModule,
    HostFactsModule,
    LogoutTokensModule,
    SamlModule,
    SessionModule,
    TokenModule,
  ],
  controllers: [
    AuthorizeController,
    ParController,
    TokenEndpointController,
    RevocationController,
    UserinfoController,
    EndSessionController,
    DiscoveryController,
  ],
  providers: [
    ...[
      StoredRequestStore,
      RequestReader,
      PushedRequests,
      SignInDecisions,
      SignInQuestions,
      AuthorizationResponses,
      AuthorizationEndpoint,
    ],
    ...[AuthorizationCodeStore, AuthorizationCodes, CodeGrant],
    ...[ClientKeys, ClientAssertions, ClientAuthentication, TokenResponses, RefreshGrant, Grants, TokenRevocation],
    ...[EndSessionRequests, EndSession],
    ...[Userinfo, ProviderMetadata],
  ],
})
export class OidcModule {}
