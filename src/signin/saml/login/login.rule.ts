import { type RuleProblem, Rule, type RuleFacts } from '../../../config/check/rule.js';
import { hasOtp } from '../../../kernel/principal/amr.js';
import { amrOfContext, requestedContext, knownClasses, PRESETS, satisfies } from './response/authn-context.js';
import { type IdpProperties, SamlProperties } from '../saml.properties.js';
import { PublicUrlProperties } from '../../../platform/http/server.properties.js';

const WARNING = { severity: 'warning' } as const;
const BUILT_IN = knownClasses({ authnContextPresets: PRESETS, authnContextMap: new Map() });

/** Warns of misspelled context classes, and of settings that reject every login. */
export const contextClassesUsable = new Rule('staff login', (facts) =>
  Array.from(facts.get(SamlProperties).idp).flatMap(([name, idp]) => {
    const prefix = `app.security.saml.idp.${name}`;
    return [...misspelled(facts, prefix, idp), ...neverBetter(facts, prefix, idp), ...deniedAll(facts, prefix, idp)];
  }),
);

/** A variable loses capitals, and a key without brackets loses colons; the resulting name matches no class. */
function misspelled(facts: RuleFacts, prefix: string, idp: IdpProperties): readonly RuleProblem[] {
  const meant = [...BUILT_IN, ...idp.authnContextRequest, ...idp.authnContextStepUp];
  return [...idp.authnContextMap.keys()].flatMap((written) => {
    const similar = meant.includes(written)
      ? undefined
      : meant.find((each) => normalized(each) === normalized(written));
    if (similar === undefined) return [];
    const what = `The context class ${written} does not match ${similar}: names are compared exactly`;
    const action = `Use the key ${prefix}.authn-context.map.[${similar}] in a file, with the brackets.`;
    return [facts.about(`${prefix}.authn-context.map.[${written}]`, { ...WARNING, what, action })];
  });
}

function neverBetter(facts: RuleFacts, prefix: string, idp: IdpProperties): readonly RuleProblem[] {
  const requested = requestedContext(idp, undefined);
  if (requested === 'not_offered' || requested.comparison !== 'better' || requested.classes.length === 0) return [];
  if (knownClasses(idp).some((classRef) => satisfies({ classRef, attributeValues: [] }, requested, idp))) return [];
  const what = 'No login can be better than the requested context classes';
  const action = `Set ${prefix}.authn-context.request to classes that prove only pwd, or the comparison to exact.`;
  return [facts.about(`${prefix}.authn-context.comparison`, { ...WARNING, what, action })];
}

function deniedAll(facts: RuleFacts, prefix: string, idp: IdpProperties): readonly RuleProblem[] {
  if (idp.onMissingMfa !== 'deny' || idp.reportOnly) return [];
  if (knownClasses(idp).some((classRef) => hasOtp(amrOfContext({ classRef, attributeValues: [] }, idp)))) return [];
  const what = 'Every login is rejected, because no context class proves otp';
  const action = `Set ${prefix}.authn-context.presets or ${prefix}.authn-context.map.`;
  return [facts.about(`${prefix}.on-missing-mfa`, { ...WARNING, what, action })];
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

/**
 * Warns if a forced login proves nothing: the browser of the user carries the request, and can remove ForceAuthn from an
 * unsigned one.
 */
export const forcedLoginsProven = new Rule('staff login', (facts) =>
  Array.from(facts.get(SamlProperties).idp)
    .filter(([, { bundle, authnInstant }]) => bundle === undefined && authnInstant === 'time-of-response')
    .map(([name]) => {
      const prefix = `app.security.saml.idp.${name}`;
      const what = 'Users can remove ForceAuthn from unsigned requests, so that an old login is treated as fresh';
      const action =
        'Set it to a bundle, and let the identity provider reject unsigned requests. If AuthnInstant is the time at which ' +
        `users authenticated, set ${prefix}.authn-instant to time-of-authentication.`;
      return facts.about(`${prefix}.bundle`, { severity: 'warning', what, action });
    }),
);

const KEY = 'app.security.public-url';

/** Identity providers need the URL of this service; in profile `prod` it is required even without them. */
export const publicUrlKnown = new Rule('saml', (facts) => {
  const hasIdps = facts.get(SamlProperties).idp.size > 0;
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (!hasIdps || publicUrl !== undefined || facts.activeProfiles.includes('prod')) return [];
  const what = 'Identity providers of staff know this service only as localhost';
  const action = `Set ${KEY} to the URL at which users reach the service.`;
  return [facts.about(KEY, { severity: 'warning', what, action })];
});
