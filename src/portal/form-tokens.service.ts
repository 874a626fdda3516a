import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Random } from '../random/random.js';
import { Sealer } from '../sealing/sealer.js';

/** Begins the token of a half-authenticated login. */
const OF_HALF = 'half.';
/** A random text, and the signature over all before it and what it is bound to: 43 characters are 32 bytes. */
const FORM = /^((?:half\.)?[\w-]{22})\.([\w-]{43})$/;
const NONCE_BYTES = 16;

/**
 * Tokens in the forms of pages, which another site cannot know (OWASP, "Signed Double-Submit Cookie" and "HMAC based token"):
 * signed with a key that all replicas have, and bound to a session or a cookie; nothing is stored. Each is another one, so that
 * a compressed page does not tell it.
 */
@Injectable()
export class FormTokens {
  /** The first one signs; those of earlier seal keys still verify. */
  private readonly keys: readonly Buffer[];

  constructor(
    sealer: Sealer,
    private readonly random: Random,
  ) {
    this.keys = sealer.derivedKeys('form-token');
  }

  issue(boundTo: string, isOfHalfAuthenticated = false): string {
    const nonce = (isOfHalfAuthenticated ? OF_HALF : '') + this.random.text(NONCE_BYTES);
    const [key = Buffer.alloc(0)] = this.keys;
    return `${nonce}.${signature(key, nonce, boundTo).toString('base64url')}`;
  }

  /** True where the token says so; for whether it is good, see `isOurs`. */
  isOfHalf(token: string): boolean {
    return token.startsWith(OF_HALF) && FORM.test(token);
  }

  isValid(token: string, boundTo: string): boolean {
    const [, nonce, signed] = FORM.exec(token) ?? [];
    if (nonce === undefined || signed === undefined) return false;
    const given = Buffer.from(signed, 'base64url');
    return this.keys.some((key) => timingSafeEqual(signature(key, nonce, boundTo), given));
  }
}

function signature(key: Uint8Array, nonce: string, boundTo: string): Buffer {
  return createHmac('sha256', key).update(`${nonce}.${boundTo}`).digest();
}
