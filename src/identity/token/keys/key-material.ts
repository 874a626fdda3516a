import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPair,
  type JsonWebKey,
  createHmac,
  type KeyObject,
  sign,
} from 'node:crypto';
import { promisify } from 'node:util';

/** Algorithms of access tokens (RFC 7518 section 3.1, RFC 8037). */
export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

type CryptoKey = ReturnType<KeyObject['toCryptoKey']>;

/** An imported key with its algorithm and id. */
export interface UsableKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm | 'HS256';
  /** Returns the signature of the input (RFC 7518 section 3); absent if only the public part is known. */
  readonly sign?: (input: Buffer) => Buffer | Promise<Buffer>;
  readonly verifies: CryptoKey;
  /** RFC 7517, public members only; absent for a shared secret, which is published nowhere. */
  readonly jwk?: PublicJwk;
}

export type PublicJwk = Readonly<Record<string, string>>;

/** Web Crypto parameters of each algorithm, and its public members (RFC 7517). */
const PARAMETERS = {
  ES256: { web: { name: 'ECDSA', namedCurve: 'P-256' }, members: ['kty', 'crv', 'x', 'y'] },
  EdDSA: { web: { name: 'Ed25519' }, members: ['kty', 'crv', 'x'] },
  RS256: { web: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, members: ['kty', 'n', 'e'] },
} as const;

const signInThread = promisify(sign);

const RSA_BITS = 3072;
const MIN_RSA_BITS = 2048;

/** A new private key, PKCS #8 in DER. */
export async function newPrivateKey(algorithm: SigningAlgorithm): Promise<Buffer> {
  const { privateKey } = await generated(algorithm);
  return privateKey.export({ format: 'der', type: 'pkcs8' });
}

function generated(algorithm: SigningAlgorithm): Promise<{ readonly privateKey: KeyObject }> {
  const generate = promisify(generateKeyPair);
  switch (algorithm) {
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' });
    case 'EdDSA':
      return generate('ed25519');
    case 'RS256':
      return generate('rsa', { modulusLength: RSA_BITS });
  }
}

/** @throws Error if the bytes are not a private key for a supported algorithm */
export function keyOfDer(pkcs8: Buffer): UsableKey {
  return keyOf(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
}

/**
 * The key of a PEM text, private or public; its algorithm follows from its kind.
 * @throws Error if the text is not such a key; the message repeats nothing of the text
 */
export function keyOfPem(pem: string): UsableKey {
  const isPrivate = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem);
  return keyOf(isPrivate ? createPrivateKey(pem) : createPublicKey(pem));
}

/** Imports a symmetric secret, for tokens that only this service reads. */
export function keyOfSecret(kid: string, secret: Uint8Array): UsableKey {
  const key = createSecretKey(secret);
  return {
    kid,
    algorithm: 'HS256',
    sign: (input) => createHmac('sha256', key).update(input).digest(),
    verifies: key.toCryptoKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['verify']),
  };
}

function keyOf(key: KeyObject): UsableKey {
  const algorithm = algorithmOf(key);
  const { web, members } = PARAMETERS[algorithm];
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const exported = publicKey.export({ format: 'jwk' });
  const needed = Object.fromEntries(members.map((member) => [member, String(exported[member])]));
  const kid = thumbprint(needed);
  return {
    kid,
    algorithm,
    ...(key.type === 'private' && { sign: signer(key, algorithm) }),
    verifies: publicKey.toCryptoKey(web, true, ['verify']),
    jwk: { ...needed, kid, alg: algorithm, use: 'sig' },
  };
}

/** A signature on a curve takes less time than its hand-over to another thread, unlike one by RSA. */
function signer(key: KeyObject, algorithm: SigningAlgorithm): NonNullable<UsableKey['sign']> {
  switch (algorithm) {
    case 'ES256':
      return (input) => joseSignatureOf(sign('sha256', input, key));
    case 'EdDSA':
      return (input) => sign(null, input, key);
    case 'RS256':
      return (input) => signInThread('sha256', input, key);
  }
}

/** Bytes of each of the two numbers of a signature on P-256. */
const NUMBER_BYTES = 32;

/**
 * The form of RFC 7518 section 3.4, two numbers of constant length, from DER (RFC 3279 section 2.2.3). Node can convert it, too
 * (`dsaEncoding`), but takes longer for that than for the signature itself.
 */
function joseSignatureOf(der: Buffer): Buffer {
  const lengthOfFirst = der.readUInt8(3);
  const [first, second] = [der.subarray(4, 4 + lengthOfFirst), der.subarray(6 + lengthOfFirst)];
  const signature = Buffer.alloc(2 * NUMBER_BYTES);
  for (const [index, number] of [first, second].entries()) {
    // DER has a zero in front of a number whose first bit is set, and leaves out other zeros.
    const bytes = number.subarray(-NUMBER_BYTES);
    signature.set(bytes, (index + 1) * NUMBER_BYTES - bytes.length);
  }
  return signature;
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256';
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS) return 'RS256';
  throw new Error('neither an EC key on P-256, nor an Ed25519 key, nor an RSA key of 2048 bits or more');
}

/** RFC 7638: SHA-256 of the required members in alphabetical order. */
function thumbprint(required: JsonWebKey): string {
  const members = Object.entries(required).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url');
}
