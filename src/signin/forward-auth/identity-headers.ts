import type { Account } from '../../identity/account/account.js';
import { acrOf, type Amr } from '../../kernel/principal/amr.js';

/** What an application learns about its user. */
export interface Identity {
  readonly account: Pick<Account, 'loginId' | 'displayName' | 'email' | 'emailVerified' | 'groups'>;
  readonly amr: Amr;
}

type Headers = Readonly<Record<string, string>>;

/** A value for everyone who is not known: a proxy then replaces what the client sent. */
const NOBODY: Headers = {
  'remote-user': '',
  'remote-name': '',
  'remote-email': '',
  'remote-email-verified': '',
  'remote-groups': '',
  'remote-amr': '',
  'remote-acr': '',
};

/** The headers for the application; all of them are always present. */
export function identityHeaders(identity: Identity | undefined): Headers {
  if (!identity) return NOBODY;
  const { account, amr } = identity;
  const { loginId, displayName = '', email = '', emailVerified, groups } = account;
  const values = [loginId, displayName, email, email === '' ? '' : String(emailVerified), groups.join(',')];
  const headers = [...values, amr.join(','), acrOf(amr)];
  return Object.fromEntries(Object.keys(NOBODY).map((name, at) => [name, headerValue(headers[at] ?? '')]));
}

/** Percent-encodes UTF-8 (RFC 3986 section 2.1) except for ASCII characters that a header keeps, so that no two texts are alike. */
function headerValue(text: string): string {
  const encoded = text.toWellFormed().replaceAll(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
  // Proxies drop blanks at both ends.
  return encoded.replaceAll(/^ +| +$/g, encodeURIComponent);
}
