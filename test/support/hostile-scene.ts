import type { Rejection } from '../../src/saml/login/rejection.js';
import type { HttpClient, RequestOptions } from './http-client.js';
import { type IdentityProvider, makeKeyPair } from './identity-provider.js';
import type { AuthnRequest } from './saml-messages.js';
import type { ResponseOptions } from './saml-response.js';
import { type KeyPair, messageId, part, replaced } from './saml-xml.js';
import type { StaffStory } from './staff-story.js';

/** A browser that really asked identity provider `corp` for a login, and what an attacker has at hand. */
export interface Scene {
  readonly staff: StaffStory;
  readonly client: HttpClient;
  readonly request: AuthnRequest;
  /** URL of a listener that nobody should call. */
  readonly lure: string;
  /** PEM of the service's certificate, which everybody has. */
  readonly certificate: string;
}

/** The XML text of a response, or the whole of what is posted. */
export type Bent = string | Pick<RequestOptions, 'form' | 'raw' | 'headers'>;

/** An answer that must be refused, made from an honest signed one. */
export interface HostileResponse {
  /** Row of security-requirements.md, such as X2, and the bend in plain words. */
  readonly title: string;
  readonly reason: Rejection;
  readonly bend: (scene: Scene) => Bent | Promise<Bent>;
}

/** Rows of one id: what is done, the reason, and how. */
export function rowsOf(
  id: string,
  rows: readonly (readonly [what: string, reason: Rejection, bend: HostileResponse['bend']])[],
): readonly HostileResponse[] {
  return rows.map(([what, reason, bend]) => ({ title: `${id}: ${what}`, reason, bend }));
}

/** Names in the honest answers that are bent. */
const IDS = { id: '_response', assertionId: '_assertion' } as const;
/** Whom the identity provider vouches for; `admin` is who the attacker wants to be. */
export const ATTACKER = 'mallory';
const VICTIM = 'admin';

export function corp({ staff }: Scene): IdentityProvider {
  return staff.idp('corp');
}

/** XML of an honest answer for the attacker. */
export function honestXml({ staff, request }: Scene, bent: Partial<ResponseOptions> = {}): string {
  return staff.response(request, { ...IDS, nameId: ATTACKER, ...bent });
}

/** An honest answer but for these parts. */
export function saying(bent: Partial<ResponseOptions>): HostileResponse['bend'] {
  // Some are so good that their ID is used up.
  return (scene) => honestXml(scene, { assertionId: messageId(), ...bent });
}

/** An honest answer with one text in place of another, after it was signed. */
export function changed(
  from: string | RegExp,
  to: string,
  bent: Partial<ResponseOptions> = {},
): HostileResponse['bend'] {
  return (scene) => replaced(honestXml(scene, bent), from, to);
}

/** What wrappings are made of. */
export interface Pieces {
  readonly response: string;
  /** Signed. */
  readonly assertion: string;
  readonly signature: string;
  /** The assertion without its signature. */
  readonly bare: string;
  /** The same for the victim, under another ID. */
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

/** What the pieces of an honest answer are put together to. */
export function rebuilt(
  build: (pieces: Pieces) => string,
  bent: Partial<ResponseOptions> = {},
): HostileResponse['bend'] {
  return (scene) => build(piecesOf(honestXml(scene, bent)));
}

/** Bent before it is signed: what a provider that is honest to somebody else may say. */
export function asserting(
  bend: (assertion: string) => string,
  more: Partial<ResponseOptions> = {},
): HostileResponse['bend'] {
  return saying({ ...more, bendAssertion: bend });
}

let own: KeyPair | undefined;

/** A key that the attacker made. */
export function attackersKey(): KeyPair {
  own ??= makeKeyPair('mallory');
  return own;
}
