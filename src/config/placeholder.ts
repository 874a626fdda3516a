/** A text with its placeholders filled in, or why that cannot be. */
export type Filled =
  | {
      readonly kind: 'filled';
      readonly text: string;
      /** Names of all placeholders that went into the text, also those inside other values. */
      readonly through: readonly string[];
    }
  | { readonly kind: 'missing'; readonly name: string; readonly within: string }
  | { readonly kind: 'circular'; readonly chain: readonly string[] };

/** Finds the raw text behind a placeholder's name. */
export type LookUp = (name: string) => string | undefined;

const OPEN = '${';

/**
 * Fills `${name}` and `${name:default}`, nested in both places; the default starts after the first colon, and `\${` stays
 * as `${` (configuration.md b.3).
 */
export function fillPlaceholders(text: string, lookUp: LookUp): Filled {
  if (!text.includes(OPEN)) return { kind: 'filled', text, through: [] };
  const through: string[] = [];
  const filled = fill(text, lookUp, [], through);
  return typeof filled === 'string' ? { kind: 'filled', text: filled, through } : filled;
}

type Failure = Exclude<Filled, { kind: 'filled' }>;

function fill(text: string, lookUp: LookUp, trail: readonly string[], through: string[]): string | Failure {
  let result = '';
  let position = 0;
  for (;;) {
    const open = text.indexOf(OPEN, position);
    if (open === -1) return result + text.slice(position);
    if (text[open - 1] === '\\') {
      result += text.slice(position, open - 1) + OPEN;
      position = open + OPEN.length;
      continue;
    }
    const close = closing(text, open + OPEN.length);
    if (close === -1) return result + text.slice(position);
    const value = one(text.slice(open + OPEN.length, close), text, lookUp, trail, through);
    if (typeof value !== 'string') return value;
    result += text.slice(position, open) + value;
    position = close + 1;
  }
}

function one(
  inner: string,
  within: string,
  lookUp: LookUp,
  trail: readonly string[],
  through: string[],
): string | Failure {
  const colon = topLevelColon(inner);
  const name = fill(colon === -1 ? inner : inner.slice(0, colon), lookUp, trail, through);
  if (typeof name !== 'string') return name;
  if (trail.includes(name)) return { kind: 'circular', chain: [...trail.slice(trail.indexOf(name)), name] };
  const raw = lookUp(name);
  if (raw !== undefined) {
    through.push(name);
    return fill(raw, lookUp, [...trail, name], through);
  }
  if (colon === -1) return { kind: 'missing', name, within };
  return fill(inner.slice(colon + 1), lookUp, trail, through);
}

/** Offset of the brace that closes the placeholder whose inside starts at `from`; -1 if none does. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    if (text.startsWith(OPEN, index)) {
      depth += 1;
      index += 1;
    } else if (text[index] === '}') {
      if (depth === 0) return index;
      depth -= 1;
    }
  }
  return -1;
}

function topLevelColon(inner: string): number {
  let depth = 0;
  for (let index = 0; index < inner.length; index++) {
    if (inner.startsWith(OPEN, index)) depth += 1;
    else if (inner[index] === '}') depth -= 1;
    else if (inner[index] === ':' && depth === 0) return index;
  }
  return -1;
}
