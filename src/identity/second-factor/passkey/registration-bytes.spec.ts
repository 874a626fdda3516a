import { describe, expect, it } from 'vitest';
import { type CborValue, encodeCbor } from '../../../../test/support/passkey/cbor.js';
import { HARMLESS_REGISTRATIONS } from '../../../../test/support/passkey/hostile-passkey-registrations.js';
import {
  type RegistrationOverrides,
  SoftwareAuthenticator,
} from '../../../../test/support/passkey/passkey-authenticator.js';
import {
  COSE_ALGORITHM,
  PASSKEY_ALGORITHMS,
  type PasskeyAlgorithm,
} from '../../../../test/support/passkey/passkey-key.js';
import type { RegistrationJson } from '../../../../test/support/passkey/passkey-messages.js';
import { strictAlgorithmOf } from './registration-bytes.js';

const SITE = { rpId: 'login.test', origin: 'https://login.test' };
const CREATION = {
  rp: { id: SITE.rpId },
  user: { id: 'dXNlcg' },
  challenge: 'Y2hhbGxlbmdl',
  pubKeyCredParams: Object.values(COSE_ALGORITHM).map((alg) => ({ alg })),
};

function registration(
  overrides: RegistrationOverrides = {},
  algorithm: PasskeyAlgorithm = 'ES256',
): ReturnType<typeof strictAlgorithmOf> {
  return strictAlgorithmOf(responseOf(new SoftwareAuthenticator({ ...SITE, algorithm }).register(CREATION, overrides)));
}

/** Transports are not read. */
function responseOf({ response, ...credential }: RegistrationJson): Parameters<typeof strictAlgorithmOf>[0] {
  const { clientDataJSON, attestationObject } = response;
  return { ...credential, response: { clientDataJSON, attestationObject } };
}

/** The attestation object with other members. */
function withMembers(...members: readonly (readonly [string, CborValue])[]): RegistrationOverrides {
  return { attestationObject: () => encodeCbor(new Map(members)) };
}

describe('strictAlgorithmOf', () => {
  it.each(PASSKEY_ALGORITHMS)('reads the algorithm %s', async (algorithm) => {
    expect(await registration({}, algorithm)).toBe(COSE_ALGORITHM[algorithm]);
  });

  it.each(HARMLESS_REGISTRATIONS)('accepts a registration with $title', async ({ overrides }) => {
    expect(await registration(overrides(SITE))).toBe(COSE_ALGORITHM.ES256);
  });

  it('accepts an id of 1023 bytes, and no longer one', async () => {
    const id = (bytes: number): string => Buffer.alloc(bytes, 1).toString('base64url');

    expect(await registration({ credentialId: id(1023) })).toBe(COSE_ALGORITHM.ES256);
    expect(await registration({ credentialId: id(1024) })).toBeUndefined();
  });

  it.each<[string, RegistrationOverrides]>([
    ['a byte after the attestation object', { attestationObject: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) }],
    ['no authenticator data', withMembers(['fmt', 'none'], ['attStmt', new Map()])],
    ['no attested data', { flags: { at: false }, authenticatorData: (bytes) => bytes.subarray(0, 37) }],
    ['another id', { members: { id: 'AAAA', rawId: 'AAAA' } }],
    ['a public key without an algorithm', { publicKey: (key) => new Map([...key].filter(([name]) => name !== 3)) }],
    ['a point that is not on the curve', { publicKey: (key) => new Map([...key, [-2, Buffer.alloc(32, 1)]]) }],
    ['a public key that is cut off', { authenticatorData: (bytes) => bytes.subarray(0, -8) }],
  ])('rejects a registration with %s', async (_, overrides) => {
    expect(await registration(overrides)).toBeUndefined();
  });
});
