import { createHash } from 'node:crypto';
import { type CborValue, encodeCbor } from './cbor.js';

/** The members of PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.1.9) that an authenticator uses. */
export interface CreationOptionsJson {
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
  readonly pubKeyCredParams: readonly { readonly alg: number }[];
  readonly excludeCredentials?: readonly { readonly id: string }[];
  readonly authenticatorSelection?: { readonly userVerification?: string };
  readonly attestation?: string;
}

/** The members of PublicKeyCredentialRequestOptionsJSON that an authenticator uses. */
export interface RequestOptionsJson {
  readonly challenge: string;
  readonly rpId?: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
  readonly userVerification?: string;
}

interface CredentialJson<R> {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly authenticatorAttachment: 'platform' | 'cross-platform';
  readonly clientExtensionResults: Readonly<Record<string, never>>;
  readonly response: R;
}

/** RegistrationResponseJSON (WebAuthn level 3, section 5.1.8). */
export type RegistrationJson = CredentialJson<{
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly authenticatorData: string;
  readonly transports: string[];
  readonly publicKeyAlgorithm: number;
  readonly publicKey: string;
}>;

/** AuthenticationResponseJSON (WebAuthn level 3, section 5.1.8). */
export type AssertionJson = CredentialJson<{
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
}>;

/** Bits of the flags in authenticator data (WebAuthn section 6.1). */
const FLAG_BITS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40, ed: 0x80 } as const;

/** User present, user verified, backup eligible, backed up, attested credential data, extension data. */
type Flags = Readonly<Record<keyof typeof FLAG_BITS, boolean>>;

/** Deviations of a browser or an authenticator from the specification; a signature covers the changed data. */
export interface MessageOverrides {
  /** Members of the client data: others, further ones, or `undefined` for none. */
  readonly clientData?: Members;
  /** Changes the JSON text of the client data. */
  readonly clientDataText?: (json: string) => string | Buffer;
  /** The RP ID that is hashed. */
  readonly rpId?: string;
  readonly flags?: Partial<Flags>;
  readonly counter?: number;
  /** Outputs of authenticator extensions; sets their flag. */
  readonly extensions?: CborValue;
  /** Changes the bytes of the authenticator data. */
  readonly authenticatorData?: (bytes: Buffer) => Buffer;
  /** Replaces the id of the credential: `id` and `rawId`, and at a registration the id in the authenticator data. */
  readonly credentialId?: string;
  /** Members of the credential, by name; `undefined` removes one. */
  readonly members?: Members;
  /** Members of its `response`, by name; `undefined` removes one. They are not signed. */
  readonly response?: Members | ((own: OwnMembers) => Members);
}

type Members = Readonly<Record<string, unknown>>;

/** The members of `response` in both ceremonies. */
export interface OwnMembers {
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
}

/** Client data as browsers serialize it (WebAuthn section 5.8.1.1). */
export function clientDataOf(type: string, challenge: string, origin: string, overrides: MessageOverrides): Buffer {
  const json = JSON.stringify({ type, challenge, origin, crossOrigin: false, ...overrides.clientData });
  return Buffer.from(overrides.clientDataText?.(json) ?? json);
}

export interface AuthenticatorState {
  readonly rpId: string;
  readonly flags: Omit<Flags, 'at' | 'ed'>;
  readonly counter: number;
  /** Attested credential data. */
  readonly attested?: Buffer;
}

/** Authenticator data (WebAuthn section 6.1). */
export function authenticatorDataOf(state: AuthenticatorState, overrides: MessageOverrides): Buffer {
  const { attested = Buffer.of() } = state;
  const { extensions, rpId = state.rpId } = overrides;
  const flags = { ...state.flags, at: attested.length > 0, ed: extensions !== undefined, ...overrides.flags };
  const fixed = Buffer.alloc(5, bitsOf(flags));
  fixed.writeUInt32BE(overrides.counter ?? state.counter, 1);
  const extended = extensions === undefined ? Buffer.of() : encodeCbor(extensions);
  const bytes = Buffer.concat([sha256(rpId), fixed, attested, extended]);
  return overrides.authenticatorData?.(bytes) ?? bytes;
}

/** Attested credential data (WebAuthn section 6.5.1). */
export function attestedDataOf(aaguid: string, credentialId: string, publicKey: Buffer): Buffer {
  const id = Buffer.from(credentialId, 'base64url');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  return Buffer.concat([Buffer.from(aaguid.replaceAll('-', ''), 'hex'), length, id, publicKey]);
}

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

/** The credential with the members that are to replace its own. */
export function withOverrides<R extends OwnMembers>(
  json: CredentialJson<R>,
  { members, response }: MessageOverrides,
): CredentialJson<R> {
  const replaced = typeof response === 'function' ? response(json.response) : response;
  return { ...json, response: { ...json.response, ...replaced }, ...members };
}

function bitsOf(flags: Flags): number {
  return Object.entries(FLAG_BITS).reduce((bits, [flag, bit]) => (flags[flag as keyof Flags] ? bits | bit : bits), 0);
}
