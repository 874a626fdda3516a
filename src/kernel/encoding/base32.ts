const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS = 5;

/** Encodes Base32 (RFC 4648 section 6) without padding: 20 bytes become 32 characters. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let rest = 0;
  let bits = 0;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    for (; bits >= BITS; bits -= BITS) text += ALPHABET.charAt((rest >>> (bits - BITS)) & 31);
    rest &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET.charAt((rest << (BITS - bits)) & 31);
}

/** Decodes Base32 in either case, with or without padding; undefined for other texts. */
export function bytesOfBase32(text: string): Buffer | undefined {
  const symbols = text.replace(/=+$/, '');
  const leftOver = (symbols.length * BITS) % 8;
  if (!/^[A-Za-z2-7]*$/.test(symbols) || leftOver >= BITS) return undefined;
  const bytes: number[] = [];
  let rest = 0;
  let bits = 0;
  for (const symbol of symbols) {
    rest = (rest << BITS) | ALPHABET.indexOf(symbol.toUpperCase());
    bits += BITS;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(rest >>> bits);
      rest &= (1 << bits) - 1;
    }
  }
  return rest === 0 ? Buffer.from(bytes) : undefined;
}
