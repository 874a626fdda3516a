/** One placeholder of the chain that leads to a failure, outermost first. */
export interface Link {
  readonly name: string;
  /** False if it is part of a longer text. */
  readonly isWholeText: boolean;
  /** Names of the placeholders the name itself was made of: `${region}` in `${url.${region}}`. */
  readonly through: readonly string[];
}

/** A text with its placeholders filled in, or why that cannot be. */
export type Filled =
  | {
      readonly kind: 'filled';
      readonly text: string;
      /** Names of all placeholders that contributed their value or default to the text, also inside other values. */
      readonly through: readonly string[];
    }
  | {
      /**
       * `missing`: nothing sets the last of the chain. `circular`: the last of the chain is also its first.
       * `excessive`: more placeholders than a person writes by hand.
       */
      readonly kind: 'missing' | 'circular' | 'excessive';
      readonly chain: readonly Link[];
    };

/** Finds the unresolved text for the name in a placeholder. */
export type LookUp = (name: string) => string | undefined;

type Failure = Exclude<Filled, { kind: 'filled' }>;

const OPEN = '${';

/** Maximum nesting, for the stack, and maximum number of placeholders, so that startup ends. */
const MAX_DEPTH = 200;
const MAX_PLACEHOLDERS = 10_000;

/**
 * Fills `${name}` and `${name:default}`, nested in both places; the default starts after the first colon, and `\${`
 * stays as `${` (configuration-sources.md, "Placeholders"). Braces inside count in pairs, so that
 * `${PATTERN:%d{HH:mm} %m}` has its whole default; an opening without its end is plain text.
 */
export function fillPlaceholders(text: string, lookUp: LookUp): Filled {
  if (!text.includes(OPEN)) return { kind: 'filled', text, through: [] };
  const through: string[] = [];
  const filled = new Filling(lookUp).fill(text, [], through, 0);
  return typeof filled === 'string' ? { kind: 'filled', text: filled, through } : filled;
}

/** A text for display, in which placeholders without a value stay as written. */
export interface FilledForDisplay {
  readonly text: string;
  readonly through: readonly string[];
  /** False if a placeholder is unresolved. */
  readonly isResolved: boolean;
}

/** Resolves what can be resolved; a placeholder without a value or with a circle stays unchanged. */
export function fillForDisplay(text: string, lookUp: LookUp): FilledForDisplay {
  const whole = fillPlaceholders(text, lookUp);
  if (whole.kind === 'filled') return { text: whole.text, through: whole.through, isResolved: true };
  const through: string[] = [];
  const filled = new Filling(lookUp, true).fill(text, [], through, 0);
  return { text: typeof filled === 'string' ? filled : text, through, isResolved: false };
}

class Filling {
  constructor(
    private readonly lookUp: LookUp,
    private readonly keepsUnfilled = false,
  ) {}

  fill(text: string, trail: readonly Link[], through: string[], depth: number): string | Failure {
    let result = '';
    let position = 0;
    for (;;) {
      const open = text.indexOf(OPEN, position);
      if (open === -1) return result + text.slice(position);
      const isEscaped = text[open - 1] === '\\';
      const inside = open + OPEN.length;
      const close = isEscaped ? -1 : closing(text, inside);
      result += text.slice(position, isEscaped ? open - 1 : open);
      if (close === -1) {
        result += OPEN;
        position = inside;
        continue;
      }
      if (depth > MAX_DEPTH || through.length > MAX_PLACEHOLDERS) return { kind: 'excessive', chain: trail };
      const isWholeText = open === 0 && close === text.length - 1;
      const value = this.one(text.slice(inside, close), isWholeText, trail, through, depth + 1);
      if (typeof value === 'string') result += value;
      else if (this.keepsUnfilled && value.kind !== 'excessive') result += text.slice(open, close + 1);
      else return value;
      position = close + 1;
    }
  }

  private one(
    inner: string,
    isWholeText: boolean,
    trail: readonly Link[],
    through: string[],
    depth: number,
  ): string | Failure {
    const colon = topLevelColon(inner);
    const ofName: string[] = [];
    const name = this.fill(colon === -1 ? inner : inner.slice(0, colon), trail, ofName, depth);
    if (typeof name !== 'string') return name;
    const chain = [...trail, { name, isWholeText, through: ofName }];
    const before = trail.findIndex((link) => link.name === name);
    if (before !== -1) return { kind: 'circular', chain: chain.slice(before) };
    const raw = this.lookUp(name);
    if (raw === undefined && colon === -1) return { kind: 'missing', chain };
    through.push(name, ...ofName);
    return raw === undefined
      ? this.fill(inner.slice(colon + 1), trail, through, depth)
      : this.fill(raw, chain, through, depth);
  }
}

/** Offset of the brace that closes the placeholder whose content starts at `from`; -1 without one. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    if (text[index] === '{') depth += 1;
    else if (text[index] === '}') {
      if (depth === 0) return index;
      depth -= 1;
    }
  }
  return -1;
}

/** Offset of the colon that ends the name; -1 without a default. */
function topLevelColon(inner: string): number {
  let depth = 0;
  for (let index = 0; index < inner.length; index++) {
    if (inner[index] === '{') depth += 1;
    else if (inner[index] === '}') depth -= 1;
    else if (inner[index] === ':' && depth === 0) return index;
  }
  return -1;
}
