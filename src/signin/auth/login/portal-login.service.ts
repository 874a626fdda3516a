import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Language } from '../../../identity/account/language.js';
import type { DueStep } from '../../../identity/second-factor/second-factor.js';
import type { Session } from '../../../identity/session/sessions.service.js';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { OpenedSession } from '../../../identity/session/session.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { CredentialWriter } from '../credential-writer.service.js';
import type { FirstStepResult } from './first-factor.js';
import { PasskeyLogin } from './passkey-login.service.js';
import { PasswordLogin } from './password-login.service.js';
import type { PasswordCredentials } from './password-authenticator.service.js';

/** The session whose cookie was written: full, or half-authenticated if a step is due. */
export interface PortalLoginResult extends DueStep {
  readonly session: Session;
  readonly roles: readonly string[];
  /** The language that the user has chosen. */
  readonly language?: Language;
}

/** First step of the web portal (http-api section 5), for its API and its pages. */
@Injectable()
export class PortalLogin {
  constructor(
    private readonly passwordLogin: PasswordLogin,
    private readonly passkeyLogin: PasskeyLogin,
    private readonly credentials: CredentialWriter,
  ) {}

  /** With `isKept`, the browser stays signed in when it is closed. @throws ServiceError as `PasswordLogin.forPortal` does */
  async signIn(
    credentials: PasswordCredentials,
    reply: Reply,
    { isKept = false }: { readonly isKept?: boolean } = {},
  ): Promise<PortalLoginResult> {
    const result = await this.passwordLogin.forPortal(credentials, reply.cookies, isKept ? 'kept' : 'portal');
    return this.write(result, reply);
  }

  /** @throws ServiceError as `PasskeyLogin.forPortal` does */
  async signInByPasskey(assertion: AuthenticationResponseJSON, reply: Reply): Promise<PortalLoginResult> {
    return this.write(await this.passkeyLogin.forPortal(assertion, reply.cookies), reply);
  }

  private async write(result: FirstStepResult<OpenedSession>, reply: Reply): Promise<PortalLoginResult> {
    const { roles, language, completed } = result;
    const of = { roles, ...withoutUndefined({ language }) };
    if (!completed) {
      this.credentials.writeCookies(reply, result.challenge);
      const { next, methods, needsAccessCode, challenge } = result;
      return { ...of, next, methods, needsAccessCode, session: challenge.session };
    }
    await this.credentials.write(reply, completed.opened, roles, 'session');
    if (completed.trustedDevice) this.credentials.writeTrustedDevice(reply, completed.trustedDevice);
    return { ...of, next: 'none', methods: [], needsAccessCode: false, session: completed.opened.session };
  }
}
