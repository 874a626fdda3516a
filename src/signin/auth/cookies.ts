import type { OpenedSession } from '../../identity/session/session.js';
import type { CookieAttributes, Reply } from '../../platform/web/cookies.js';
import type { HttpRequest } from '../../platform/web/http-request.js';

export const REFRESH_TOKEN = 'refresh_token';
export const SESSION = 'SESSION';
export const TRUSTED_DEVICE = 'trusted_device';
/** Identifies a browser that once completed a login: password guessing elsewhere must not slow it down. */
export const DEVICE = 'device';
/** Binds the form of the sign-in page to the browser that received it. */
export const SIGN_IN_FORM = 'sign_in_form';

/** What a form was answered, for the page that shows it. */
export const FORM_ANSWER = 'form_answer';

/** Identifies the pending logins of this browser at identity providers. */
export const SAML_REQUEST = 'saml_request';

/** Writes the cookies of the service; none has a Domain. `context` is the context path, empty for none. */
export class AuthCookies {
  constructor(
    private readonly context: string,
    private readonly secure: boolean,
    private readonly configuredName = SESSION,
  ) {}

  /** True if browsers keep the cookies over https only. */
  get areSecure(): boolean {
    return this.secure;
  }

  /**
   * The name that browsers have for the cookie `SESSION`. A prefix `__Host-` keeps other services of the domain from setting
   * it (RFC 6265bis section 4.1.3.2); it requires https, Secure and no path below `/`.
   */
  sessionName(protocol: string): string {
    const hasPrefix = protocol === 'https' && this.secure && this.context === '';
    return hasPrefix ? `__Host-${this.configuredName}` : this.configuredName;
  }

  /** Writes the cookies of an opened session: its own, and that of its refresh token, if it has them; `now` in epoch seconds. */
  setCredentials(reply: Reply, opened: OpenedSession, now: number): void {
    const { refreshToken } = opened;
    this.setSession(reply, opened, now);
    if (!refreshToken) return;
    const maxAge = refreshToken.expiresAt - now;
    reply.setCookie(REFRESH_TOKEN, refreshToken.value, { ...this.attributes('strict', '/token'), maxAge });
  }

  /** Writes the cookie of a session that has one; that of a complete session that is kept outlasts the browser. */
  setSession(reply: Reply, { session, secret }: Pick<OpenedSession, 'session' | 'secret'>, now: number): void {
    if (secret === undefined) return;
    const isKept = session.kind === 'kept' && session.halfSecurityStamp === undefined;
    reply.setCookie(this.sessionName(reply.protocol), secret, {
      ...this.attributes('lax', '/'),
      ...(isKept && { maxAge: session.expiresAt - now }),
    });
  }

  /** `maxAge` in seconds, also of the other cookies. */
  setTrustedDevice(reply: Reply, secret: string, maxAge: number): void {
    reply.setCookie(TRUSTED_DEVICE, secret, { ...this.attributes('strict', '/'), maxAge });
  }

  setDevice(reply: Reply, value: string, maxAge: number): void {
    reply.setCookie(DEVICE, value, { ...this.attributes('lax', '/'), maxAge });
  }

  /**
   * Browsers send this cookie when an identity provider, which is another site, posts its response. Browsers reject such
   * a cookie without Secure: the identity provider must then be on the same site.
   */
  setSamlRequest(reply: Reply, value: string, maxAge: number): void {
    reply.setCookie(SAML_REQUEST, value, { ...this.samlAttributes(), maxAge });
  }

  clearSamlRequest(reply: Reply): void {
    reply.clearCookie(SAML_REQUEST, this.samlAttributes());
  }

  setSignInForm(reply: Reply, value: string): void {
    // Not strict: a visit through a link of another site would set a new cookie and invalidate the forms in other tabs.
    reply.setCookie(SIGN_IN_FORM, value, this.attributes('lax', '/portal'));
  }

  setFormAnswer(reply: Reply, value: string, maxAge: number): void {
    reply.setCookie(FORM_ANSWER, value, { ...this.attributes('lax', '/'), maxAge });
  }

  clearFormAnswer(reply: Reply): void {
    reply.clearCookie(FORM_ANSWER, this.attributes('lax', '/'));
  }

  clearSession(reply: Reply): void {
    reply.clearCookie(this.sessionName(reply.protocol), this.attributes('lax', '/'));
  }

  /** Clears the cookies of a session that has ended; cookies that identify the browser stay. */
  clearAll(reply: Reply): void {
    reply.clearCookie(REFRESH_TOKEN, this.attributes('strict', '/token'));
    this.clearSession(reply);
  }

  private samlAttributes(): CookieAttributes {
    return this.attributes(this.secure ? 'none' : 'lax', '/saml');
  }

  private attributes(sameSite: CookieAttributes['sameSite'], path: string): CookieAttributes {
    return { httpOnly: true, secure: this.secure, sameSite, path: `${this.context}${path}` };
  }
}

/** `Host` of loopback addresses, which browsers trust without https. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** True for a host, with or without a port, for which browsers keep Secure cookies over http. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * True if the browser of a request drops Secure cookies. Browsers send `Sec-Fetch-Site` only to addresses that they trust:
 * with that header, a proxy has terminated TLS without forwarding the scheme.
 */
export function isPlainHttp({ protocol, host, headers }: Pick<HttpRequest, 'protocol' | 'host' | 'headers'>): boolean {
  return protocol === 'http' && headers['sec-fetch-site'] === undefined && !isLoopbackHost(host);
}
