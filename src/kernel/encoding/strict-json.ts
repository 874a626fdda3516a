import { type Charset, UTF_8 } from './charset.js';

const BYTE_ORDER_MARK = /^\uFEFF/;
/** Maximum nesting of a body. No schema needs as much. */
const MAX_DEPTH = 32;
/** Maximum number of members of a form, each of which takes many times its bytes in memory. No form needs as many. */
const MAX_MEMBERS = 100;
const [PLUS, SPACE, PERCENT] = [0x2b, 0x20, 0x25];
/** Names that reach the prototype when an object is copied without care. */
const REJECTED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** A parsed body; `undefined` for a rejected one. */
export type ReadBody = { readonly value: unknown } | undefined;

/**
 * Reads JSON (RFC 8259) more strictly than `JSON.parse`: clean bytes, no name twice in one object, no NUL and no lone
 * surrogate in any text. A byte order mark in front is ignored (section 8.1). An empty body is `{}`.
 */
export function readJson(body: Buffer, charset: Charset = UTF_8): ReadBody {
  if (body.length === 0) return { value: {} };
  const text = charset.decode(body)?.replace(BYTE_ORDER_MARK, '');
  if (text === undefined) return undefined;
  const members = countColons(text);
  if (members === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // JSON.parse lets the last of two equal names win, so fewer members are left than the text has.
  return countMembers(value) === members ? { value } : undefined;
}

/**
 * Reads a form (WHATWG URL, `application/x-www-form-urlencoded`) of a hundred members at most, with the same strictness;
 * the character set also applies to escaped bytes.
 */
export function readForm(body: Buffer, charset: Charset = UTF_8): ReadBody {
  const text = body.toString('latin1');
  if (!isVisibleAscii(text)) return undefined;
  const members = new Map<string, string>();
  const pairs = text.split('&', MAX_MEMBERS + 1);
  if (pairs.length > MAX_MEMBERS) return undefined;
  for (const pair of pairs) {
    if (pair === '') continue;
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = unescaped(pair.slice(0, end), charset);
    const value = unescaped(pair.slice(end + 1), charset);
    if (name === undefined || value === undefined || members.has(name) || REJECTED_NAMES.has(name)) return undefined;
    members.set(name, value);
  }
  return { value: Object.fromEntries(members) };
}

/** Undefined if the escapes are malformed, or decode to invalid text or NUL. */
function unescaped(text: string, charset: Charset): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1, length += 1) {
    let byte = bytes[at] ?? NaN;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT) {
      byte = hexValue(bytes[at + 1]) * 16 + hexValue(bytes[at + 2]);
      if (Number.isNaN(byte)) return undefined;
      at += 2;
    }
    bytes[length] = byte;
  }
  const decoded = charset.decode(bytes.subarray(0, length));
  return decoded !== undefined && isCleanText(decoded) ? decoded : undefined;
}

/** The value of an ASCII hexadecimal digit; NaN for everything else. */
function hexValue(byte = NaN): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : NaN;
}

function isVisibleAscii(text: string): boolean {
  return !/[^\x21-\x7e]/.test(text);
}

/** True if percent-encoded text is ASCII and decodes to UTF-8 without NUL. */
export function isCleanlyEncoded(text: string): boolean {
  if (!isVisibleAscii(text)) return false;
  if (!text.includes('%')) return true;
  try {
    return !decodeURIComponent(text).includes('\0');
  } catch {
    return false;
  }
}

/** Counts the members of all objects in a value; NaN, which equals no count, if a name or a text is rejected. */
function countMembers(value: unknown): number {
  if (typeof value === 'string') return isCleanText(value) ? 0 : NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  for (const [name, member] of Object.entries(value)) {
    if (REJECTED_NAMES.has(name) || !isCleanText(name)) return NaN;
    count += 1 + countMembers(member);
  }
  return count;
}

function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Counts the colons outside of strings, one per member in valid JSON; undefined if the text is nested too deeply. */
function countColons(text: string): number | undefined {
  let count = 0;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (char === '\\') at++;
    else if (isInString) continue;
    else if (char === ':') count++;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > MAX_DEPTH) return undefined;
  }
  return count;
}
