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
