import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { amrOfPasskey } from '../../../identity/second-factor/passkey/passkey.js';
import type { OpenedSession } from '../../../identity/session/sessions.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { CookieValues } from '../../../platform/web/cookies.js';
import { SESSION } from '../cookies.js';
import { PasskeyLoginMeters } from '../sign-in-meters.js';
import type { Challenge, FirstFactorResult, FirstStep, FirstStepResult } from './first-factor.js';
import { MfaChallenges } from './mfa-challenges.service.js';
import { type AuthenticatedPasskey, PasskeyAuthenticator } from './passkey-authenticator.service.js';
import { PasskeyCompletion } from './passkey-completion.service.js';

/** How a login opens its session, and how it demands the second step. */
interface Way<C> {
  readonly kind: 'token' | 'portal';
  readonly cookies: CookieValues;
  readonly challenge: (passed: FirstFactorResult) => Promise<C>;
}

/**
 * Login by a passkey alone. If its authenticator has verified its user, that is two factors and completes the login; otherwise
 * a code is the second step.
 */
@Injectable()
export class PasskeyLogin {
  constructor(
    private readonly authenticator: PasskeyAuthenticator,
    private readonly completion: PasskeyCompletion,
    private readonly challenges: MfaChallenges,
    private readonly policy: MfaPolicy,
    private readonly meters: PasskeyLoginMeters,
  ) {}

  /** `POST /login/passkey`. @throws ServiceError as `PasskeyAuthenticator.authenticate` does */
  forTokens(assertion: AuthenticationResponseJSON, cookies: CookieValues): Promise<FirstStepResult<Challenge>> {
    const challenge = (passed: FirstFactorResult): Promise<Challenge> => this.challenges.issueToken(passed);
    return this.logIn(assertion, { kind: 'token', cookies, challenge });
  }

  /** Sign-in at the web portal. @throws ServiceError like `forTokens` */
  forPortal(assertion: AuthenticationResponseJSON, cookies: CookieValues): Promise<FirstStepResult<OpenedSession>> {
    const challenge = (passed: FirstFactorResult): Promise<OpenedSession> =>
      this.challenges.openSession(passed, cookies[SESSION], 'portal');
    return this.logIn(assertion, { kind: 'portal', cookies, challenge });
  }

  private async logIn<C>(assertion: AuthenticationResponseJSON, way: Way<C>): Promise<FirstStepResult<C>> {
    const result = await this.meters.countFailures(async (): Promise<FirstStepResult<C>> => {
      const authenticated = await this.authenticator.authenticate(assertion);
      const { roles, language } = authenticated.account;
      const of = { roles, ...withoutUndefined({ language }) };
      return { ...of, ...(await this.step(authenticated, way)) };
    });
    this.meters.count(result.completed ? 'success' : 'challenged');
    return result;
  }

  private async step<C>(
    authenticated: AuthenticatedPasskey,
    { kind, cookies, challenge }: Way<C>,
  ): Promise<FirstStep<C>> {
    const { account, passkey } = authenticated;
    if (passkey.isUserVerified) {
      const opened = await this.completion.complete(authenticated, kind, cookies);
      if (opened === 'lost') throw await this.authenticator.rejected('account changed', account.id);
      if (opened === 'fallen') throw await this.authenticator.rejectedCounter(passkey);
      return { completed: { opened } };
    }
    if (!(await this.completion.recordUse(authenticated))) throw await this.authenticator.rejectedCounter(passkey);
    const amr = [amrOfPasskey(passkey.passkey)];
    const due = { next: 'verify', needsAccessCode: false, methods: this.policy.methods(account, amr) } as const;
    return { ...due, challenge: await challenge({ account, amr, authTime: passkey.provedAt, ...due }) };
  }
}
