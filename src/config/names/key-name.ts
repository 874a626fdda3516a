/** One part of a key: `port`, `[0]` or `[Exact text]`. */
interface Part {
  readonly text: string;
  readonly uniform: string;
}

const PIECES = /\[([^\]]*)\]|([^.[]+)/g;
// Unicode classes take milliseconds to compile, a noticeable part of a start, and nearly all keys do without.
const PLAIN = /^[a-z\d]+$/;
const ASCII = /^[\w-]+$/;
const NOT_COMPARED = { ascii: /[^a-z\d]/gi, all: /[^\p{L}\p{N}]/gu };
const LOST_IN_MAP_KEYS = { ascii: /[^\w-]/g, all: /[^\p{L}\p{N}_-]/gu };

/**
 * The name of a key in any spelling. Two names are the same key if their uniform forms are equal: per part, case
 * and everything but letters and digits is dropped, except inside `[…]`, which is exact (configuration-sources.md, "Key
 * names").
 */
export class KeyName {
  /** All parts joined by dots; an index counts as a part, so `a[0]` and `a.0` are one key. */
  readonly uniform: string;

  private constructor(private readonly parts: readonly Part[]) {
    this.uniform = parts.map((part) => part.uniform).join('.');
  }

  /** Reads `a.b-c`, `aB.c_d`, `list[0]`, `map[Exact.Text]`; a part without letters and digits vanishes. */
  static parse(text: string): KeyName {
    return new KeyName(partsOf(text));
  }

  static readonly root = new KeyName([]);

  /** The key of the first `length` parts. */
  firstParts(length: number): KeyName {
    return new KeyName(this.parts.slice(0, length));
  }

  get length(): number {
    return this.parts.length;
  }

  append(text: string): KeyName {
    return new KeyName([...this.parts, ...partsOf(text)]);
  }

  appendIndex(index: number): KeyName {
    const text = String(index);
    return new KeyName([...this.parts, { text, uniform: text }]);
  }

  /** The parts of another key from `start` on, below this key. */
  appendFrom(other: KeyName, start: number): KeyName {
    return new KeyName([...this.parts, ...other.parts.slice(start)]);
  }

  uniformPart(index: number): string {
    return this.parts[index]?.uniform ?? '';
  }

  /** The last part in its uniform form; empty for the root. */
  get lastPart(): string {
    return this.uniformPart(this.length - 1);
  }

  /** True if the last part is an index. */
  get isElement(): boolean {
    return /^\d+$/.test(this.lastPart);
  }

  /** The parts from `start` on, as written, joined by dots: the key of a map entry. */
  textFrom(start: number, end = this.parts.length): string {
    return this.parts
      .slice(start, end)
      .map((part) => part.text)
      .join('.');
  }

  uniformFrom(start: number, end = this.parts.length): string {
    return this.parts
      .slice(start, end)
      .map((part) => part.uniform)
      .join('.');
  }

  toString(): string {
    return this.textFrom(0);
  }
}

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  for (const [, bracketed, plain] of text.matchAll(PIECES)) {
    if (bracketed !== undefined) {
      parts.push({ text: bracketed, uniform: bracketed });
    } else if (plain !== undefined) {
      const part = plainPart(plain);
      if (part.uniform !== '') parts.push(part);
    }
  }
  return parts;
}

function plainPart(text: string): Part {
  if (PLAIN.test(text)) return { text, uniform: text };
  const letters = ASCII.test(text) ? 'ascii' : 'all';
  return {
    text: text.replaceAll(LOST_IN_MAP_KEYS[letters], ''),
    uniform: text.replaceAll(NOT_COMPARED[letters], '').toLowerCase(),
  };
}

/** The names of the environment variables that set a key: without dashes, or with underscores in their place (older). */
export function variableForms(name: string): readonly string[] {
  const parts = name.split(/[.[\]]+/).filter((part) => part !== '');
  const joined = (inside: RegExp, replacement: string): string =>
    parts
      .map((part) => part.replaceAll(inside, replacement))
      .join('_')
      .toUpperCase();
  return [...new Set([joined(/[-_]/g, ''), joined(/-/g, ''), joined(/-/g, '_')])];
}
