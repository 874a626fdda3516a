import { Injectable } from '@nestjs/common';
import type { Session } from '../../session/sessions.service.js';
import type { Reply } from '../../web/cookies.js';
import { DEVICE, SESSION, TRUSTED_DEVICE } from '../cookies.js';
import { CredentialWriter } from '../credential-writer.service.js';
import type { NextStep } from './password-authenticator.service.js';
import { PasswordLogin } from './password-login.service.js';
import type { PasswordCredentials } from './password-verifier.service.js';

/** The session whose cookie was written: full, or half-authenticated if a step is due. */
export interface PortalLoginResult {
  readonly next: NextStep;
  readonly session: Session;
  readonly roles: readonly string[];
}

/** Password step of the web portal (http-api section 5), for its API and its pages. */
@Injectable()
export class PortalLogin {
  constructor(
    private readonly passwordLogin: PasswordLogin,
    private readonly credentials: CredentialWriter,
  ) {}

  /** @throws ServiceError as `PasswordLogin.forPortal` does */
  async signIn({ id, pw, newPw }: Omit<PasswordCredentials, 'device'>, reply: Reply): Promise<PortalLoginResult> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice, [SESSION]: former } = reply.cookies;
    const result = await this.passwordLogin.forPortal({ id, pw, newPw, device }, { trustedDevice, former });
    const { roles, completed } = result;
    if (!completed) {
      this.credentials.writeCookies(reply, result.challenge);
      return { next: result.next, session: result.challenge.session, roles };
    }
    if (completed.trustedDevice) this.credentials.writeTrustedDevice(reply, completed.trustedDevice);
    await this.credentials.write(reply, completed.opened, roles, { via: 'session', kind: 'half' });
    return { next: 'none', session: completed.opened.session, roles };
  }
}
