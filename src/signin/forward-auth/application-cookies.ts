import type { CookieAttributes, CookieValues, Reply } from '../../platform/web/cookies.js';
import { DEVICE, FORM_ANSWER, REFRESH_TOKEN, SAML_REQUEST, SIGN_IN_FORM, TRUSTED_DEVICE } from '../auth/cookies.js';

/** The session of an application. */
const SESSION_OF_APPLICATION = 'forward-auth';
/** Binds a sign-in to the browser that began it. */
const STATE = 'forward-auth-state';
const HOST_PREFIX = '__Host-';
/** Seconds, as long as a sign-in may take. */
const STATE_SECONDS = 600;

/** The cookies at the host of an application. They have no Domain, so that no other host gets them. */
export class ApplicationCookies {
  constructor(
    private readonly secure: boolean,
    private readonly sessionName: string,
  ) {}

  sessionOf(cookies: CookieValues, protocol: string): string | undefined {
    return cookies[this.nameOf(SESSION_OF_APPLICATION, protocol)];
  }

  stateOf({ cookies, protocol }: Pick<Reply, 'cookies' | 'protocol'>): string | undefined {
    return cookies[this.nameOf(STATE, protocol)];
  }

  setSession(reply: Reply, value: string): void {
    reply.setCookie(this.nameOf(SESSION_OF_APPLICATION, reply.protocol), value, this.attributes);
  }

  setState(reply: Reply, value: string): void {
    reply.setCookie(this.nameOf(STATE, reply.protocol), value, { ...this.attributes, maxAge: STATE_SECONDS });
  }

  /** A `Cookie` header without the cookies of this service; at the host of its own pages, also without those of the pages. */
  withoutOwn(header: string, isOwnHost: boolean): string {
    const names = isOwnHost ? [...OF_APPLICATION, ...OF_PAGES, this.sessionName] : OF_APPLICATION;
    const own = new Set(names.flatMap((name) => [name, HOST_PREFIX + name]));
    const pairs = header.split(';').map((pair) => pair.trim());
    return pairs.filter((pair) => pair !== '' && !own.has(nameIn(pair))).join('; ');
  }

  private get attributes(): CookieAttributes {
    return { httpOnly: true, secure: this.secure, sameSite: 'lax', path: '/' };
  }

  /** The prefix keeps other hosts of the domain from setting the cookie (RFC 6265bis section 4.1.3.2). */
  private nameOf(name: string, protocol: string): string {
    return protocol === 'https' && this.secure ? HOST_PREFIX + name : name;
  }
}

const OF_APPLICATION = [SESSION_OF_APPLICATION, STATE];
const OF_PAGES = [REFRESH_TOKEN, TRUSTED_DEVICE, DEVICE, SIGN_IN_FORM, FORM_ANSWER, SAML_REQUEST];

function nameIn(pair: string): string {
  return pair.replace(/=.*$/s, '').trim();
}
