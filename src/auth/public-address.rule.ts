import { Rule } from '../config/check/rule.js';
import { PublicUrlProperties } from '../http/server.properties.js';
import { CookieProperties } from './auth.properties.js';
import { isLoopbackHost } from './plain-http.js';

const KEY = 'app.security.public-url';

/** Warns of an address that no browser can sign in at. With profile `prod` such an address is a breach by itself. */
export const publicAddressKeepsCookies = new Rule('security', (facts) => {
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (publicUrl === undefined || facts.activeProfiles.includes('prod')) return [];
  const { protocol, host } = new URL(publicUrl);
  if (protocol === 'https:' || isLoopbackHost(host) || !facts.get(CookieProperties).secure) return [];
  const what = 'Browsers drop Secure cookies at this address, so users cannot sign in there';
  const action =
    `Set ${KEY} to an https URL, or for tests on one machine to http://localhost. ` +
    'On a trusted test network set app.security.cookie.secure to false.';
  return [facts.about(KEY, { severity: 'warning', what, action })];
});
