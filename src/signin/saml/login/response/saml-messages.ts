import type { CacheProvider, SamlConfig } from '@node-saml/passport-saml';
import type { RequestedContext } from './authn-context.js';
import type { Duration } from '../../../../config/bind/duration.js';
import type { IdpTrust } from '../../idp/idp-trust.js';
import { NAMESPACE, xmlAttribute } from '../../xml/saml-values.js';
import type { ServiceProvider } from '../../sp/service-provider.js';
import { PERSISTENT } from './mapped-user.js';

/** How the messages of an identity provider are validated. */
export interface ValidationRules {
  readonly signedResponse: boolean;
  readonly clockSkewMillis: number;
  readonly maxAgeMillis: number;
  /** The NameID format to request; null requests none. */
  readonly nameIdFormat: string | null;
}

/** The keys of an identity provider that set its validation rules. */
interface ValidationKeys {
  readonly signedResponse: boolean;
  readonly clockSkew: Duration;
  readonly maxAssertionAge: Duration;
  readonly accountAttribute?: string;
}

export function validationRules(keys: ValidationKeys): ValidationRules {
  const { signedResponse, clockSkew, maxAssertionAge, accountAttribute } = keys;
  return {
    signedResponse,
    clockSkewMillis: clockSkew.milliseconds,
    maxAgeMillis: maxAssertionAge.milliseconds,
    nameIdFormat: accountAttribute === undefined ? PERSISTENT : null,
  };
}

/** The identity provider and the service provider of an exchange. */
interface Parties {
  readonly trust: IdpTrust;
  readonly sp: ServiceProvider;
  readonly rules: ValidationRules;
}

interface AuthnRequestOptions {
  readonly id: string;
  readonly relayState: string;
  readonly requested: RequestedContext;
  readonly forceAuthn: boolean;
}

/** A message for an identity provider: a URL that contains it, or a URL and the form to post there. */
export interface OutgoingMessage {
  readonly url: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** Builds an AuthnRequest for the binding of the identity provider (SAML bindings 3.4, 3.5), signed if we have a key. */
export async function buildAuthnRequest(parties: Parties, request: AuthnRequestOptions): Promise<OutgoingMessage> {
  const { classes, comparison } = request.requested;
  const { SAML, SamlStrategy } = await library();
  const saml = new SAML({
    ...configOf(parties),
    generateUniqueId: () => request.id,
    forceAuthn: request.forceAuthn,
    authnContext: [...classes],
    // The default of the library requests a password over TLS; some identity providers then reject stronger logins.
    disableRequestedAuthnContext: classes.length === 0,
    racComparison: comparison,
  });
  const { url, binding } = parties.trust.sso;
  if (binding === 'redirect') return { url: await new SamlStrategy(saml).redirectUrl(request.relayState) };
  // The strategy would send a page with an inline script, which our Content-Security-Policy forbids.
  const message = await saml.getAuthorizeMessageAsync(request.relayState);
  return { url, form: Object.fromEntries(Object.entries(message).map(([name, value]) => [name, String(value)])) };
}

interface Verification {
  /** The signed text of the assertion; undefined if the signature is not valid. */
  readonly assertion: string | undefined;
  /** Why the library rejects the response, in its own words. */
  readonly rejection: string | undefined;
}

/**
 * Verifies the signature of a posted response whose assertion is not encrypted, and returns the signed text of its assertion.
 * Of the other checks of the library only a rejection matters: it validates neither Recipient nor Destination nor the
 * context class.
 */
export async function verifyResponse(
  parties: Parties,
  response: string,
  inResponseTo: string | undefined,
  nowMillis: number,
): Promise<Verification> {
  const { SAML, SamlStrategy, ValidateInResponseTo } = await library();
  const { always, ifPresent } = ValidateInResponseTo;
  let assertion: string | undefined;
  class Verifier extends SAML {
    // Called when the signature is valid, before times and audience are checked; so the reason of a rejection stays known.
    protected override processValidlySignedAssertionAsync(xml: string, around: string, answered: string | null) {
      assertion = xml;
      return super.processValidlySignedAssertionAsync(xml, around, answered);
    }
  }
  const saml = new Verifier({
    ...configOf(parties),
    validateInResponseTo: inResponseTo === undefined ? ifPresent : always,
    cacheProvider: singleRequestCache(inResponseTo, nowMillis),
  });
  const rejection = await new SamlStrategy(saml).rejection(response);
  return { assertion, rejection };
}

/**
 * Wraps a decrypted assertion in a response, in base64. The response declares only a prefix of its own, so that the signature
 * of the assertion is verified as if the decrypted assertion stood alone.
 */
export function wrapAssertion(assertion: string, inResponseTo: string | undefined): string {
  const element = assertion.replace(/^<\?xml[^>]*\?>/i, '');
  const attributes = `xmlns:opened="${NAMESPACE.protocol}"${xmlAttribute('InResponseTo', inResponseTo)}`;
  return Buffer.from(`<opened:Response ${attributes}>${element}</opened:Response>`).toString('base64');
}

/** Loaded with the first login, since a service without identity providers never needs it. */
async function library() {
  const [{ SAML, ValidateInResponseTo }, { SamlStrategy }] = await Promise.all([
    import('@node-saml/passport-saml'),
    import('./saml-strategy.js'),
  ]);
  return { SAML, SamlStrategy, ValidateInResponseTo };
}

/**
 * Tells the library which request may be answered. One statement of the database ensures that it is answered only once,
 * because the library reads first and removes afterwards.
 */
function singleRequestCache(id: string | undefined, nowMillis: number): CacheProvider {
  const requestedAt = new Date(nowMillis).toISOString();
  return {
    saveAsync: () => Promise.resolve(null),
    getAsync: (requested) => Promise.resolve(requested === id ? requestedAt : null),
    removeAsync: () => Promise.resolve(null),
  };
}

/** Overrides every default of the library that would weaken a check (authentication.md 2.10). */
function configOf({ trust, sp, rules }: Parties): SamlConfig {
  const { keys } = sp;
  return {
    idpIssuer: trust.entityId,
    idpCert: [...trust.certificates],
    entryPoint: trust.sso.url,
    issuer: sp.entityId,
    audience: sp.entityId,
    callbackUrl: sp.acsUrl,
    identifierFormat: rules.nameIdFormat,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: rules.signedResponse,
    acceptedClockSkewMs: rules.clockSkewMillis,
    maxAssertionAgeMs: rules.maxAgeMillis,
    requestIdExpirationPeriodMs: rules.maxAgeMillis,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    skipRequestCompression: trust.sso.binding === 'post',
    // Without decryptionPvk, the library never decrypts: encrypted-assertion.ts does, with other algorithms.
    ...(keys && { privateKey: keys.privateKey, publicCert: keys.certificate }),
  };
}
