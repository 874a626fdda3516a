import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Random } from '../../kernel/random/random.js';
import { decrypt, encrypt, KEY_BYTES, NONCE_BYTES } from './aes-gcm.js';

/** A sealed text that cannot be opened; the message names its key, never its content. */
export class SealFailure extends Error {
  constructor(
    readonly keyId: string,
    readonly reason: 'unknown key' | 'not authentic',
  ) {
    super(
      reason === 'unknown key'
        ? `a value is sealed under the key "${keyId}", which app.security.seal.keys does not have`
        : `a value sealed under the key "${keyId}" is damaged, moved, or of another key of that name`,
    );
    this.name = 'SealFailure';
  }
}

/** Keys of one purpose; the first one signs, all of them verify. */
export type DerivedKeys = readonly [KeyObject, ...KeyObject[]];

/**
 * Encrypts stored secrets that must be read again. A sealed text is `<key id>.<base64url>`, so that it stays readable after
 * a change of the active key; see docs/decisions/0010-sealing.md.
 */
export class Sealer {
  /** Imported keys by id; an operation with the bytes of a key would import them each time. */
  private readonly keys: ReadonlyMap<string, KeyObject>;

  constructor(
    /** Id of the key for new values. */
    readonly activeKeyId: string,
    /** All keys by id, 32 bytes each, including the active one. */
    keys: ReadonlyMap<string, Uint8Array>,
    private readonly random: Random,
  ) {
    this.keys = new Map(Array.from(keys, ([id, key]) => [id, createSecretKey(key)]));
    this.key(activeKeyId);
  }

  /** All key ids, the active one first. */
  get keyIds(): readonly string[] {
    return [this.activeKeyId, ...[...this.keys.keys()].filter((id) => id !== this.activeKeyId)];
  }

  /** Seals a value; `context` names its owner, e.g. `totp:<user id>`, and the text opens for that context only. */
  seal(plain: Uint8Array, context: string): string {
    const nonce = this.random.bytes(NONCE_BYTES);
    return `${this.activeKeyId}.${encrypt(this.key(this.activeKeyId), nonce, plain, context)}`;
  }

  /**
   * Opens a sealed text.
   * @throws SealFailure if the key is not configured or the text was not sealed for this context
   */
  open(sealed: string, context: string): Buffer {
    const id = this.keyIdOf(sealed);
    const plain = decrypt(this.key(id), sealed.slice(id.length + 1), context);
    if (!plain) throw new SealFailure(id, 'not authentic');
    return plain;
  }

  keyIdOf(sealed: string): string {
    return sealed.slice(0, Math.max(0, sealed.indexOf('.')));
  }

  isUnderActiveKey(sealed: string): boolean {
    return this.keyIdOf(sealed) === this.activeKeyId;
  }

  /**
   * Derives 32 bytes for one purpose from each configured key (HKDF-SHA256, RFC 5869), the active key first, so that
   * signatures of an earlier key still verify.
   */
  derivedKeys(purpose: string): DerivedKeys {
    const [active = '', ...others] = this.keyIds;
    const derive = (id: string): KeyObject => deriveKey(this.key(id), purpose);
    return [derive(active), ...others.map(derive)];
  }

  private key(id: string): KeyObject {
    const key = this.keys.get(id);
    if (!key) throw new SealFailure(id, 'unknown key');
    return key;
  }
}

function deriveKey(key: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `login-service ${purpose}`, KEY_BYTES)));
}
