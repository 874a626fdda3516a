import { Rule } from '../../config/check/rule.js';
import { SamlProperties } from '../saml.properties.js';

/**
 * Warns where a forced login proves nothing: the user's browser carries the request, and can remove ForceAuthn from one that is
 * not signed.
 */
export const forcedLoginsProven = new Rule('staff login', (facts) =>
  Array.from(facts.get(SamlProperties).idp)
    .filter(([, { bundle, authnInstant }]) => bundle === undefined && authnInstant === 'time-of-response')
    .map(([name]) => {
      const prefix = `app.security.saml.idp.${name}`;
      const what = 'Users can remove ForceAuthn from unsigned requests, so that an old login counts as fresh';
      const action =
        'Set it to a bundle, and let the identity provider reject unsigned requests. If AuthnInstant is the time at which ' +
        `users authenticated, set ${prefix}.authn-instant to time-of-authentication.`;
      return facts.about(`${prefix}.bundle`, { severity: 'warning', what, action });
    }),
);
