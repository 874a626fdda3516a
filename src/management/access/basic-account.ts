import { createHash, timingSafeEqual } from 'node:crypto';

/** The one account of HTTP Basic, as the configuration has it. */
export class BasicAccount {
  private readonly digest: Buffer;

  constructor(
    readonly name: string,
    password: string,
  ) {
    this.digest = digestOf(name, password);
  }

  /** Takes the same time whatever is wrong. */
  matches(name: string, password: string): boolean {
    return timingSafeEqual(digestOf(name, password), this.digest);
  }
}

/** A name holds no colon, so that no other pair is the same text; RFC 7617 section 2.1 wants one Unicode form of both. */
function digestOf(name: string, password: string): Buffer {
  return createHash('sha256').update(`${name}:${password}`.normalize('NFC')).digest();
}
