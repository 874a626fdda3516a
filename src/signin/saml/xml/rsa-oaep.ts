import { constants, createHash, type KeyObject, privateDecrypt } from 'node:crypto';

export type OaepHash = 'sha1' | 'sha256';

/** The two hashes of RSAES-OAEP (RFC 8017, 7.1): that of the label and that of the mask generation function MGF1. */
export interface OaepHashes {
  readonly digest: OaepHash;
  readonly mask: OaepHash;
}

const HASH_BYTES: Readonly<Record<OaepHash, number>> = { sha1: 20, sha256: 32 };

/** Decrypts a key that was wrapped with an empty label. @throws Error the same one for every invalid ciphertext */
export function oaepDecrypt(privateKey: KeyObject, wrapped: Buffer, { digest, mask }: OaepHashes): Buffer {
  if (digest === mask) {
    return privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: digest }, wrapped);
  }
  // node:crypto uses one hash for both, so the padding of a mixed pair is removed here.
  const padded = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, wrapped);
  return unpad(padded, { digest, mask });
}

/**
 * Decodes EME-OAEP (RFC 8017, 7.1.2, step 3). Every check runs over the whole block without a branch, because a sender who
 * learns which one failed can decrypt other messages (Manger, 2001).
 */
function unpad(padded: Buffer, { digest, mask }: OaepHashes): Buffer {
  const hashBytes = HASH_BYTES[digest];
  const maskedBlock = padded.subarray(1 + hashBytes);
  const seed = xor(padded.subarray(1, 1 + hashBytes), mgf1(mask, maskedBlock, hashBytes));
  const block = xor(maskedBlock, mgf1(mask, seed, maskedBlock.length));
  const label = createHash(digest).digest();
  let invalid = byteAt(padded, 0);
  for (let at = 0; at < hashBytes; at += 1) invalid |= byteAt(block, at) ^ byteAt(label, at);
  let isFound = 0;
  let end = 0;
  for (let at = hashBytes; at < block.length; at += 1) {
    const isZero = isEqual(byteAt(block, at), 0);
    const isOne = isEqual(byteAt(block, at), 1);
    end |= at * (isOne & (1 - isFound));
    invalid |= (1 - isFound) & (1 - isZero) & (1 - isOne);
    isFound |= isOne;
  }
  invalid |= 1 - isFound;
  if (invalid !== 0) throw new Error('invalid padding');
  return block.subarray(end + 1);
}

/** RFC 8017, B.2.1. */
function mgf1(hash: OaepHash, seed: Buffer, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0; counter * HASH_BYTES[hash] < length; counter += 1) {
    const octets = Buffer.alloc(4);
    octets.writeUInt32BE(counter);
    parts.push(createHash(hash).update(seed).update(octets).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ byteAt(other, at)));
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

/** 1 or 0, without a branch. */
function isEqual(one: number, other: number): number {
  return ((one ^ other) - 1) >>> 31;
}
