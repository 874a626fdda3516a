import { Rule } from '../../config/check/rule.js';
import { PublicUrlProperties } from '../../platform/http/server.properties.js';
import { CookieProperties } from './auth.properties.js';
import { isLoopbackHost } from './cookies.js';

const SECURE = 'app.security.cookie.secure';
const PUBLIC_URL = 'app.security.public-url';

/** Cookies of production go over https only (http-api section 2). */
export const secureCookies = new Rule('security', (facts) =>
  facts.get(CookieProperties).secure
    ? []
    : [
        facts.about(SECURE, {
          what: 'Cookies of production must be Secure',
          action: `Remove ${SECURE}, or set it to true.`,
        }),
      ],
);

/** Warns of an address that no browser can sign in at. With profile `prod` such an address is a breach by itself. */
export const publicAddressKeepsCookies = new Rule('security', (facts) => {
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (publicUrl === undefined || facts.activeProfiles.includes('prod')) return [];
  const { protocol, host } = new URL(publicUrl);
  if (protocol === 'https:' || isLoopbackHost(host) || !facts.get(CookieProperties).secure) return [];
  const what = 'Browsers drop Secure cookies at this address, so users cannot sign in there';
  const action =
    `Set ${PUBLIC_URL} to an https URL, or for tests on one machine to http://localhost. ` +
    'On a trusted test network set app.security.cookie.secure to false.';
  return [facts.about(PUBLIC_URL, { severity: 'warning', what, action })];
});
