import { type Finding, Rule, type RuleFacts } from '../../config/check/rule.js';
import { hasOtp } from '../../principal/amr.js';
import { amrOfContext, requestedContext, knownClasses, PRESETS, satisfies } from './authn-context.js';
import type { IdpProperties } from '../idp/idp.properties.js';
import { SamlProperties } from '../saml.properties.js';

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
