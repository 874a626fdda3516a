import { hkdfSync } from 'node:crypto';
import type { Random } from '../random/random.js';
import { decrypt, encrypt, KEY_BYTES, NONCE_BYTES } from './aes-gcm.js';

/** A sealed text that cannot be opened; says under which key it is, never what it holds. */
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

/**
 * Seals what must be kept and read again (design.md, section 4 rule 8). A sealed text is `<key id>.<base64url>`, so that
 * it stays readable while a new key is active; see docs/decisions/0010-sealing.md.
 */
export class Sealer {
  constructor(
    /** The key that new values are sealed under. */
    readonly activeKeyId: string,
    /** All keys by id, 32 bytes each; the active one is among them. */
    private readonly keys: ReadonlyMap<string, Uint8Array>,
    private readonly random: Random,
  ) {
    this.key(activeKeyId);
  }

  /** The active key first. */
  get keyIds(): readonly string[] {
    return [this.activeKeyId, ...[...this.keys.keys()].filter((id) => id !== this.activeKeyId)];
  }

  /** `context` names what the value belongs to, e.g. `totp:<user id>`: it opens for that alone. */
  seal(plain: Uint8Array, context: string): string {
    const nonce = this.random.bytes(NONCE_BYTES);
    return `${this.activeKeyId}.${encrypt(this.key(this.activeKeyId), nonce, plain, context)}`;
  }

  /** @throws SealFailure where the key is not configured or the text was not sealed for this context */
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
   * 32 bytes for one purpose from each configured key (HKDF-SHA256, RFC 5869), from the active one first: what was made
   * under the key before still verifies.
   */
  derivedKeys(purpose: string): readonly Buffer[] {
    return this.keyIds.map((id) => deriveKey(this.key(id), purpose));
  }

  private key(id: string): Uint8Array {
    const key = this.keys.get(id);
    if (!key) throw new SealFailure(id, 'unknown key');
    return key;
  }
}

function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `login-service ${purpose}`, KEY_BYTES));
}
