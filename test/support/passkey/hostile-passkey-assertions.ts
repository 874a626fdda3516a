import {
  EVIL_ORIGIN,
  EXTENSION_OUTPUTS,
  type Hostile,
  HOSTILE_MESSAGES,
  hostileRows,
  setFlag,
  UNCHECKED_MESSAGES,
} from './hostile-passkey-messages.js';
import type { AssertionOverrides } from './passkey-authenticator.js';
import { PasskeyKey } from './passkey-key.js';

function signedBy(algorithm: PasskeyKey['algorithm']): () => AssertionOverrides {
  return () => ({ signer: PasskeyKey.generate(algorithm) });
}

const SIGNATURES = hostileRows<AssertionOverrides>([
  ['a signature with another key', signedBy('ES256')],
  ['a signature with RS256', signedBy('RS256')],
  ['a signature with EdDSA', signedBy('EdDSA')],
  ['a signature without DER', { isRawSignature: true }],
  ['an empty signature', { signature: () => Buffer.of() }],
  ['half a signature', { signature: (bytes) => bytes.subarray(0, bytes.length / 2) }],
  ['a signature of zeros', { signature: () => Buffer.from('3006020100020100', 'hex') }],
  ['a signature of ones', { signature: () => Buffer.from('3006020101020101', 'hex') }],
  ['a signature of 64 KiB', { signature: () => Buffer.alloc(65_536, 0x30) }],
  ['a changed signature', { signature: (bytes) => flipped(bytes, bytes.length - 1) }],
  [
    'client data that was changed after signing',
    { response: ({ clientDataJSON }) => ({ clientDataJSON: changed(clientDataJSON, spaced) }) },
  ],
  [
    'a user verification that was not signed',
    {
      flags: { uv: false },
      response: ({ authenticatorData }) => ({ authenticatorData: changed(authenticatorData, verified) }),
    },
  ],
  ['a signature with characters outside base64url', { response: { signature: '!!' } }],
  ['authenticator data with characters outside base64url', { response: { authenticatorData: '!!' } }],
  [
    'client data in base64 with padding',
    { response: ({ clientDataJSON }) => ({ clientDataJSON: `${clientDataJSON}==` }) },
  ],
  ['a signature with a line break', { response: { signature: 'MAYCAQECAQE\n' } }],
  ['no signature', { response: { signature: undefined } }],
  ['no authenticator data', { response: { authenticatorData: undefined } }],
  ['a user handle that is a number', { response: { userHandle: 7 } }],
]);

const CEREMONY = hostileRows<AssertionOverrides>([
  ['the type of a registration', { clientData: { type: 'webauthn.create' } }],
  ['a frame in a page of another origin', { clientData: { crossOrigin: true, topOrigin: EVIL_ORIGIN } }],
  ['a page around it that is in no frame', { clientData: { crossOrigin: false, topOrigin: EVIL_ORIGIN } }],
  ['the flag of attested data without any', { flags: { at: true } }],
  ['a counter that does not move', { counter: 0 }],
]);

/** Assertions that the library rejects, from an authenticator with ES256 whose stored counter is above zero. */
export const HOSTILE_ASSERTIONS: readonly Hostile<AssertionOverrides>[] = [
  ...HOSTILE_MESSAGES,
  ...CEREMONY,
  ...SIGNATURES,
];

/** Assertions that the library accepts and the service must reject, from a device-bound authenticator. */
export const UNCHECKED_ASSERTIONS: readonly Hostile<AssertionOverrides>[] = [
  ...UNCHECKED_MESSAGES,
  ...EXTENSION_OUTPUTS,
  ...hostileRows<AssertionOverrides>([
    ['a passkey that has become backup eligible', { flags: { be: true } }],
    ['a passkey that has become synced', { flags: { be: true, bs: true } }],
    ['the user handle of another user', { response: { userHandle: Buffer.from('another').toString('base64url') } }],
    ['the id of another passkey', { credentialId: Buffer.alloc(16, 9).toString('base64url') }],
  ]),
];

function changed(member: string, change: (bytes: Buffer) => Buffer): string {
  return change(Buffer.from(member, 'base64url')).toString('base64url');
}

function spaced(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.from(' ')]);
}

function verified(bytes: Buffer): Buffer {
  return setFlag(bytes, 0x04);
}

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  return changed;
}
