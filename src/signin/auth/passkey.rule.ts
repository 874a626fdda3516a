import { Rule, type RuleFacts } from '../../config/check/rule.js';
import {
  browserUrl,
  PublicUrlProperties,
  ServerProperties,
  SslProperties,
} from '../../platform/http/server.properties.js';
import { MfaProperties } from '../../identity/second-factor/mfa.properties.js';
import { PasskeyProperties } from '../../identity/second-factor/passkey/passkey.properties.js';
import { originProblem, passkeySite, type PasskeySite } from '../../identity/second-factor/passkey/passkey-site.js';

const ENABLED = 'app.security.mfa.passkey.enabled';
const ORIGINS = 'app.security.mfa.passkey.origins';
const PUBLIC_URL = 'app.security.public-url';
const SIGN_IN = 'app.security.mfa.passkey.sign-in';
const SIGN_IN_ROLES = 'app.security.mfa.passkey.sign-in-only-roles';
const STRENGTH = 'app.security.mfa.required-strength';

/** Reports passkeys that are enabled expressly but cannot be offered, and a public URL at which browsers offer none. */
export const passkeysOffered = new Rule('security', (facts) => {
  const site = siteOf(facts);
  if (!facts.get(PasskeyProperties).enabled || site.kind === 'usable') return [];
  const what = 'Passkeys cannot be offered, so users have one-time codes only';
  const action = `Set ${PUBLIC_URL} to an https URL with a host name, or ${ENABLED} to false.`;
  if (facts.configuration.isSet(ENABLED)) return [facts.about(ENABLED, { what, action }, { Reason: site.reason })];
  const { publicUrl } = facts.get(PublicUrlProperties);
  if (publicUrl === undefined) return [];
  // With profile prod, a URL without https is a breach by itself.
  if (publicUrl.startsWith('http:') && facts.activeProfiles.includes('prod')) return [];
  return [facts.about(PUBLIC_URL, { severity: 'warning', what, action }, { Reason: site.reason })];
});

/** Further origins can use passkeys of the RP ID. Related origins (WebAuthn level 3, section 5.11) are not supported. */
export const originsBelowRpId = new Rule('security', (facts) => {
  const { enabled, origins } = facts.get(PasskeyProperties);
  const site = siteOf(facts);
  if (!enabled || site.kind === 'unusable') return [];
  return origins.flatMap((origin) => {
    const reason = originProblem(origin, site.rpId);
    if (reason === undefined) return [];
    const what = `Browsers reject passkeys of ${site.rpId} at the origin ${facts.part(ORIGINS, origin)}: ${reason}`;
    return [facts.about(ORIGINS, { what, action: 'Correct the origin, or remove it.' })];
  });
});

/** Passkeys can be used wherever policy demands them: otherwise, no account that it concerns could sign in. */
export const demandedPasskeysAvailable = new Rule('security', (facts) => {
  if (facts.get(MfaProperties).requiredStrength === 'any') return [];
  const site = siteOf(facts);
  const isEnabled = facts.get(PasskeyProperties).enabled;
  if (isEnabled && site.kind === 'usable') return [];
  const what = 'Policy demands passkeys, and none can be used, so users could not sign in';
  const action = `Set app.security.public-url to the https URL of the service and enable passkeys, or set ${STRENGTH} to any.`;
  return [
    facts.about(
      STRENGTH,
      { severity: 'error', what, action },
      { Reason: isEnabled && site.kind === 'unusable' ? site.reason : `${ENABLED} is false` },
    ),
  ];
});

/** Passkeys can be used if they alone sign in, and an account for which only they do is configured as such. */
export const passkeySignInAvailable = new Rule('security', (facts) => {
  const { enabled, signIn, signInOnlyRoles } = facts.get(PasskeyProperties);
  if (signIn !== 'only' && signInOnlyRoles.length > 0) {
    const what = 'Roles that sign in by passkey only are listed, but the key that applies the list is not set';
    const action = `Set ${SIGN_IN} to only, or remove ${SIGN_IN_ROLES}.`;
    return [facts.about(SIGN_IN_ROLES, { severity: 'warning', what, action })];
  }
  const site = siteOf(facts);
  if (signIn === 'off' || (enabled && site.kind === 'usable')) return [];
  const what = 'Passkeys are to sign in without a password, and none can be used';
  const action = `Set ${PUBLIC_URL} to the https URL of the service and enable passkeys, or set ${SIGN_IN} to off.`;
  const reason = enabled && site.kind === 'unusable' ? site.reason : `${ENABLED} is false`;
  return [facts.about(SIGN_IN, { severity: 'error', what, action }, { Reason: reason })];
});

function siteOf(facts: RuleFacts): PasskeySite {
  return passkeySite(browserUrl(facts.get(PublicUrlProperties), facts.get(ServerProperties), facts.get(SslProperties)));
}
