import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { SessionModule } from '../../identity/session/session.module.js';
import { Issuer } from '../../identity/token/signed-token.js';
import { Forwarding } from '../../platform/http/proxy/forwarding.js';
import { ServerProperties, ServletProperties } from '../../platform/http/server.properties.js';
import { AuthModule } from '../auth/auth.module.js';
import { CookieProperties } from '../auth/auth.properties.js';
import { HostFactsModule } from '../host/host-facts.module.js';
import { AccessRules } from './access-rules.js';
import { ApplicationCookies } from './application-cookies.js';
import { ApplicationSessions } from './application-sessions.service.js';
import { SignInDecisions } from '../oidc/authorize/sign-in-decisions.service.js';
import { SamlModule } from '../saml/saml.module.js';
import { ApplicationSignIn } from './application-sign-in.service.js';
import { ForwardAuthController } from './forward-auth.controller.js';
import { accessRulesOf, ForwardAuthProperties } from './forward-auth.properties.js';
import { ForwardAuth } from './forward-auth.service.js';
import { PortalSignIn } from './portal-sign-in.service.js';
import { ProtectedApplications } from './protected-applications.js';
import { SignInRequestStore } from './sign-in-request.store.js';
import { SignInRequests } from './sign-in-requests.service.js';

/** Authentication of requests for proxies; part of the service only if there are rules. */
@Module({
  imports: [AccountModule, AuthModule, EventsModule, HostFactsModule, SamlModule, SessionModule],
  controllers: [ForwardAuthController],
  providers: [
    {
      provide: ProtectedApplications,
      inject: [ForwardAuthProperties, ServerProperties, ServletProperties, Issuer],
      useFactory: applicationsOf,
    },
    {
      provide: ApplicationCookies,
      inject: [CookieProperties],
      useFactory: ({ secure, sessionName }: CookieProperties) => new ApplicationCookies(secure, sessionName),
    },
    ...[SignInRequestStore, SignInRequests, ApplicationSessions],
    ...[ForwardAuth, ApplicationSignIn, SignInDecisions, PortalSignIn],
  ],
})
export class ForwardAuthModule {}

function applicationsOf(
  properties: ForwardAuthProperties,
  { forwardHeadersStrategy: strategy }: ServerProperties,
  { contextPath }: ServletProperties,
  { url }: Issuer,
): ProtectedApplications {
  const isProxy = strategy === 'none' ? (): boolean => false : new Forwarding(strategy).isProxy;
  const rules = new AccessRules(accessRulesOf(properties));
  return new ProtectedApplications(rules, properties.requestHeaders, url, contextPath, isProxy);
}
