import { randomBytes } from 'node:crypto';

/** The one source of randomness. */
export abstract class Random {
  abstract bytes(length: number): Buffer;

  /** Random bytes as base64url text without padding; 16 bytes make 22 characters, 32 make 43. */
  text(bytes: number): string {
    return this.bytes(bytes).toString('base64url');
  }
}

/** The generator of the operating system. */
export class SystemRandom extends Random {
  bytes(length: number): Buffer {
    return randomBytes(length);
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
