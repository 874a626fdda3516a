import { Injectable } from '@nestjs/common';
import type { Reply } from '../web/cookies.js';
import type { Session } from '../session/sessions.service.js';
import { AuthCookies, DEVICE, SESSION, TRUSTED_DEVICE } from './cookies.js';
import { Handover } from './handover.service.js';
import { LoginService } from './login.service.js';
import type { Credentials } from './password-proof.service.js';
import { type PasswordPassed, PasswordStep } from './password-step.service.js';

/** A session whose cookie the browser has by now: a full one, or a half-authenticated one where something is next. */
export interface Entered {
  readonly next: PasswordPassed['next'];
  readonly session: Session;
  readonly roles: readonly string[];
}

/** The password step of the web portal (http-api section 5), for its scripts and its pages alike. */
@Injectable()
export class PortalEntry {
  constructor(
    private readonly passwordStep: PasswordStep,
    private readonly logins: LoginService,
    private readonly handover: Handover,
    private readonly cookies: AuthCookies,
  ) {}

  /** @throws ServiceError as `PasswordStep.pass` does */
  async enter({ id, pw, newPw }: Omit<Credentials, 'device'>, reply: Reply): Promise<Entered> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice, [SESSION]: former } = reply.cookies;
    const passed = await this.passwordStep.pass({ id, pw, newPw, device }, trustedDevice);
    const { roles } = passed.account;
    const completed = await this.logins.complete(passed, 'portal', former);
    if (!completed) return { next: passed.next, session: await this.challenge(passed, former, reply), roles };
    const { opened } = completed;
    if (completed.trustedDevice) this.handover.trust(reply, completed.trustedDevice);
    await this.handover.give(reply, opened, roles, 'session');
    return { next: 'none', session: opened.session, roles };
  }

  private async challenge(passed: PasswordPassed, former: string | undefined, reply: Reply): Promise<Session> {
    const { session, secret } = await this.logins.challengeInPortal(passed, former);
    if (secret !== undefined) this.cookies.setSession(reply, secret);
    return session;
  }
}
