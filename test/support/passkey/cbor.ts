/** A value that `encodeCbor` can write. Numbers are integers; the members of a map keep their order. */
export type CborValue =
  number | string | boolean | null | Uint8Array | readonly CborValue[] | ReadonlyMap<number | string, CborValue>;

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;
const FALSE = Buffer.of(0xf4);
const TRUE = Buffer.of(0xf5);
const NULL = Buffer.of(0xf6);

/** Encodes with the shortest heads and definite lengths, as CTAP2 requires (RFC 8949 section 3). */
export function encodeCbor(value: CborValue): Buffer {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  if (typeof value === 'number') return value < 0 ? head(NEGATIVE, -1 - value) : head(UNSIGNED, value);
  if (typeof value === 'string') return Buffer.concat([head(TEXT, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(BYTES, value.length), value]);
  if (isMap(value)) {
    const members = Array.from(value, ([name, member]) => [encodeCbor(name), encodeCbor(member)]);
    return Buffer.concat([head(MAP, value.size), ...members.flat()]);
  }
  return Buffer.concat([head(ARRAY, value.length), ...value.map(encodeCbor)]);
}

/** Major type and argument of a data item; also the start of one that claims more than follows. */
export function head(major: number, argument: number): Buffer {
  const first = major << 5;
  if (argument < 24) return Buffer.of(first | argument);
  if (argument <= 0xff) return Buffer.of(first | 24, argument);
  const [bytes, size] = argument <= 0xffff ? ([2, 25] as const) : ([4, 26] as const);
  const encoded = Buffer.alloc(1 + bytes, first | size);
  encoded.writeUIntBE(argument, 1, bytes);
  return encoded;
}

function isMap(
  value: readonly CborValue[] | ReadonlyMap<number | string, CborValue>,
): value is ReadonlyMap<number | string, CborValue> {
  return value instanceof Map;
}
