/** Positions of the first and the last byte, counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const BYTES = /^bytes=[ \t]*(?<first>\d*)-(?<last>\d*)[ \t]*$/i;

/**
 * What a `Range` header asks of so many bytes (RFC 9110 section 14). `whole` where it asks for nothing that is offered:
 * other units, several ranges, or what is no range, all of which a server may ignore.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'beyond' {
  const { first = '', last = '' } = BYTES.exec(header ?? '')?.groups ?? {};
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'beyond' : { first: size - length, last: size - 1 };
  }
  if (last !== '' && Number(last) < Number(first)) return 'whole';
  if (Number(first) >= size) return 'beyond';
  return { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
