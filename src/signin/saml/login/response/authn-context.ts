import { ACR_MFA, type Amr, hasOtp, PWD, PWD_OTP } from '../../../../kernel/principal/amr.js';
import type { SamlRejection } from '../rejection.js';

/** The values of `authn-context.presets`. */
export const PRESETS = ['oasis', 'refeds', 'microsoft'] as const;
export type Preset = (typeof PRESETS)[number];

/** How a returned class must compare to the requested ones (SAML core 3.3.2.2.1). */
export const COMPARISONS = ['exact', 'minimum', 'maximum', 'better'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The keys `authn-context.*` of an identity provider. */
export interface ContextRules {
  readonly authnContextRequest: readonly string[];
  readonly authnContextComparison: Comparison;
  readonly authnContextStepUp: readonly string[];
  readonly authnContextPresets: readonly Preset[];
  readonly authnContextMap: ReadonlyMap<string, Amr>;
}

/** The authentication context of a verified assertion. */
export interface AssertedContext {
  /** Undefined if the statement names no class (only a declaration, SAML core 2.7.2.2). */
  readonly classRef: string | undefined;
  /** Values of the attribute that `authn-context.attribute` names. */
  readonly attributeValues: readonly string[];
}

/** The requested context; without classes the identity provider chooses. */
export interface RequestedContext {
  readonly classes: readonly string[];
  readonly comparison: Comparison;
}

const OASIS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:';
const OASIS_CLASSES: readonly (readonly [string, Amr])[] = [
  ['Password', PWD],
  ['PasswordProtectedTransport', PWD],
  ['TimeSyncToken', ['otp']],
  // Not among the classes of OASIS, yet sent under both names (specification, "Authentication" item 7).
  ['MultiFactor', PWD_OTP],
];

const PROVEN_BY_PRESET: Readonly<Record<Preset, ReadonlyMap<string, Amr>>> = {
  oasis: new Map([...OASIS_CLASSES, ...OASIS_CLASSES.map(([name, amr]) => [OASIS + name, amr] as const)]),
  refeds: new Map([
    ['https://refeds.org/profile/mfa', PWD_OTP],
    ['https://refeds.org/profile/sfa', PWD],
  ]),
  // Entra ID and AD FS send these as values of authnmethodsreferences; the class states only the first factor.
  // Not `wiaormultiauthn`: it means either a Windows sign-in or a second factor.
  microsoft: new Map([
    ['http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password', PWD],
    ['http://schemas.microsoft.com/claims/multipleauthn', PWD_OTP],
  ]),
};

/** The methods that a class proves, by its exact name; undefined for an unknown class. */
function provenBy(name: string, { authnContextMap, authnContextPresets }: ContextRules): Amr | undefined {
  const mapped = authnContextMap.get(name);
  if (mapped !== undefined) return mapped;
  for (const preset of authnContextPresets) {
    const proven = PROVEN_BY_PRESET[preset].get(name);
    if (proven !== undefined) return proven;
  }
  return undefined;
}

/** Every class with known methods. */
export function knownClasses({
  authnContextMap,
  authnContextPresets,
}: Pick<ContextRules, 'authnContextMap' | 'authnContextPresets'>): readonly string[] {
  return [...authnContextMap.keys(), ...authnContextPresets.flatMap((preset) => [...PROVEN_BY_PRESET[preset].keys()])];
}

/** A higher number is stronger; undefined for an unknown class. */
function strengthOf(name: string, rules: ContextRules): number | undefined {
  const proven = provenBy(name, rules);
  return proven && (hasOtp(proven) ? 1 : 0);
}

function isOtpClass(name: string, rules: ContextRules): boolean {
  return strengthOf(name, rules) === 1;
}

function assertedNames({ classRef, attributeValues }: AssertedContext): readonly string[] {
  return classRef === undefined ? attributeValues : [classRef, ...attributeValues];
}

/**
 * The methods that the login proved. Never empty: a sign-in without a known class is treated as the weakest one, a password
 * alone.
 */
export function amrOfContext(asserted: AssertedContext, rules: ContextRules): Amr {
  const proven = assertedNames(asserted).flatMap((name) => provenBy(name, rules) ?? []);
  return proven.length === 0 ? PWD : PWD_OTP.filter((method) => proven.includes(method));
}

/** The context required of a login without `acr`, also of an unsolicited one. */
export function defaultContext({ authnContextRequest, authnContextComparison }: ContextRules): RequestedContext {
  return { classes: authnContextRequest, comparison: authnContextComparison };
}

/** The context that a login requests; `acr` is the value of the caller. */
export function requestedContext(rules: ContextRules, acr: string | undefined): RequestedContext | 'not_offered' {
  if (acr === undefined) return defaultContext(rules);
  const classes = rules.authnContextStepUp.filter((name) => (acr === ACR_MFA ? isOtpClass(name, rules) : name === acr));
  return classes.length === 0 ? 'not_offered' : { classes, comparison: 'exact' };
}

/** Whether only a login with `otp` can satisfy the requested context. */
export function requiresOtp({ classes, comparison }: RequestedContext, rules: ContextRules): boolean {
  if (classes.length === 0 || comparison === 'maximum') return false;
  // Everything better than the weakest class has otp.
  return comparison === 'better' || classes.every((name) => isOtpClass(name, rules));
}

/**
 * Whether the stated context satisfies the requested one. This must be checked, because the browser that carries the request
 * can change it. A value of the attribute is treated like the class: AD FS states only the first factor in the class.
 */
export function satisfies(
  asserted: AssertedContext,
  { classes, comparison }: RequestedContext,
  rules: ContextRules,
): boolean {
  if (classes.length === 0) return true;
  const names = assertedNames(asserted);
  const isNamed = classes.some((name) => names.includes(name));
  const known = names.flatMap((name) => strengthOf(name, rules) ?? []);
  const strength = known.length === 0 ? undefined : Math.max(...known);
  if (strength === undefined) return isNamed && comparison !== 'better';
  const strengths = classes.map((name) => strengthOf(name, rules));
  switch (comparison) {
    case 'exact':
      return isNamed;
    case 'minimum':
      return isNamed || strengths.some((each) => each !== undefined && strength >= each);
    case 'maximum':
      return strengths.some((each) => each !== undefined && strength <= each);
    case 'better':
      return strengths.every((each) => each !== undefined && strength > each);
  }
}

/** How a login that proved no second factor is treated. */
export const ON_MISSING_MFA = ['deny', 'local-totp', 'accept-as-pwd'] as const;
export type OnMissingMfa = (typeof ON_MISSING_MFA)[number];

/** The input of the decision about a staff login. */
export interface AssuranceFacts {
  /** The methods that the context classes in the response prove (`amrOfContext`). */
  readonly amr: Amr;
  /** Whether the response satisfies the requested context (`satisfies`). */
  readonly isSatisfied: boolean;
  /** Whether only `otp` satisfies the requested context (`requiresOtp`). */
  readonly isOtpRequired: boolean;
  /** Whether the caller of this login named an `acr`; `authn-context.request` of the identity provider does not. */
  readonly isAcrRequested: boolean;
  /** Whether policy requires a second factor of the account, with the roles that this login assigns. */
  readonly isMfaRequired: boolean;
  /** Whether policy requires a passkey of the account, which no identity provider states. */
  readonly isPasskeyRequired: boolean;
  readonly onMissingMfa: OnMissingMfa;
  readonly reportOnly: boolean;
}

/** A full session, a half-authenticated session that requires a second factor of this service, or none. */
export type Assurance =
  | {
      readonly kind: 'full';
      readonly amr: Amr;
      /** True under `report-only` if `deny` would have rejected the login. */
      readonly wouldDeny: boolean;
    }
  | { readonly kind: 'local'; readonly wouldDeny: boolean }
  | { readonly kind: 'rejected'; readonly rejection: Extract<SamlRejection, 'mfa_missing' | 'authn_context'> };

/** Decides the assurance of a login whose response passed every other check. */
export function assuranceOf(facts: AssuranceFacts): Assurance {
  const { amr, isSatisfied, isOtpRequired, isAcrRequested, isMfaRequired, onMissingMfa, reportOnly } = facts;
  if (isSatisfied && hasOtp(amr)) {
    return facts.isPasskeyRequired ? { kind: 'local', wouldDeny: false } : { kind: 'full', amr, wouldDeny: false };
  }
  // A code of this service replaces a missing second factor, but no other missing method.
  if (!isSatisfied && !(isOtpRequired && amr.includes('pwd'))) return { kind: 'rejected', rejection: 'authn_context' };

  if (onMissingMfa === 'deny' && !reportOnly) return { kind: 'rejected', rejection: 'mfa_missing' };
  const wouldDeny = reportOnly;
  if (onMissingMfa === 'local-totp' || isMfaRequired || (isAcrRequested && isOtpRequired))
    return { kind: 'local', wouldDeny };
  return { kind: 'full', amr: PWD, wouldDeny };
}
