import type { Random } from '../../random/random.js';

/** 32 symbols that a person does not mix up. */
const SYMBOLS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 100 random bits in four groups, to be copied or typed. */
export function randomPassword(random: Random): string {
  const symbols = Array.from(random.bytes(20), (byte) => SYMBOLS.charAt(byte % SYMBOLS.length)).join('');
  return [0, 5, 10, 15].map((start) => symbols.slice(start, start + 5)).join('-');
}
