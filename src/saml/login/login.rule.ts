import { type Finding, Rule, type RuleFacts } from '../../config/check/rule.js';
import { hasOtp } from '../../principal/amr.js';
import { amrOfContext, requestedContext, knownClasses, PRESETS, satisfies } from './authn-context.js';
import { type IdpProperties, SamlProperties } from '../saml.properties.js';
import { PublicUrlProperties } from '../../http/server.properties.js';

const WARNING = { severity: 'warning' } as const;
const BUILT_IN = knownClasses({ authnContextPresets: PRESETS, authnContextMap: new Map() });

/** Context classes are written as they are sent, and a login can satisfy what is asked for. */
export const contextClassesUsable = new Rule('staff login', (facts) =>
  Array.from(facts.get(SamlProperties).idp).flatMap(([name, idp]) => {
    const prefix = `app.security.saml.idp.${name}`;
    return [...misspelled(facts, prefix, idp), ...neverBetter(facts, prefix, idp), ...deniedAll(facts, prefix, idp)];
  }),
);

/** A variable loses capitals and a key without brackets loses colons; such a name never comes, and takes nothing down. */
function misspelled(facts: RuleFacts, prefix: string, idp: IdpProperties): readonly Finding[] {
  const meant = [...BUILT_IN, ...idp.authnContextRequest, ...idp.authnContextStepUp];
  return [...idp.authnContextMap.keys()].flatMap((written) => {
    const alike = meant.includes(written) ? undefined : meant.find((each) => normalized(each) === normalized(written));
    if (alike === undefined) return [];
    const what = `The context class ${written} is not ${alike}: every letter counts`;
    const action = `Write ${prefix}.authn-context.map.[${alike}], in a file and in brackets.`;
    return [facts.about(`${prefix}.authn-context.map.[${written}]`, { ...WARNING, what, action })];
  });
}

function neverBetter(facts: RuleFacts, prefix: string, idp: IdpProperties): readonly Finding[] {
  const asked = requestedContext(idp, undefined);
  if (asked === 'not_offered' || asked.comparison !== 'better' || asked.classes.length === 0) return [];
  if (knownClasses(idp).some((classRef) => satisfies({ classRef, attributeValues: [] }, asked, idp))) return [];
  const what = 'No login can be better than the context classes that are asked for';
  const action = `Set ${prefix}.authn-context.request to classes that give pwd alone, or the comparison to exact.`;
  return [facts.about(`${prefix}.authn-context.comparison`, { ...WARNING, what, action })];
}

function deniedAll(facts: RuleFacts, prefix: string, idp: IdpProperties): readonly Finding[] {
  if (idp.onMissingMfa !== 'deny' || idp.reportOnly) return [];
  if (knownClasses(idp).some((classRef) => hasOtp(amrOfContext({ classRef, attributeValues: [] }, idp)))) return [];
  const what = 'Every login is refused, since no context class gives otp';
  const action = `Set ${prefix}.authn-context.presets or ${prefix}.authn-context.map.`;
  return [facts.about(`${prefix}.on-missing-mfa`, { ...WARNING, what, action })];
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

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

const KEY = 'app.security.public-url';

/** Identity providers have to know where this service is; profile `prod` demands it whoever signs in. */
export const publicUrlKnown = new Rule('saml', (facts) => {
  const hasIdps = facts.get(SamlProperties).idp.size > 0;
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (!hasIdps || publicUrl !== undefined || facts.activeProfiles.includes('prod')) return [];
  const what = 'Identity providers of staff know this service as localhost alone';
  const action = `Set ${KEY} to the URL of the service, as users know it.`;
  return [facts.about(KEY, { severity: 'warning', what, action })];
});
