import { Injectable } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { DeviceCookies } from '../../identity/account/throttle/device-cookies.service.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { Clock } from '../../kernel/clock/clock.js';
import type { DeviceSecret } from '../../identity/second-factor/trusted-device/trusted-device.js';
import type { Principal } from '../../kernel/principal/principal.js';
import type { Reply } from '../../platform/web/cookies.js';
import { AccessTokens } from '../../identity/token/access-tokens.service.js';
import type { OpenedSession } from '../../identity/session/sessions.service.js';
import type { secondStepResponse } from './api/responses.schema.js';
import { AuthCookies, DEVICE } from './cookies.js';

/** Members of every response with an access token. */
export type TokenBody = Pick<InferOutput<typeof secondStepResponse>, 'access_token' | 'token_type' | 'expires_in'>;

/** Writes the credentials of an opened session: secrets into cookies, an access token into the body of token clients. */
@Injectable()
export class CredentialWriter {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly devices: DeviceCookies,
    private readonly cookies: AuthCookies,
    private readonly clock: Clock,
  ) {}

  /** Returns the members of the body: tokens for a caller by token, nothing for a caller by session cookie. */
  async write(
    reply: Reply,
    opened: OpenedSession,
    roles: readonly string[],
    via: Principal['via'],
    audience?: string,
  ): Promise<Partial<TokenBody>> {
    if (via === 'token') {
      this.cookies.setSession(reply, opened, this.clock.seconds());
      return this.writeLogin(reply, opened, roles, audience);
    }
    this.writeDevice(reply, opened.session.subject);
    this.writeCookies(reply, opened);
    return {};
  }

  /** Writes the credentials of a login that ends in tokens. */
  writeLogin(reply: Reply, opened: OpenedSession, roles: readonly string[], audience?: string): Promise<TokenBody> {
    this.writeDevice(reply, opened.session.subject);
    return this.writeTokens(reply, opened, roles, audience);
  }

  /** Writes the tokens of a session that continues, without a device cookie. */
  async writeTokens(
    reply: Reply,
    { session, refreshToken }: OpenedSession,
    roles: readonly string[],
    audience?: string,
  ): Promise<TokenBody> {
    const terms = withoutUndefined({ audience });
    const { accessToken, expiresIn } = await this.accessTokens.issue(session, roles, terms);
    if (refreshToken) this.writeCookies(reply, { session, refreshToken });
    return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn };
  }

  /** Writes the cookies of a session whose credentials were replaced. */
  writeCookies(reply: Reply, opened: OpenedSession): void {
    this.cookies.setCredentials(reply, opened, this.clock.seconds());
  }

  /** Clears the cookies of a session that has ended. */
  clear(reply: Reply): void {
    this.cookies.clearAll(reply);
  }

  writeTrustedDevice(reply: Reply, { secret, expiresAt }: DeviceSecret): void {
    this.cookies.setTrustedDevice(reply, secret, expiresAt - this.clock.seconds());
  }

  /** A browser keeps its device cookie: a new one at every login would add free guesses each time. */
  private writeDevice(reply: Reply, subject: string): void {
    if (this.devices.verify(reply.cookies[DEVICE] ?? '')?.subject === subject) return;
    this.cookies.setDevice(reply, this.devices.issue(subject), this.devices.maxAge);
  }
}
