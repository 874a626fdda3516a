import { Injectable } from '@nestjs/common';
import type { Reply } from '../server/cookies.js';
import { type Session, Sessions } from '../token/sessions.service.js';
import { AuthCookies, DEVICE, SESSION, TRUSTED_DEVICE } from './cookies.js';
import { Handover } from './handover.service.js';
import { LoginService } from './login.service.js';
import type { Credentials } from './password-proof.service.js';
import { type PasswordPassed, PasswordStep } from './password-step.service.js';
import { SessionEnd } from './session-end.service.js';

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
    private readonly sessions: Sessions,
    private readonly sessionEnd: SessionEnd,
  ) {}

  /** @throws ServiceError as `PasswordStep.pass` does */
  async enter({ id, pw, newPw }: Omit<Credentials, 'device'>, reply: Reply): Promise<Entered> {
    const { [DEVICE]: device, [TRUSTED_DEVICE]: trustedDevice, [SESSION]: former } = reply.cookies;
    const passed = await this.passwordStep.pass({ id, pw, newPw, device }, trustedDevice);
    if (former !== undefined) await this.leave(former);
    const { roles } = passed.account;
    const completed = await this.logins.complete(passed, 'portal');
    if (!completed) return { next: passed.next, session: await this.challenge(passed, reply), roles };
    const { opened } = completed;
    if (completed.trustedDevice) this.handover.trust(reply, completed.trustedDevice);
    await this.handover.give(reply, opened, roles, 'session');
    return { next: 'none', session: opened.session, roles };
  }

  /** The refresh cookie of a session of staff stays in the browser: left alive, it would give tokens of somebody else. */
  private async leave(secret: string): Promise<void> {
    const session = await this.sessions.findBySecret(secret);
    if (session?.kind === 'staff') await this.sessionEnd.bySid(session.subject, session.id);
  }

  private async challenge(passed: PasswordPassed, reply: Reply): Promise<Session> {
    const { session, secret } = await this.logins.challengeInPortal(passed);
    if (secret !== undefined) this.cookies.setSession(reply, secret);
    return session;
  }
}
