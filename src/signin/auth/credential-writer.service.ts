import { Injectable } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { DeviceCookies } from '../../identity/account/throttle/device-cookies.service.js';
import { Clock } from '../../kernel/clock/clock.js';
import type { DeviceSecret } from '../../identity/second-factor/trusted-device/trusted-devices.service.js';
import type { Principal } from '../../kernel/principal/principal.js';
import type { Reply } from '../../platform/web/cookies.js';
import { AccessTokens } from '../../identity/token/access-tokens.service.js';
import type { RefreshToken } from '../../identity/session/session.js';
import type { OpenedSession } from '../../identity/session/sessions.service.js';
import type { secondStepResponse } from './api/responses.schema.js';
import { AuthCookies, DEVICE, SESSION, SIGN_IN_FORM } from './cookies.js';
import { NewDevices } from './new-devices.service.js';

/** Members of every response with an access token. */
export type TokenBody = Pick<InferOutput<typeof secondStepResponse>, 'access_token' | 'token_type' | 'expires_in'>;

/** Writes the credentials of an opened session: secrets into cookies, an access token into the body of token clients. */
@Injectable()
export class CredentialWriter {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly devices: DeviceCookies,
    private readonly newDevices: NewDevices,
    private readonly cookies: AuthCookies,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the members of the body: tokens for a caller by token, nothing for a caller by session cookie. A
   * half-authenticated caller has completed a login.
   */
  async write(
    reply: Reply,
    opened: OpenedSession,
    roles: readonly string[],
    { via, kind }: Pick<Principal, 'via' | 'kind'>,
  ): Promise<Partial<TokenBody>> {
    await this.writeDevice(reply, opened.session.subject, { isLogin: kind === 'half' });
    if (via === 'session') {
      this.writeCookies(reply, opened);
      return {};
    }
    if (opened.secret !== undefined) this.cookies.setSession(reply, opened.secret);
    return this.writeTokens(reply, opened, roles);
  }

  /** Writes the cookie of the session, and of its refresh token if it has one. */
  writeCookies(reply: Reply, { secret, refreshToken }: OpenedSession): void {
    if (secret !== undefined) this.cookies.setSession(reply, secret);
    if (refreshToken) this.writeRefreshToken(reply, refreshToken);
  }

  /** Writes the credentials of a login that ends in tokens. */
  async writeLogin(reply: Reply, opened: OpenedSession, roles: readonly string[]): Promise<TokenBody> {
    await this.writeDevice(reply, opened.session.subject, { isLogin: true });
    return this.writeTokens(reply, opened, roles);
  }

  /** Writes the tokens of a session that continues, without a device cookie. */
  async writeTokens(
    reply: Reply,
    { session, refreshToken }: OpenedSession,
    roles: readonly string[],
  ): Promise<TokenBody> {
    const { accessToken, expiresIn } = await this.accessTokens.issue(session, roles);
    if (refreshToken) this.writeRefreshToken(reply, refreshToken);
    return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn };
  }

  writeTrustedDevice(reply: Reply, { secret, expiresAt }: DeviceSecret): void {
    this.cookies.setTrustedDevice(reply, secret, expiresAt - this.clock.seconds());
  }

  private writeRefreshToken(reply: Reply, { value, expiresAt }: RefreshToken): void {
    this.cookies.setRefreshToken(reply, value, expiresAt - this.clock.seconds());
  }

  /** Reports the login of a browser without a device cookie of this account, and writes the cookie. */
  private async writeDevice(reply: Reply, subject: string, { isLogin }: { readonly isLogin: boolean }): Promise<void> {
    // A browser keeps its device cookie: a new one at every login would add free guesses each time.
    const { [DEVICE]: device, [SESSION]: session, [SIGN_IN_FORM]: form } = reply.cookies;
    const known = this.devices.verify(device ?? '');
    if (known?.subject === subject) return;
    // The device cookie of another account means a browser that several users share.
    const keepsCookies = known === undefined && (session ?? form) !== undefined;
    // First what can fail: a refused response must not have a cookie.
    if (isLogin) await this.newDevices.record(subject, { keepsCookies });
    this.cookies.setDevice(reply, this.devices.issue(subject), this.devices.maxAge);
  }
}
