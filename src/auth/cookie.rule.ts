import { Rule } from '../config/check/rule.js';
import { CookieProperties } from './auth.properties.js';

const KEY = 'app.security.cookie.secure';

/** Cookies of production go over https only (http-api section 2). */
export const secureCookies = new Rule('security', (facts) =>
  facts.get(CookieProperties).secure
    ? []
    : [
        facts.about(KEY, {
          what: 'Cookies of production must be Secure',
          action: `Remove ${KEY}, or set it to true.`,
        }),
      ],
);
