import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { BrowserKind } from '../../../identity/session/session.js';
import type { OpenedSession } from '../../../identity/session/sessions.service.js';
import type { CookieValues } from '../../../platform/web/cookies.js';
import { DEVICE, SESSION, TRUSTED_DEVICE } from '../cookies.js';
import { NewDevices } from '../new-devices.service.js';
import { LoginMeters } from '../sign-in-meters.js';
import { MfaChallenges } from './mfa-challenges.service.js';
import type { Challenge, FirstFactorResult, FirstStepResult } from './first-factor.js';
import { PasswordAuthenticator, type PasswordCredentials } from './password-authenticator.service.js';
import { SingleFactorLogin } from './single-factor-login.service.js';

/** Password step of every login: verifies the password, then completes the login or demands the second step. */
@Injectable()
export class PasswordLogin {
  constructor(
    private readonly authenticator: PasswordAuthenticator,
    private readonly singleFactor: SingleFactorLogin,
    private readonly challenges: MfaChallenges,
    private readonly newDevices: NewDevices,
    private readonly meters: LoginMeters,
  ) {}

  /** `POST /login`; the challenge is an `mfa_token`. @throws ServiceError as `PasswordAuthenticator.authenticate` does */
  forTokens(credentials: PasswordCredentials, cookies: CookieValues): Promise<FirstStepResult<Challenge>> {
    return this.logIn(credentials, cookies, 'token', (passed) => this.challenges.issueToken(passed));
  }

  /**
   * Sign-in at the web portal to a session of this kind; the challenge is a half-authenticated session.
   * @throws ServiceError like `forTokens`
   */
  forPortal(
    credentials: PasswordCredentials,
    cookies: CookieValues,
    kind: BrowserKind,
  ): Promise<FirstStepResult<OpenedSession>> {
    return this.logIn(credentials, cookies, kind, (passed) =>
      this.challenges.openSession(passed, cookies[SESSION], kind),
    );
  }

  private async logIn<C>(
    credentials: PasswordCredentials,
    cookies: CookieValues,
    kind: 'token' | BrowserKind,
    challenge: (passed: FirstFactorResult) => Promise<C>,
  ): Promise<FirstStepResult<C>> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice } = cookies;
    // The new session of a browser replaces the one that it has.
    const former = kind === 'token' ? undefined : cookies[SESSION];
    const result = await this.meters.countFailures(async (): Promise<FirstStepResult<C>> => {
      const passed = await this.authenticator.authenticate(credentials, { device, trustedDevice });
      const { roles, language } = passed.account;
      const of = { roles, ...withoutUndefined({ language }) };
      const completed = await this.singleFactor.complete(passed, kind, {
        ...withoutUndefined({ former }),
        before: (tx) => this.newDevices.record(tx, passed.account.id, cookies),
      });
      if (completed) return { ...of, completed };
      const { next, methods, needsAccessCode } = passed;
      return { ...of, next, methods, needsAccessCode, challenge: await challenge(passed) };
    });
    this.meters.count(result.completed ? 'success' : 'challenged');
    return result;
  }
}
