import { Injectable } from '@nestjs/common';
import { DeviceCookies } from '../account/device-cookies.service.js';
import { Clock } from '../clock/clock.js';
import type { DeviceSecret } from '../mfa/trusted-devices.service.js';
import type { Reply } from '../server/cookies.js';
import { AccessTokens } from '../token/access-tokens.service.js';
import type { OpenedSession } from '../token/sessions.service.js';
import { tokenMembers, type TokenMembers } from './answers.js';
import { AuthCookies, DEVICE } from './cookies.js';

/** Hands an opened session over: secrets in cookies, an access token in the body where the caller takes tokens. */
@Injectable()
export class Handover {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly devices: DeviceCookies,
    private readonly cookies: AuthCookies,
    private readonly clock: Clock,
  ) {}

  /** Members of the body for what `opened` carries: tokens, or nothing for a session of the web portal. */
  async give(reply: Reply, opened: OpenedSession, roles: readonly string[]): Promise<Partial<TokenMembers>> {
    if (opened.secret === undefined) return this.giveLogin(reply, opened, roles);
    this.cookies.setSession(reply, opened.secret);
    this.giveDevice(reply, opened.session.subject);
    return {};
  }

  /** For a login that ends in tokens. */
  async giveLogin(reply: Reply, opened: OpenedSession, roles: readonly string[]): Promise<TokenMembers> {
    this.giveDevice(reply, opened.session.subject);
    return this.giveTokens(reply, opened, roles);
  }

  /** The same without a device cookie, for a session that goes on. */
  async giveTokens(
    reply: Reply,
    { session, refreshToken }: OpenedSession,
    roles: readonly string[],
  ): Promise<TokenMembers> {
    if (refreshToken) {
      this.cookies.setRefreshToken(reply, refreshToken.value, refreshToken.expiresAt - this.clock.seconds());
    }
    return tokenMembers(await this.accessTokens.issue(session, roles));
  }

  trust(reply: Reply, { secret, expiresAt }: DeviceSecret): void {
    this.cookies.setTrustedDevice(reply, secret, expiresAt - this.clock.seconds());
  }

  private giveDevice(reply: Reply, subject: string): void {
    // One browser has one: a new one at every login would be as many free guesses more.
    if (this.devices.verify(reply.cookies[DEVICE] ?? '')?.subject === subject) return;
    this.cookies.setDevice(reply, this.devices.issue(subject), this.devices.maxAge);
  }
}
