import { Injectable } from '@nestjs/common';
import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv, type KeyObject } from 'node:crypto';
import { Clock } from '../../kernel/clock/clock.js';
import { Random, timeOrderedId } from '../../kernel/random/random.js';
import { NONCE_BYTES } from '../../platform/sealing/aes-gcm.js';
import { Sealer } from '../../platform/sealing/sealer.js';
import { isSecretForm, SECRET_BYTES } from './session.js';

/** The id of a session is a UUID, which is one block of AES. */
const SESSION_BYTES = 16;
/** One block is encrypted alone: without a key, the block of another session cannot be computed from its id. */
const ONE_BLOCK = 'aes-256-ecb';
const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/**
 * Ids of sessions, and the values of their cookies and refresh tokens.
 *
 * The first half of a refresh token is the id of the session, encrypted under a key that is derived from a seal key; the second
 * half is random. An old token therefore names its session after its row was deleted, which only its holder and this service can
 * use: other services know session ids, too, and a reader of the database knows no token.
 */
@Injectable()
export class SessionSecrets {
  private readonly cipher: Cipheriv;
  /** One for each key: tokens of earlier seal keys still name their session. */
  private readonly deciphers: readonly Decipheriv[];

  constructor(
    sealer: Sealer,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {
    const keys = sealer.derivedKeys('refresh-token');
    this.cipher = cipherOf(keys[0]);
    this.deciphers = keys.map(decipherOf);
  }

  newId(): string {
    return timeOrderedId(this.clock.millis(), this.random.bytes(10));
  }

  newCookie(): string {
    return this.random.text(SECRET_BYTES);
  }

  /** A new refresh token of the session. */
  newToken(sid: string): string {
    const block = Buffer.from(sid.replaceAll('-', ''), 'hex');
    // A part of a block would stay in the cipher, and change all later tokens.
    if (block.length !== SESSION_BYTES) throw new TypeError('the id of a session is not a UUID');
    const random = this.random.bytes(SECRET_BYTES - SESSION_BYTES);
    return Buffer.concat([this.cipher.update(block), random]).toString('base64url');
  }

  /** For the seal of a refresh token under its predecessor. */
  newNonce(): Uint8Array {
    return this.random.bytes(NONCE_BYTES);
  }

  /**
   * The session that a refresh token names, under each key. A value that this version did not issue names a session that does not
   * exist.
   */
  sessionIds(value: string): readonly string[] {
    if (!isSecretForm(value)) return [];
    const block = Buffer.from(value, 'base64url').subarray(0, SESSION_BYTES);
    return this.deciphers.map((decipher) => decipher.update(block).toString('hex').replace(UUID, '$1-$2-$3-$4-$5'));
  }
}

// One cipher serves all tokens, since a new one costs ten times as much as a block: without padding, each block is complete when
// it is passed, and no block depends on another.
function cipherOf(key: KeyObject): Cipheriv {
  return createCipheriv(ONE_BLOCK, key, null).setAutoPadding(false);
}

function decipherOf(key: KeyObject): Decipheriv {
  return createDecipheriv(ONE_BLOCK, key, null).setAutoPadding(false);
}
