import { Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { Random } from '../random/random.js';
import { type DerivedKeys, Sealer } from '../sealing/sealer.js';
import { isSecretForm, SECRET_BYTES } from './session.js';

/** The id of a session is a UUID, which is one block of AES. */
const SESSION_BYTES = 16;
/** One block is encrypted alone: without a key, the block of another session cannot be computed from its id. */
const ONE_BLOCK = 'aes-256-ecb';
const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/**
 * Values of refresh tokens. The first half is the id of the session, encrypted under a key that is derived from a seal key; the
 * second half is random. An old token therefore names its session after its row was deleted, which only its holder and this
 * service can use: other services know session ids, too, and a reader of the database knows no token.
 */
@Injectable()
export class RefreshTokenValues {
  /** The first key is for new tokens; those of earlier seal keys still name their session. */
  private readonly keys: DerivedKeys;

  constructor(
    sealer: Sealer,
    private readonly random: Random,
  ) {
    this.keys = sealer.derivedKeys('refresh-token');
  }

  issue(sid: string): string {
    const random = this.random.bytes(SECRET_BYTES - SESSION_BYTES);
    return Buffer.concat([encrypted(this.keys[0], sid), random]).toString('base64url');
  }

  /**
   * The session that a value names, under each key. A value that this version did not issue names a session that does not
   * exist.
   */
  sessionIds(value: string): readonly string[] {
    if (!isSecretForm(value)) return [];
    const block = Buffer.from(value, 'base64url').subarray(0, SESSION_BYTES);
    return this.keys.map((key) => decrypted(key, block));
  }
}

function encrypted(key: KeyObject, sid: string): Buffer {
  const cipher = createCipheriv(ONE_BLOCK, key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(sid.replaceAll('-', ''), 'hex'), cipher.final()]);
}

function decrypted(key: KeyObject, block: Uint8Array): string {
  const decipher = createDecipheriv(ONE_BLOCK, key, null).setAutoPadding(false);
  return Buffer.concat([decipher.update(block), decipher.final()])
    .toString('hex')
    .replace(UUID, '$1-$2-$3-$4-$5');
}
