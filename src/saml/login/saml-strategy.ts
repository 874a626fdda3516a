import type * as NodeSaml from '@node-saml/node-saml';
import type { CacheProvider, SamlConfig } from '@node-saml/node-saml';
import type { RequestedContext } from './authn-context.js';
import type { IdpTrust } from '../idp/idp-trust.js';
import { NAMESPACE } from '../xml/saml-uris.js';
import type { ServiceProvider } from '../sp/service-provider.js';
import { xmlAttribute } from '../xml/xml-text.js';

/** What the keys of an identity provider say about its messages. */
export interface ValidationRules {
  readonly signedResponse: boolean;
  readonly clockSkewMillis: number;
  readonly maxAgeMillis: number;
  /** Format of NameID to ask for; null leaves it open. */
  readonly nameIdFormat: string | null;
}

/** The two sides of a conversation. */
interface Parties {
  readonly trust: IdpTrust;
  readonly sp: ServiceProvider;
  readonly rules: ValidationRules;
}

/** A login to be asked for. */
interface AuthnRequestOptions {
  readonly id: string;
  readonly relayState: string;
  readonly asked: RequestedContext;
  readonly forceAuthn: boolean;
}

/** Where a request goes, and the form to post there where it cannot be part of the URL. */
export interface OutgoingMessage {
  readonly url: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** The request of a login as its binding carries it (SAML bindings 3.4, 3.5), signed where we have a key. */
export async function buildAuthnRequest(parties: Parties, request: AuthnRequestOptions): Promise<OutgoingMessage> {
  const { classes, comparison } = request.asked;
  const { SAML } = await library();
  const saml = new SAML({
    ...configOf(parties),
    generateUniqueId: () => request.id,
    forceAuthn: request.forceAuthn,
    authnContext: [...classes],
    // Its own default asks for a password by TLS, which makes some refuse whoever did more.
    disableRequestedAuthnContext: classes.length === 0,
    racComparison: comparison,
  });
  const { url, binding } = parties.trust.sso;
  if (binding === 'redirect') return { url: await saml.getAuthorizeUrlAsync(request.relayState, undefined, {}) };
  const message = await saml.getAuthorizeMessageAsync(request.relayState);
  return { url, form: Object.fromEntries(Object.entries(message).map(([name, value]) => [name, String(value)])) };
}

/** What the library makes of a posted response. */
interface Verification {
  /** Text of the assertion, of the signed bytes alone; undefined where the signature is not good. */
  readonly assertion: string | undefined;
  /** Why it takes nothing of it, in its own words. */
  readonly fault: string | undefined;
}

/**
 * Verifies the signature of a posted response, whose assertion is in clear, and answers the text of its assertion. Of what the library says
 * beside it only that it refuses counts: it knows neither Recipient nor Destination nor the context class.
 */
export async function verifyResponse(
  parties: Parties,
  response: string,
  inResponseTo: string | undefined,
  nowMillis: number,
): Promise<Verification> {
  const { SAML, ValidateInResponseTo } = await library();
  const { always, ifPresent } = ValidateInResponseTo;
  let assertion: string | undefined;
  class Verifier extends SAML {
    // Called once the signature is good, before times and audience are judged: so it can be told which of them it was.
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
  try {
    await saml.validatePostResponseAsync({ SAMLResponse: response });
    return { assertion, fault: undefined };
  } catch (error) {
    return { assertion, fault: error instanceof Error ? error.message : 'unknown' };
  }
}

/**
 * The response in base64 whose one part is an assertion that was opened. It declares a prefix of its own alone, so that the
 * signature of the assertion is verified as over the decrypted document by itself.
 */
export function wrapAssertion(assertion: string, inResponseTo: string | undefined): string {
  const element = assertion.replace(/^<\?xml[^>]*\?>/i, '');
  const attributes = `xmlns:opened="${NAMESPACE.protocol}"${xmlAttribute('InResponseTo', inResponseTo)}`;
  return Buffer.from(`<opened:Response ${attributes}>${element}</opened:Response>`).toString('base64');
}

/** Loaded where somebody signs in, as a service without identity providers never needs it. */
async function library(): Promise<Pick<typeof NodeSaml, 'SAML' | 'ValidateInResponseTo'>> {
  return import('@node-saml/node-saml');
}

/**
 * Which request may be answered. That it is answered once is not for the library, which reads first and removes
 * afterwards, but for one statement of the database.
 */
function singleRequestCache(id: string | undefined, nowMillis: number): CacheProvider {
  const begun = new Date(nowMillis).toISOString();
  return {
    saveAsync: () => Promise.resolve(null),
    getAsync: (asked) => Promise.resolve(asked === id ? begun : null),
    removeAsync: () => Promise.resolve(null),
  };
}

/** None of its defaults is left where it would weaken a check (authentication.md 2.10). */
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
    // Without decryptionPvk: it decrypts by fewer and other algorithms than encrypted-assertion.ts, so it never decrypts.
    ...(keys && { privateKey: keys.privateKey, publicCert: keys.certificate }),
  };
}
