import type { Rule } from '../config/rule.js';
import { CookieProperties } from './cookie.properties.js';

/** Cookies of production go over https only (http-api section 2). */
export const secureCookies: Rule = (facts) =>
  facts.get(CookieProperties).secure
    ? []
    : [facts.about('security', 'app.security.cookie.secure', 'cookies must be Secure: remove it, or set it to true')];
