import { createHash } from 'node:crypto';

/** A Lua program that the key-value store runs as one step, and its name in meters. */
export class Script {
  /** The store knows a program by its SHA-1. */
  readonly digest: string;

  constructor(
    readonly name: string,
    readonly text: string,
  ) {
    this.digest = createHash('sha1').update(text).digest('hex');
  }
}
