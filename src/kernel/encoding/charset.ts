import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';
import type { Encoding, Iconv } from 'iconv-lite';

/** The reason why the name of a character set is rejected, without the name. */
export class CharsetRejection {
  constructor(readonly reason: string) {}
}

/** A character set in which every ASCII character is the one byte it is in ASCII. */
export interface Charset {
  /** Undefined if the bytes are invalid. */
  decode(bytes: Buffer): string | undefined;
  /** Replaces characters that are not in the character set by a question mark. */
  encode(text: string): Buffer;
}

export const UTF_8: Charset = {
  decode: (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : undefined),
  encode: (text) => Buffer.from(text, 'utf8'),
};

/** The form of the names; none of its characters has to be quoted in a header. */
const NAME = /^[a-z\d][\w.+-]*$/i;
const ASCII = String.fromCharCode(...Array(0x80).keys());

/** Loaded only for character sets other than UTF-8, which are rarely used. */
let loaded: typeof Iconv | undefined;
const known = new Map<unknown, Charset>();

/** Returns the character set of that name; rejects names that are unknown, and sets that do not extend ASCII, which HTTP and log lines need. */
export function charsetOf(name: string): Charset | CharsetRejection {
  if (isUtf8Name(name)) return UTF_8;
  if (!NAME.test(name)) return new CharsetRejection('not the name of a character set such as UTF-8');
  loaded ??= createRequire(import.meta.url)('iconv-lite') as typeof Iconv;
  if (!loaded.encodingExists(name)) return new CharsetRejection('the character set is unknown');
  // Names of one character set have one codec.
  const codec = loaded.getCodec(name);
  const charset = known.get(codec) ?? convertedBy(loaded, name);
  if (!charset.encode(ASCII).equals(Buffer.from(ASCII, 'latin1')) || charset.decode(Buffer.from(ASCII)) !== ASCII) {
    return new CharsetRejection('the character set does not extend ASCII');
  }
  known.set(codec, charset);
  return charset;
}

/** @throws TypeError for a name that `charsetOf` rejects; a key of type `charsetName` has no such value */
export function charsetNamed(name: string): Charset {
  const known = charsetOf(name);
  if (known instanceof CharsetRejection) throw new TypeError(`${name}: ${known.reason}`);
  return known;
}

/** Returns JSON that is valid in the character set: for others than UTF-8, with all characters outside ASCII escaped. */
export function jsonIn(charset: Charset, text: string): string {
  return charset === UTF_8 ? text : text.replaceAll(/[^\0-\x7f]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function isUtf8Name(name: string): boolean {
  return /^utf-?8$/i.test(name);
}

function convertedBy(iconv: typeof Iconv, name: Encoding): Charset {
  return {
    decode: (bytes) => {
      const text = iconv.decode(bytes, name);
      // The replacement character marks invalid bytes.
      return text.includes('\u{fffd}') ? undefined : text;
    },
    encode: (text) => iconv.encode(text, name),
  };
}
