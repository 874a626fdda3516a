import { type CborValue, encodeCbor, head } from './cbor.js';
import {
  EVIL_ORIGIN,
  EXTENSION_OUTPUTS,
  HARMLESS_MESSAGES,
  type Hostile,
  HOSTILE_MESSAGES,
  hostileRows,
  UNCHECKED_MESSAGES,
} from './hostile-passkey-messages.js';
import type { RegistrationOverrides } from './passkey-authenticator.js';
import { type CoseKey, PasskeyKey } from './passkey-key.js';

/** A public key with other members. */
function publicKey(...members: readonly (readonly [number, CborValue])[]): RegistrationOverrides {
  return { publicKey: (key: CoseKey) => new Map([...key, ...members]) };
}

const ATTESTATION_OBJECTS = hostileRows<RegistrationOverrides>([
  ['the type of an assertion', { clientData: { type: 'webauthn.get' } }],
  ['an empty attestation object', { attestationObject: () => Buffer.of() }],
  ['half an attestation object', { attestationObject: (bytes) => bytes.subarray(0, bytes.length / 2) }],
  ['an attestation object that is a text', { attestationObject: () => encodeCbor('none') }],
  ['an attestation object that is an empty map', { attestationObject: () => head(5, 0) }],
  ['an attestation object that claims 4 billion members', { attestationObject: () => head(5, 0xffff_ffff) }],
  ['5,000 nested lists as attestation object', { attestationObject: () => Buffer.alloc(5_000, 0x81) }],
  ['an attestation object that is JSON', { attestationObject: () => Buffer.from('{"fmt":"none"}') }],
  ['an unknown format', { format: 'homemade' }],
  ['no attestation object', { response: { attestationObject: undefined } }],
]);

const STATEMENTS = hostileRows<RegistrationOverrides>([
  ['a statement without attestation', { attestation: 'none', statement: { sig: Buffer.of(1) } }],
  ['a self attestation without a signature', { attestation: 'packed-self', statement: { sig: Buffer.of() } }],
  ['a self attestation of another key', () => ({ attestation: 'packed-self', signer: PasskeyKey.generate('ES256') })],
  ['a self attestation with an unknown algorithm', { attestation: 'packed-self', statement: { alg: -9999 } }],
  ['a self attestation with an empty list of certificates', { attestation: 'packed-self', statement: { x5c: [] } }],
  [
    'a self attestation with a certificate that is none',
    { attestation: 'packed-self', statement: { x5c: [Buffer.of(0x30, 0)] } },
  ],
]);

const ATTESTED_DATA = hostileRows<RegistrationOverrides>([
  ['no attested data', { flags: { at: false }, authenticatorData: (bytes) => bytes.subarray(0, 37) }],
  ['attested data without its flag', { flags: { at: false } }],
  ['the flag of attested data without any', { authenticatorData: (bytes) => bytes.subarray(0, 37) }],
  ['attested data that ends in the AAGUID', { authenticatorData: (bytes) => bytes.subarray(0, 45) }],
  ['an id longer than the data', { authenticatorData: (bytes) => withIdLength(bytes, 0xffff) }],
  ['a public key that is a text', { publicKey: () => 'key' }],
  ['a public key without members', { publicKey: () => new Map() }],
  ['a public key with an algorithm that was not offered', publicKey([3, -259])],
  ['a public key with a text as algorithm', publicKey([3, 'ES256'])],
  ['a public key without an algorithm', { publicKey: (key) => new Map([...key].filter(([name]) => name !== 3)) }],
]);

/** Registrations that the library rejects, from an authenticator with ES256. */
export const HOSTILE_REGISTRATIONS: readonly Hostile<RegistrationOverrides>[] = [
  ...HOSTILE_MESSAGES,
  ...ATTESTATION_OBJECTS,
  ...STATEMENTS,
  ...ATTESTED_DATA,
];

/** Registrations that the library accepts and the service must reject. */
export const UNCHECKED_REGISTRATIONS: readonly Hostile<RegistrationOverrides>[] = [
  ...UNCHECKED_MESSAGES,
  ...hostileRows<RegistrationOverrides>([
    ['a frame in a page of another origin', { clientData: { crossOrigin: true, topOrigin: EVIL_ORIGIN } }],
    ['a page around it that is in no frame', { clientData: { crossOrigin: false, topOrigin: EVIL_ORIGIN } }],
    ['an id of 1,024 bytes', { credentialId: Buffer.alloc(1_024, 1).toString('base64url') }],
    ['an attestation object without its last byte', { attestationObject: (bytes) => bytes.subarray(0, -1) }],
    ['a public key without its last 8 bytes', { authenticatorData: (bytes) => bytes.subarray(0, -8) }],
    ['an id that is not in the attested data', () => differentId()],
    [
      'an attestation object with a byte after it',
      { attestationObject: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) },
    ],
    [
      'an attestation object with 64 KiB after it',
      { attestationObject: (bytes) => Buffer.concat([bytes, Buffer.alloc(65_536)]) },
    ],
    ['a point that is not on the curve', publicKey([-2, Buffer.alloc(32, 1)], [-3, Buffer.alloc(32, 2)])],
    ['a public key on an unknown curve', publicKey([-1, 99])],
    ['a public key of another type than its algorithm', publicKey([1, 3])],
    ['an algorithm that does not fit the curve', publicKey([3, -257])],
  ]),
];

/** Unusual registrations that a site must accept. */
export const HARMLESS_REGISTRATIONS: readonly Hostile<RegistrationOverrides>[] = [
  ...HARMLESS_MESSAGES,
  ...EXTENSION_OUTPUTS,
];

function differentId(): RegistrationOverrides {
  const id = Buffer.alloc(16, 9).toString('base64url');
  return { members: { id, rawId: id } };
}

/** The length of the id follows RP ID hash, flags, counter and AAGUID. */
function withIdLength(bytes: Buffer, length: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt16BE(length, 53);
  return changed;
}
