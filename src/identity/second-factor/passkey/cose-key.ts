import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** Labels and values of COSE keys (RFC 9052 section 7.1, RFC 9053 section 7). */
export const ALG = 3;
const LABEL = { kty: 1, crv: -1, x: -2, y: -3, n: -1, e: -2 } as const;
const KTY = { okp: 1, ec2: 2, rsa: 3 } as const;
const CRV = { p256: 1, ed25519: 6 } as const;
const [SMALLEST_MODULUS, LARGEST_MODULUS] = [2048, 4096];
/** With an exponent of 1, a signature needs no private key; a large one makes each verification slow. */
const [SMALLEST_EXPONENT, LARGEST_EXPONENT] = [3n, 0xffff_ffffn];

/** Algorithms of new passkeys (COSE, RFC 9053): EdDSA, ES256 and RS256, in the order in which authenticators are asked. */
export const ALGORITHMS = [-8, -7, -257] as const;

/**
 * The public key that a COSE key describes. Undefined unless its members fit one of `ALGORITHMS` and it is a key of that
 * type: for elliptic curves a point of the curve, for RSA 2048 to 4096 bits and an odd exponent from 3 to 2³².
 */
export function publicKeyOf(cose: ReadonlyMap<unknown, unknown>): KeyObject | undefined {
  const jwk = jwkOf(cose);
  if (!jwk) return undefined;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
    return modulusLength === undefined || isFitting(modulusLength, publicExponent) ? key : undefined;
  } catch {
    return undefined;
  }
}

function isFitting(modulusLength: number, exponent = 0n): boolean {
  const isSized = SMALLEST_MODULUS <= modulusLength && modulusLength <= LARGEST_MODULUS;
  return isSized && SMALLEST_EXPONENT <= exponent && exponent <= LARGEST_EXPONENT && exponent % 2n === 1n;
}

function jwkOf(cose: ReadonlyMap<unknown, unknown>): JsonWebKey | undefined {
  const text = (name: keyof typeof LABEL): string => {
    const bytes = cose.get(LABEL[name]);
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64url') : '';
  };
  const type = cose.get(LABEL.kty);
  const curve = cose.get(LABEL.crv);
  switch (cose.get(ALG)) {
    case -7:
      if (type !== KTY.ec2 || curve !== CRV.p256) return undefined;
      return { kty: 'EC', crv: 'P-256', x: text('x'), y: text('y') };
    case -8:
      if (type !== KTY.okp || curve !== CRV.ed25519) return undefined;
      return { kty: 'OKP', crv: 'Ed25519', x: text('x') };
    case -257:
      return type === KTY.rsa ? { kty: 'RSA', n: text('n'), e: text('e') } : undefined;
    default:
      return undefined;
  }
}
