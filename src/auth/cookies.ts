import type { CookieAttributes, Reply } from '../server/cookies.js';

export const REFRESH_TOKEN = 'refresh_token';
export const SESSION = 'SESSION';
export const TRUSTED_DEVICE = 'trusted_device';
/** Says that this browser once completed a login: password guessing elsewhere must not slow it down. */
export const DEVICE = 'device';

/** Our cookies; none has a Domain. `context` is the context path, empty for none. */
export class AuthCookies {
  constructor(
    private readonly context: string,
    private readonly secure: boolean,
  ) {}

  /** `maxAge` in seconds. */
  setRefreshToken(reply: Reply, value: string, maxAge: number): void {
    reply.setCookie(REFRESH_TOKEN, value, { ...this.attributes('strict', '/token'), maxAge });
  }

  setSession(reply: Reply, value: string): void {
    reply.setCookie(SESSION, value, this.attributes('lax', '/'));
  }

  setTrustedDevice(reply: Reply, secret: string, maxAge: number): void {
    reply.setCookie(TRUSTED_DEVICE, secret, { ...this.attributes('strict', '/'), maxAge });
  }

  setDevice(reply: Reply, value: string, maxAge: number): void {
    reply.setCookie(DEVICE, value, { ...this.attributes('lax', '/'), maxAge });
  }

  clearSession(reply: Reply): void {
    reply.clearCookie(SESSION, this.attributes('lax', '/'));
  }

  /** After the end of a session; what says which browser this is stays. */
  clearAll(reply: Reply): void {
    reply.clearCookie(REFRESH_TOKEN, this.attributes('strict', '/token'));
    this.clearSession(reply);
  }

  private attributes(sameSite: 'strict' | 'lax', path: string): CookieAttributes {
    return { httpOnly: true, secure: this.secure, sameSite, path: `${this.context}${path}` };
  }
}
