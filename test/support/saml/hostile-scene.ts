import type { SamlRejection } from '../../../src/signin/saml/login/rejection.js';
import type { HttpClient, RequestOptions } from '../http/http-client.js';
import { type IdentityProvider, makeKeyPair } from './identity-provider.js';
import type { AuthnRequest } from './saml-messages.js';
import type { ResponseOptions } from './saml-response.js';
import { type KeyPair, messageId, part, replaced } from './saml-xml.js';
import type { StaffStory } from './staff-story.js';

/** A browser with a genuine request to identity provider `corp`, and what an attacker knows. */
export interface Scene {
  readonly staff: StaffStory;
  readonly client: HttpClient;
  readonly request: AuthnRequest;
  /** URL of a listener that must not be called. */
  readonly lure: string;
  /** PEM of the certificate of the service, which is public. */
  readonly certificate: string;
}

/** The XML text of a response, or the whole form. */
export type Bent = string | Pick<RequestOptions, 'form' | 'raw' | 'headers'>;

/** A response that must be rejected, derived from a genuine signed one. */
export interface HostileResponse {
  /** Id from security-requirements.md, such as X2, and a noun phrase for the alteration. */
  readonly title: string;
  readonly reason: SamlRejection;
  readonly bend: (scene: Scene) => Bent | Promise<Bent>;
}

/** Rows of one id: the alteration in words, the expected reason, and the function that makes it. */
export function rowsOf(
  id: string,
  rows: readonly (readonly [what: string, reason: SamlRejection, bend: HostileResponse['bend']])[],
): readonly HostileResponse[] {
  return rows.map(([what, reason, bend]) => ({ title: `${id}: ${what}`, reason, bend }));
}

/** IDs in the genuine responses before they are altered. */
const IDS = { id: '_response', assertionId: '_assertion' } as const;
/** The user that the identity provider authenticates; the attacker wants to be `admin`. */
export const ATTACKER = 'mallory';
const VICTIM = 'admin';

export function corp({ staff }: Scene): IdentityProvider {
  return staff.idp('corp');
}

/** XML of a genuine response for the attacker. */
export function honestXml({ staff, request }: Scene, bent: Partial<ResponseOptions> = {}): string {
  return staff.response(request, { ...IDS, nameId: ATTACKER, ...bent });
}

/** A genuine response with some parts replaced. */
export function saying(bent: Partial<ResponseOptions>): HostileResponse['bend'] {
  // A new ID each time, since a response that passes the replay check uses up its ID.
  return (scene) => honestXml(scene, { assertionId: messageId(), ...bent });
}

/** A genuine response in which one text is replaced after signing. */
export function changed(
  from: string | RegExp,
  to: string,
  bent: Partial<ResponseOptions> = {},
): HostileResponse['bend'] {
  return (scene) => replaced(honestXml(scene, bent), from, to);
}

/** The parts from which wrapping attacks are built. */
export interface Pieces {
  readonly response: string;
  /** The signed assertion. */
  readonly assertion: string;
  readonly signature: string;
  /** The assertion without its signature. */
  readonly bare: string;
  /** The assertion without its signature, for the victim and with another ID. */
  readonly forged: string;
}

export function piecesOf(response: string): Pieces {
  const assertion = part(response, 'saml:Assertion');
  const signature = part(assertion, 'ds:Signature');
  const bare = replaced(assertion, signature, '');
  return { response, assertion, signature, bare, forged: forgedFrom(bare) };
}

export function forgedFrom(assertion: string): string {
  return replaced(replaced(assertion, `"${IDS.assertionId}"`, '"_forged"'), `>${ATTACKER}<`, `>${VICTIM}<`);
}

/** Builds a response from the pieces of a genuine one. */
export function rebuilt(
  build: (pieces: Pieces) => string,
  bent: Partial<ResponseOptions> = {},
): HostileResponse['bend'] {
  return (scene) => build(piecesOf(honestXml(scene, bent)));
}

/** Alters the assertion before it is signed. */
export function asserting(
  bend: (assertion: string) => string,
  more: Partial<ResponseOptions> = {},
): HostileResponse['bend'] {
  return saying({ ...more, bendAssertion: bend });
}

let own: KeyPair | undefined;

/** A key of the attacker. */
export function attackersKey(): KeyPair {
  own ??= makeKeyPair('mallory');
  return own;
}
