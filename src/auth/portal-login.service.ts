import { Injectable } from '@nestjs/common';
import type { Reply } from '../web/cookies.js';
import type { Session } from '../session/sessions.service.js';
import { AuthCookies, DEVICE, SESSION, TRUSTED_DEVICE } from './cookies.js';
import { CredentialWriter } from './credential-writer.service.js';
import { PasswordLogin } from './password-login.service.js';
import type { PasswordCredentials } from './password-verifier.service.js';
import { type FirstFactorResult, PasswordAuthenticator } from './password-authenticator.service.js';

/** The session whose cookie was written: full, or half-authenticated if a step is due. */
export interface PortalLoginResult {
  readonly next: FirstFactorResult['next'];
  readonly session: Session;
  readonly roles: readonly string[];
}

/** Password step of the web portal (http-api section 5), for its API and its pages. */
@Injectable()
export class PortalLogin {
  constructor(
    private readonly passwordStep: PasswordAuthenticator,
    private readonly logins: PasswordLogin,
    private readonly handover: CredentialWriter,
    private readonly cookies: AuthCookies,
  ) {}

  /** @throws ServiceError as `PasswordAuthenticator.authenticate` does */
  async signIn({ id, pw, newPw }: Omit<PasswordCredentials, 'device'>, reply: Reply): Promise<PortalLoginResult> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice, [SESSION]: former } = reply.cookies;
    const passed = await this.passwordStep.authenticate({ id, pw, newPw, device }, trustedDevice);
    const { roles } = passed.account;
    const completed = await this.logins.complete(passed, 'portal', former);
    if (!completed) return { next: passed.next, session: await this.challenge(passed, former, reply), roles };
    const { opened } = completed;
    if (completed.trustedDevice) this.handover.writeTrustedDevice(reply, completed.trustedDevice);
    await this.handover.write(reply, opened, roles, 'session');
    return { next: 'none', session: opened.session, roles };
  }

  private async challenge(passed: FirstFactorResult, former: string | undefined, reply: Reply): Promise<Session> {
    const { session, secret } = await this.logins.challengeInSession(passed, former);
    if (secret !== undefined) this.cookies.setSession(reply, secret);
    return session;
  }
}
