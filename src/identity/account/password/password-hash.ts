/** A stored hash that can be verified, with the parameters of its scheme; `text` is the input of a library. */
export type PasswordHash =
  | {
      readonly scheme: 'argon2';
      readonly variant: 'argon2id' | 'argon2i' | 'argon2d';
      readonly version: number;
      readonly memoryKib: number;
      readonly iterations: number;
      readonly text: string;
    }
  | { readonly scheme: 'bcrypt'; readonly cost: number; readonly text: string }
  | ({
      readonly scheme: 'scrypt';
      readonly cost: number;
      readonly blockSize: number;
      readonly parallelism: number;
    } & Salted)
  | ({ readonly scheme: 'pbkdf2'; readonly digest: Digest; readonly iterations: number } & Salted);

interface Salted {
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

export type Digest = 'sha1' | 'sha256' | 'sha512';

/** Cost of new hashes (Argon2id, RFC 9106). */
export interface HashCost {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

/** Length of the column. */
const MAX_LENGTH = 512;
const MAX_MEMORY_KIB = 256 * 1024;
/** Memory times passes, 2 GiB: about half a second. */
const MAX_ARGON2_WORK = 2 * 1024 * 1024;
/** 2^13 rounds take about half a second. */
const MAX_BCRYPT_COST = 13;
/** N times r times p; 2^21 take about three quarters of a second. */
const MAX_SCRYPT_WORK = 2 ** 21;
/** Rounds times blocks; SHA-512 takes about a third of a second for a million. */
const MAX_PBKDF2_WORK = 2_000_000;
/** bcrypt reads only this many bytes of a password, and stops at a NUL. */
const BCRYPT_BYTES = 72;

const BLOCK_BYTES: Readonly<Record<Digest, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/** The name before a hash, as Spring Security stores it; for some forms only the name gives the parameters. */
const NAMED = /^\{([A-Za-z0-9@_.-]{1,40})\}(.*)$/s;

/**
 * Parses a stored hash by its prefix. Undefined for an unknown scheme, a malformed text, or a cost above one second or
 * 256 MiB, with which an import could stop the service.
 */
export function parsePasswordHash(stored: string): PasswordHash | undefined {
  if (stored.length > MAX_LENGTH) return undefined;
  const [, name, rest = ''] = NAMED.exec(stored) ?? [];
  switch (name) {
    case undefined:
      return argon2(stored) ?? bcrypt(stored) ?? scrypt(stored) ?? pbkdf2(stored);
    case 'argon2':
    case 'argon2@SpringSecurity_v5_8':
      return argon2(rest);
    case 'bcrypt':
      return bcrypt(rest);
    case 'scrypt':
    case 'scrypt@SpringSecurity_v5_8':
      return namedScrypt(rest);
    case 'pbkdf2':
      return namedPbkdf2(rest, 'sha1', 185_000, 8);
    case 'pbkdf2@SpringSecurity_v5_8':
      return namedPbkdf2(rest, 'sha256', 310_000, 16);
    default:
      return undefined;
  }
}

/** True for a hash of another scheme, or of lower cost than new hashes. */
export function isOutdated(hash: PasswordHash, cost: HashCost): boolean {
  return (
    hash.scheme !== 'argon2' ||
    hash.variant !== 'argon2id' ||
    hash.version !== 19 ||
    hash.memoryKib < cost.memoryKib ||
    hash.iterations < cost.iterations
  );
}

/** False if the scheme would read only a part of the password: any text could follow that part. */
export function readsWhole(hash: PasswordHash, password: string): boolean {
  if (hash.scheme !== 'bcrypt') return true;
  return Buffer.byteLength(password) <= BCRYPT_BYTES && !password.includes('\0');
}

/** A hash of the given cost that no password matches: a comparison with it takes as long as with a real one. */
export function decoyHash({ memoryKib, iterations, parallelism }: HashCost, random: Uint8Array): string {
  const salt = phcBase64(random.subarray(0, 16));
  return `$argon2id$v=19$m=${memoryKib},t=${iterations},p=${parallelism}$${salt}$${phcBase64(random.subarray(16, 48))}`;
}

const ARGON2 =
  /^\$(argon2(?:id|i|d))\$(?:v=(16|19)\$)?m=(\d{1,7}),t=(\d{1,5}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

function argon2(text: string): PasswordHash | undefined {
  const [, variant, version, memory, passes, lanes, salt, key] = ARGON2.exec(text) ?? [];
  const [memoryKib, iterations, parallelism] = [Number(memory), Number(passes), Number(lanes)];
  if (!variant || !isBase64(salt) || !isBase64(key) || !(iterations >= 1) || !(parallelism >= 1)) return undefined;
  if (memoryKib < 8 * parallelism || memoryKib > MAX_MEMORY_KIB || memoryKib * iterations > MAX_ARGON2_WORK) {
    return undefined;
  }
  const known = variant as 'argon2id' | 'argon2i' | 'argon2d';
  // RFC 9106 has version 19 only; a text without a version is of the earlier one.
  return { scheme: 'argon2', variant: known, version: Number(version ?? 16), memoryKib, iterations, text };
}

/** `$2$` and `$2x$` are of broken implementations. */
const BCRYPT = /^\$2[aby]\$(\d{2})\$[./A-Za-z0-9]{53}$/;

function bcrypt(text: string): PasswordHash | undefined {
  const cost = Number(BCRYPT.exec(text)?.[1]);
  return cost >= 4 && cost <= MAX_BCRYPT_COST ? { scheme: 'bcrypt', cost, text } : undefined;
}

const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,128})$/;

function scrypt(text: string): PasswordHash | undefined {
  const [, exponent, blockSize, parallelism, salt, key] = SCRYPT.exec(text) ?? [];
  return scryptOf(Number(exponent), Number(blockSize), Number(parallelism), salt, key);
}

/** Parameters in hexadecimal: exponent, and a byte each for r and p. */
const NAMED_SCRYPT = /^\$([0-9a-f]{5,6})\$([A-Za-z0-9+/]{11,86})={0,2}\$([A-Za-z0-9+/]{22,128})={0,2}$/;

function namedScrypt(text: string): PasswordHash | undefined {
  const [, parameters = '', salt, key] = NAMED_SCRYPT.exec(text) ?? [];
  const numbers = Number.parseInt(parameters, 16);
  return scryptOf(numbers >> 16, (numbers >> 8) & 0xff, numbers & 0xff, salt, key);
}

function scryptOf(
  exponent: number,
  blockSize: number,
  parallelism: number,
  salt: string | undefined,
  key: string | undefined,
): PasswordHash | undefined {
  if (!isBase64(salt) || !isBase64(key)) return undefined;
  if (!(exponent >= 1 && exponent <= 30) || !(blockSize >= 1) || !(parallelism >= 1)) return undefined;
  const cost = 2 ** exponent;
  if ((128 * cost * blockSize) / 1024 > MAX_MEMORY_KIB) return undefined;
  if (cost * blockSize * parallelism > MAX_SCRYPT_WORK) return undefined;
  return { scheme: 'scrypt', cost, blockSize, parallelism, salt: bytes(salt), key: bytes(key) };
}

/** The PHC form has `i=` and may have `l=`; passlib has the bare number, and writes `.` for `+`. */
const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,8})(?:,l=\d{1,3})?\$([A-Za-z0-9+/.]{2,128})\$([A-Za-z0-9+/.]{22,128})$/;

