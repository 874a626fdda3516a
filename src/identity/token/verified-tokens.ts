import { LruMap } from '../../kernel/collections/lru-map.js';
import type { UsableKey } from './keys/key-material.js';
import { isTimely } from './signed-token.js';

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
