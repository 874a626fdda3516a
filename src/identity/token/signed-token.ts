import type { JWTPayload } from 'jose';
import type { UsableKey } from './keys/key-material.js';
import { LruMap } from '../../kernel/collections/lru-map.js';

/** Issuer of our tokens: their claim `iss`, and the base of the URLs in the metadata. */
export class Issuer {
  constructor(readonly url: string) {}
}

/** 128 bits. */
export const JTI_BYTES = 16;

/** Requirements of a token beyond its signature. */
export interface TokenRules {
  readonly issuer: string;
  /** The only audience; any one where it is missing. */
  readonly audience?: string;
  readonly required: readonly string[];
  /** True for a token that only hints at a user. */
  readonly mayHaveExpired?: boolean;
}

/** Longer tokens are rejected unread: ours have some hundred characters, with many roles a few thousand. */
const MAX_TOKEN_LENGTH = 8192;
/** The compact serialization (RFC 7515 section 7.1), with a signature. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const KEY_ID = /^[\w-]{1,64}$/;
/** Applies to `iat` and `nbf` only, which another replica wrote by its own clock. */
const SKEW_SECONDS = 5;

let jose: Awaited<ReturnType<typeof loadJose>> | undefined;

/**
 * The compact serialization of signed claims (RFC 7515 section 7.1).
 * @throws TypeError if only the public part of the key is known
 */
export async function signToken(key: UsableKey, typ: string, claims: JWTPayload): Promise<string> {
  const { kid, algorithm: alg, sign } = key;
  if (!sign) throw new TypeError(`the key ${kid} does not sign`);
  const input = `${encoded({ alg, typ, kid })}.${encoded(claims)}`;
  const signature = await sign(Buffer.from(input));
  return `${input}.${signature.toString('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Unverified header of a token. */
export interface TokenHeader {
  readonly kid: string;
  /** Kind of the token (RFC 8725 section 3.11). */
  readonly typ: string;
}

/**
 * Parses the header of a token of one of the types; undefined for a token that cannot be ours. Our headers have exactly
 * `alg`, `typ` and `kid`: no key, no URL of a key (RFC 8725 section 3.10), no extension.
 */
export function parseHeader(token: string, types: readonly string[]): TokenHeader | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token)) return undefined;
  const header = unverifiedHeader(token);
  if (typeof header !== 'object' || header === null || Object.keys(header).length !== 3) return undefined;
  const { alg, kid, typ } = header as Readonly<Record<string, unknown>>;
  if (typeof alg !== 'string' || typeof typ !== 'string' || !types.includes(typ)) return undefined;
  return typeof kid === 'string' && KEY_ID.test(kid) ? { kid, typ } : undefined;
}

/** The tokens of one key have the same header, which a request reads twice. */
const headers = new LruMap<string, unknown>(16);
const MAX_KEPT_HEADER = 256;

/** The header of a token as it was sent; undefined for a text without one. */
export function unverifiedHeader(token: string): unknown {
  const [text = ''] = token.split('.', 1);
  const known = headers.get(text);
  if (known !== undefined) return known;
  try {
    const header = Object.freeze(JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown);
    if (text.length <= MAX_KEPT_HEADER) headers.set(text, header);
    return header;
  } catch {
    // The header is not JSON.
    return undefined;
  }
}

/** Returns the claims of a token if type, signature, times and rules are satisfied at `now` (epoch seconds). */
export async function verifyToken(
  token: string,
  key: UsableKey,
  typ: string,
  { issuer, audience, required, mayHaveExpired = false }: TokenRules,
  now: number,
): Promise<JWTPayload | undefined> {
  const { jwtVerify, JOSEError } = (jose ??= await loadJose());
  try {
    const { payload } = await jwtVerify(token, key.verifies, {
      algorithms: [key.algorithm],
      typ,
      issuer,
      ...(audience !== undefined && { audience }),
      requiredClaims: ['iat', 'exp', 'sub', 'aud', ...required],
      currentDate: new Date((mayHaveExpired ? 0 : now) * 1000),
      clockTolerance: SKEW_SECONDS,
    });
    const { iat: issuedAt = Infinity, exp = 0 } = payload;
    const expiresAt = mayHaveExpired ? Infinity : exp;
    const hasAudience = audience === undefined || payload.aud === audience;
    return isTimely({ issuedAt, expiresAt }, now) && hasAudience ? payload : undefined;
  } catch (error) {
    if (error instanceof JOSEError) return undefined;
    throw error;
  }
}

/** True for a token that is issued and has not expired at `now`; all three in epoch seconds. */
function isTimely(
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  now: number,
): boolean {
  return expiresAt > now && issuedAt <= now + SKEW_SECONDS;
}

/** Loaded with the first token, so that startup does not wait, and cached, since each `import()` is a new lookup. */
async function loadJose() {
  const [{ jwtVerify }, { JOSEError }] = await Promise.all([import('jose/jwt/verify'), import('jose/errors')]);
  return { jwtVerify, JOSEError };
}

interface Instants {
  /** Epoch seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A token has some hundred bytes. */
const MAX_TOKENS = 1000;

/**
 * The claims of tokens that this process has verified or issued: a client sends one access token with many requests, and an
 * `mfa_token` mostly returns to the process that issued it.
 */
export class VerifiedTokens<Claims extends Instants> {
  private readonly entries = new LruMap<string, { readonly key: UsableKey; readonly claims: Claims }>(MAX_TOKENS);

  /** `key` is the key that the token names now: after a rotation or a reload the signature is verified again. */
  claimsOf(token: string, key: UsableKey, now: number): Claims | undefined {
    const entry = this.entries.get(token);
    return entry?.key === key && isTimely(entry.claims, now) ? entry.claims : undefined;
  }

  add(token: string, key: UsableKey, claims: Claims): void {
    this.entries.set(token, { key, claims: Object.freeze(claims) });
  }
}