function pbkdf2(text: string): PasswordHash | undefined {
  const [, digest = 'sha1', rounds, saltText, keyText] = PBKDF2.exec(text) ?? [];
  const [salt, key] = [saltText?.replaceAll('.', '+'), keyText?.replaceAll('.', '+')];
  if (!isBase64(salt) || !isBase64(key)) return undefined;
  return pbkdf2Of(digest as Digest, Number(rounds), bytes(salt), bytes(key));
}

/** Salt and a key of 256 bits in hexadecimal; rounds and digest are those of the name. */
function namedPbkdf2(text: string, digest: Digest, rounds: number, saltBytes: number): PasswordHash | undefined {
  if (text.length !== 2 * (saltBytes + 32) || !/^[0-9a-f]+$/.test(text)) return undefined;
  const both = Buffer.from(text, 'hex');
  return pbkdf2Of(digest, rounds, both.subarray(0, saltBytes), both.subarray(saltBytes));
}

function pbkdf2Of(digest: Digest, iterations: number, salt: Uint8Array, key: Uint8Array): PasswordHash | undefined {
  const work = iterations * Math.ceil(key.length / BLOCK_BYTES[digest]);
  if (iterations < 1 || work > MAX_PBKDF2_WORK) return undefined;
  return { scheme: 'pbkdf2', digest, iterations, salt, key };
}

/** Accepts Base64 without padding in its canonical form only: other trailing bits would encode the same bytes. */
function isBase64(text: string | undefined): text is string {
  return text !== undefined && text.length % 4 !== 1 && phcBase64(bytes(text)) === text;
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function phcBase64(value: Uint8Array): string {
  return Buffer.from(value).toString('base64').replaceAll('=', '');
}
