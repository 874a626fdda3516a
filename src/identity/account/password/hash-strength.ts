import type { Digest, PasswordHash } from './password-hash.js';

/** Minimum cost of an imported hash, from none to the OWASP minimum. */
export const HASH_FLOORS = ['any', 'common', 'owasp'] as const;
export type HashFloor = (typeof HASH_FLOORS)[number];

/** Memory in KiB and passes, each as strong as the others (OWASP Password Storage Cheat Sheet, Argon2id). */
export const OWASP_ARGON2 = [
  { memoryKib: 47_104, iterations: 1 },
  { memoryKib: 19_456, iterations: 2 },
  { memoryKib: 12_288, iterations: 3 },
  { memoryKib: 9_216, iterations: 4 },
  { memoryKib: 7_168, iterations: 5 },
];
/** N and p with r = 8, each as strong as the others (same page). */
const OWASP_SCRYPT = [
  { cost: 2 ** 17, parallelism: 1 },
  { cost: 2 ** 16, parallelism: 2 },
  { cost: 2 ** 15, parallelism: 3 },
  { cost: 2 ** 14, parallelism: 5 },
  { cost: 2 ** 13, parallelism: 10 },
];
const OWASP_PBKDF2: Readonly<Record<Digest, number>> = { sha1: 1_300_000, sha256: 600_000, sha512: 210_000 };

/** Least values among the defaults that frameworks have used since about 2015. */
const COMMON = { argon2Work: 3 * 4096, bcryptCost: 10, scryptWork: 2 ** 14 * 8, pbkdf2Iterations: 10_000 };

/** RFC 8018 section 4.1. Without a salt of this length, one table of guesses serves for many hashes. */
const LEAST_SALT_BYTES = 8;

/** True if the hash costs at least as much as `floor` demands. */
export function meetsFloor(hash: PasswordHash, floor: HashFloor): boolean {
  if (floor === 'any') return true;
  // The forms of the other schemes have no shorter salt.
  if (hash.scheme === 'pbkdf2' && hash.salt.length < LEAST_SALT_BYTES) return false;
  return floor === 'common' ? isCommon(hash) : meetsOwasp(hash);
}

function isCommon(hash: PasswordHash): boolean {
  switch (hash.scheme) {
    case 'argon2':
      return hash.memoryKib * hash.iterations >= COMMON.argon2Work;
    case 'bcrypt':
      return hash.cost >= COMMON.bcryptCost;
    case 'scrypt':
      return hash.cost * hash.blockSize * hash.parallelism >= COMMON.scryptWork;
    case 'pbkdf2':
      return hash.iterations >= COMMON.pbkdf2Iterations;
  }
}

function meetsOwasp(hash: PasswordHash): boolean {
  switch (hash.scheme) {
    case 'argon2':
      return (
        hash.variant === 'argon2id' &&
        OWASP_ARGON2.some(({ memoryKib, iterations }) => hash.memoryKib >= memoryKib && hash.iterations >= iterations)
      );
    case 'bcrypt':
      return hash.cost >= COMMON.bcryptCost;
    case 'scrypt':
      return OWASP_SCRYPT.some(
        ({ cost, parallelism }) => hash.blockSize >= 8 && hash.cost >= cost && hash.parallelism >= parallelism,
      );
    case 'pbkdf2':
      return hash.iterations >= OWASP_PBKDF2[hash.digest];
  }
}
