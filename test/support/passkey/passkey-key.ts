import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { type CborValue, encodeCbor } from './cbor.js';

export const PASSKEY_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type PasskeyAlgorithm = (typeof PASSKEY_ALGORITHMS)[number];

/** COSE algorithm identifiers (RFC 9053 section 2, RFC 8812 section 2). */
export const COSE_ALGORITHM = { ES256: -7, RS256: -257, EdDSA: -8 } as const;

export type CoseKey = ReadonlyMap<number, CborValue>;

interface Signer {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** The key pair of a passkey. */
export class PasskeyKey {
  private constructor(
    readonly algorithm: PasskeyAlgorithm,
    private readonly pair: Signer,
  ) {}

  static generate(algorithm: PasskeyAlgorithm): PasskeyKey {
    return new PasskeyKey(algorithm, pairOf(algorithm));
  }

  /** Public key as a COSE_Key (RFC 9052 section 7). */
  get cose(): CoseKey {
    const jwk = this.pair.publicKey.export({ format: 'jwk' });
    const alg = COSE_ALGORITHM[this.algorithm];
    switch (this.algorithm) {
      case 'ES256':
        return new Map<number, CborValue>([
          [1, 2],
          [3, alg],
          [-1, 1],
          [-2, bytes(jwk, 'x')],
          [-3, bytes(jwk, 'y')],
        ]);
      case 'RS256':
        return new Map<number, CborValue>([
          [1, 3],
          [3, alg],
          [-1, bytes(jwk, 'n')],
          [-2, bytes(jwk, 'e')],
        ]);
      case 'EdDSA':
        return new Map<number, CborValue>([
          [1, 1],
          [3, alg],
          [-1, 6],
          [-2, bytes(jwk, 'x')],
        ]);
    }
  }

  /** The encoded COSE_Key, as a relying party stores it. */
  get encoded(): Buffer {
    return encodeCbor(this.cose);
  }

  /** Public key as SubjectPublicKeyInfo. */
  get spki(): Buffer {
    return this.pair.publicKey.export({ format: 'der', type: 'spki' });
  }

  /** WebAuthn section 6.5.5: signatures of ECDSA are DER; `isRaw` gives the form of JWS, which must be rejected. */
  sign(data: Uint8Array, isRaw = false): Buffer {
    const { privateKey: key } = this.pair;
    if (this.algorithm === 'ES256') return sign('sha256', data, { key, dsaEncoding: isRaw ? 'ieee-p1363' : 'der' });
    return sign(this.algorithm === 'RS256' ? 'sha256' : null, data, key);
  }
}

function pairOf(algorithm: PasskeyAlgorithm): Signer {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
    case 'EdDSA':
      return generateKeyPairSync('ed25519');
  }
}

function bytes(jwk: JsonWebKey, member: 'x' | 'y' | 'n' | 'e'): Buffer {
  return Buffer.from(jwk[member] ?? '', 'base64url');
}
