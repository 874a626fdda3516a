import { Injectable } from '@nestjs/common';
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import { Random } from '../../../kernel/random/random.js';
import { type DerivedKeys, Sealer } from '../../../platform/sealing/sealer.js';

/** Prefix of the tokens of half-authenticated logins. */
const OF_HALF = 'half.';
/** Format of a token: a nonce, and the HMAC over nonce and binding in 43 characters (32 bytes). */
const FORM = /^((?:half\.)?[\w-]{22})\.([\w-]{43})$/;
const NONCE_BYTES = 16;

/** Binds the form of a caller to its login, which keeps its id while its cookie changes. */
export function callerBinding(principal: Principal): string {
  return requesterOf(principal);
}

/** Binds the form of a visitor without a session to the sign-in cookie. */
export function browserBinding(cookie: string): string {
  return `browser:${cookie}`;
}

/**
 * CSRF tokens of forms (OWASP, "Signed Double-Submit Cookie" and "HMAC based token"): signed with a key that all replicas
 * have, bound to a session or a cookie, and not stored. Each token is different, so that compression leaks nothing.
 */
@Injectable()
export class FormTokens {
  /** The first key signs; keys derived from earlier seal keys still verify. */
  private readonly keys: DerivedKeys;

  constructor(
    sealer: Sealer,
    private readonly random: Random,
  ) {
    this.keys = sealer.derivedKeys('form-token');
  }

  issue(boundTo: string, isOfHalfAuthenticated = false): string {
    const nonce = (isOfHalfAuthenticated ? OF_HALF : '') + this.random.text(NONCE_BYTES);
    return `${nonce}.${signature(this.keys[0], nonce, boundTo).toString('base64url')}`;
  }

  /** True if the token has the prefix of half-authenticated logins; `isValid` verifies the token. */
  isOfHalf(token: string): boolean {
    return token.startsWith(OF_HALF) && FORM.test(token);
  }

  isValid(token: string, boundTo: string): boolean {
    const [, nonce, signed] = FORM.exec(token) ?? [];
    if (nonce === undefined || signed === undefined) return false;
    const received = Buffer.from(signed, 'base64url');
    return this.keys.some((key) => timingSafeEqual(signature(key, nonce, boundTo), received));
  }
}

function signature(key: KeyObject, nonce: string, boundTo: string): Buffer {
  return createHmac('sha256', key).update(`${nonce}.${boundTo}`).digest();
}
