import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccountModule } from '../../identity/account/account.module.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { Meters } from '../../observability/metrics/meters.js';
import { MfaModule } from '../../identity/second-factor/mfa.module.js';
import { ServletProperties } from '../../platform/http/server.properties.js';
import { SessionModule } from '../../identity/session/session.module.js';
import { ClientModule } from '../../identity/client/client.module.js';
import { TokenModule } from '../../identity/token/token.module.js';
import { AuthenticationGuard } from './guards/authentication.guard.js';
import { AccountCallers } from './guards/account-callers.service.js';
import { KnownCallers } from '../../platform/rate-limit/known-callers.js';
import { RateLimitGuard, SessionRateLimitGuard } from '../../platform/rate-limit/rate-limit.guard.js';
import { AccountOperatorCredentials } from './guards/account-operator-credentials.service.js';
import { OperatorCredentials } from '../../kernel/principal/operator.js';
import { RequestAuthenticator } from './guards/request-authenticator.service.js';
import { RequiredFactors } from './guards/required-factors.service.js';
import { AccessTokenStrategy } from './strategies/access-token.strategy.js';
import { MfaTokenStrategy } from './strategies/mfa-token.strategy.js';
import { SessionCookieStrategy } from './strategies/session-cookie.strategy.js';
import { AuthorityGuard } from './guards/authority.guard.js';
import { Permits } from './guards/permits.service.js';
import { CookieProperties } from './auth.properties.js';
import { AuthCookies } from './cookies.js';
import { BrowserCookiesGuard } from './guards/browser-cookies.guard.js';
import { CrossSiteGuard, TrustedOrigins } from './guards/cross-site.guard.js';
import { CredentialWriter } from './credential-writer.service.js';
import { TokenIntrospection } from './token-introspection.service.js';
import { HostFactsModule } from '../host/host-facts.module.js';
import { LoginController } from './api/login.controller.js';
import { PasswordLogin } from './login/password-login.service.js';
import { NewDevices } from './new-devices.service.js';
import { MeController } from './api/me.controller.js';
import { OwnHistoryController } from './api/own-history.controller.js';
import { OwnPassword, OwnPasswordChange } from './own/own-password.service.js';
import { OwnEnrolment } from './own/own-enrolment.service.js';
import { MfaChallenges } from './login/mfa-challenges.service.js';
import { Reauthentication } from './own/reauthentication.service.js';
import { SingleFactorLogin } from './login/single-factor-login.service.js';
import { ChangeAuthorization } from './own/change-authorization.service.js';
import { EnrolmentAuthorization } from './own/enrolment-authorization.service.js';
import { EnrolmentConfirmation } from './own/enrolment-confirmation.service.js';
import { OwnPasskeys } from './own/own-passkeys.service.js';
import { PasskeyController } from './api/passkey.controller.js';
import { AuthenticatorController } from './api/authenticator.controller.js';
import { OwnSecondFactor } from './own/own-second-factor.service.js';
import { OwnSessionsController } from './api/own-sessions.controller.js';
import { PasswordAuthenticator } from './login/password-authenticator.service.js';
import { PortalLogin } from './login/portal-login.service.js';
import { PreMfaGuard } from './guards/pre-mfa.guard.js';
import { LoginMeters, PasskeyLoginMeters, RefreshMeters } from './sign-in-meters.js';
import { TokenRefresh } from './token-refresh.service.js';
import { SecondFactorController } from './api/second-factor.controller.js';
import { CodePolicy } from './login/code-policy.service.js';
import { PasskeyLoginController } from './api/passkey-login.controller.js';
import { PasskeyAuthenticator } from './login/passkey-authenticator.service.js';
import { PasskeyCompletion } from './login/passkey-completion.service.js';
import { PasskeyLogin } from './login/passkey-login.service.js';
import { PasskeyStep } from './login/passkey-step.service.js';
import { SecondStep } from './login/second-step.service.js';
import { SecondStepCompletion } from './login/second-step-completion.service.js';
import { SessionController } from './api/session.controller.js';
import { SessionRevocation } from './session-revocation.service.js';
import { Usernames } from './usernames.service.js';
import { TokenController } from './api/token.controller.js';
import { ServerMetadata } from './server-metadata.service.js';
import { WellKnownController } from './api/well-known.controller.js';

/** Login, second step, refresh and the global guards: every route needs a complete login unless its decorators say otherwise. */
@Module({
  imports: [EventsModule, AccountModule, SessionModule, HostFactsModule, ClientModule, TokenModule, MfaModule],
  controllers: [
    LoginController,
    PasskeyLoginController,
    SecondFactorController,
    PasskeyController,
    AuthenticatorController,
    TokenController,
    SessionController,
    MeController,
    OwnSessionsController,
    OwnHistoryController,
    WellKnownController,
  ],
  providers: [
    ServerMetadata,
    // In this order: requests beyond a limit and cross-site requests are rejected before they are authenticated.
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: CrossSiteGuard },
    { provide: APP_GUARD, useClass: BrowserCookiesGuard },
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: SessionRateLimitGuard },
    { provide: APP_GUARD, useClass: PreMfaGuard },
    { provide: APP_GUARD, useClass: AuthorityGuard },
    {
      provide: AuthCookies,
      inject: [ServletProperties, CookieProperties],
      useFactory: ({ contextPath }: ServletProperties, { secure, sessionName }: CookieProperties) =>
        new AuthCookies(contextPath, secure, sessionName),
    },
    { provide: LoginMeters, inject: [Meters], useFactory: (meters: Meters) => new LoginMeters(meters) },
    { provide: PasskeyLoginMeters, inject: [Meters], useFactory: (meters: Meters) => new PasskeyLoginMeters(meters) },
    { provide: RefreshMeters, inject: [Meters], useFactory: (meters: Meters) => new RefreshMeters(meters) },
    AccessTokenStrategy,
    MfaTokenStrategy,
    SessionCookieStrategy,
    RequestAuthenticator,
    RequiredFactors,
    Permits,
    { provide: OperatorCredentials, useClass: AccountOperatorCredentials },
    { provide: KnownCallers, useClass: AccountCallers },
    NewDevices,
    CredentialWriter,
    TokenIntrospection,
    Usernames,
    PasswordLogin,
    PasskeyAuthenticator,
    PasskeyCompletion,
    PasskeyLogin,
    SingleFactorLogin,
    MfaChallenges,
    Reauthentication,
    TrustedOrigins,
    OwnPassword,
    OwnPasswordChange,
    ChangeAuthorization,
    EnrolmentAuthorization,
    OwnEnrolment,
    OwnPasskeys,
    OwnSecondFactor,
    PasswordAuthenticator,
    PortalLogin,
    TokenRefresh,
    CodePolicy,
    SecondStepCompletion,
    SecondStep,
    PasskeyStep,
    EnrolmentConfirmation,
    SessionRevocation,
  ],
  exports: [
    AuthCookies,
    AccessTokenStrategy,
    MfaTokenStrategy,
    SessionCookieStrategy,
    OperatorCredentials,
    RequestAuthenticator,
    ChangeAuthorization,
    CredentialWriter,
    EnrolmentConfirmation,
    OwnEnrolment,
    OwnPasskeys,
    OwnPassword,
    OwnSecondFactor,
    PortalLogin,
    Reauthentication,
    PasskeyStep,
    SecondStep,
    ServerMetadata,
    SessionRevocation,
  ],
})
export class AuthModule {}
