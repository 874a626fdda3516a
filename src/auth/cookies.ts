import type { CookieAttributes, Reply } from '../web/cookies.js';

export const REFRESH_TOKEN = 'refresh_token';
export const SESSION = 'SESSION';
export const TRUSTED_DEVICE = 'trusted_device';
/** Says that this browser once completed a login: password guessing elsewhere must not slow it down. */
export const DEVICE = 'device';
/** Ties the form of the sign-in page to the browser that was shown it. */
export const SIGN_IN_FORM = 'sign_in_form';

/** Says which logins through an identity provider this browser has asked for. */
export const SAML_REQUEST = 'saml_request';

/** Our cookies; none has a Domain. `context` is the context path, empty for none. */
export class AuthCookies {
  constructor(
    private readonly context: string,
    private readonly secure: boolean,
  ) {}

  /** Browsers keep them over https only. */
  get areSecure(): boolean {
    return this.secure;
  }

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

  /**
   * Sent along when an identity provider, which is another site, posts its answer. Without Secure browsers take no such
   * cookie: then the identity provider must be of the same site.
   */
  setSamlRequest(reply: Reply, value: string, maxAge: number): void {
    reply.setCookie(SAML_REQUEST, value, { ...this.ofSaml(), maxAge });
  }

  clearSamlRequest(reply: Reply): void {
    reply.clearCookie(SAML_REQUEST, this.ofSaml());
  }

  setSignInForm(reply: Reply, value: string): void {
    // Not strict: who comes from a link elsewhere would get a new one, and forms that are open in other tabs end.
    reply.setCookie(SIGN_IN_FORM, value, this.attributes('lax', '/portal'));
  }

  clearSession(reply: Reply): void {
    reply.clearCookie(SESSION, this.attributes('lax', '/'));
  }

  /** After the end of a session; what says which browser this is stays. */
  clearAll(reply: Reply): void {
    reply.clearCookie(REFRESH_TOKEN, this.attributes('strict', '/token'));
    this.clearSession(reply);
  }

  private ofSaml(): CookieAttributes {
    return this.attributes(this.secure ? 'none' : 'lax', '/saml');
  }

  private attributes(sameSite: CookieAttributes['sameSite'], path: string): CookieAttributes {
    return { httpOnly: true, secure: this.secure, sameSite, path: `${this.context}${path}` };
  }
}
