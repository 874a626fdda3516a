import { randomFillSync } from 'node:crypto';

/** The one source of randomness. */
export abstract class Random {
  abstract bytes(length: number): Buffer;

  /** A number from 0 up to, but not including, 1; for delays, which need no secret. */
  fraction(): number {
    return this.bytes(4).readUInt32BE() / 2 ** 32;
  }

  /** Random bytes as base64url text without padding; 16 bytes make 22 characters, 32 make 43. */
  text(bytes: number): string {
    return this.bytes(bytes).toString('base64url');
  }
}

/** Number of bytes that are generated at once: a login needs about ten random values, and each call has a fixed cost. */
const SUPPLY_BYTES = 4096;

/** The generator of OpenSSL, which the operating system seeds. */
export class SystemRandom extends Random {
  private readonly supply = Buffer.alloc(SUPPLY_BYTES);
  private left = 0;

  bytes(length: number): Buffer {
    if (length > SUPPLY_BYTES / 8) return randomFillSync(Buffer.alloc(length));
    if (this.left < length) {
      randomFillSync(this.supply);
      this.left = SUPPLY_BYTES;
    }
    const unused = this.supply.subarray(this.left - length, this.left);
    const bytes = Buffer.alloc(length);
    unused.copy(bytes);
    // Bytes that were returned must not stay in memory here.
    unused.fill(0);
    this.left -= length;
    return bytes;
  }
}

/**
 * A UUID of version 7 (RFC 9562 section 5.7) as text: later ids sort after earlier ones, so that new rows of a large table
 * stay together. `random` provides its 74 random bits.
 */
export function timeOrderedId(millis: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(millis, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const ZEROS = new Uint8Array(10);

/** No id of an instant, in milliseconds since 1970, or of a later one sorts before this id. */
export function smallestIdAt(millis: number): string {
  return timeOrderedId(millis, ZEROS);
}
