import { printable } from '../../../config/show/failure-report.js';
import { CUT, sanitizeText, sanitizeField } from '../../../kernel/redaction/log-sanitizer.js';
import type { LogLine } from '../log-line.js';

/** Maximum length of a message in characters. */
export const MAX_MESSAGE_LENGTH = 8000;
/** Maximum length of a field in characters. */
const MAX_FIELD_LENGTH = 2000;
const PLAIN = /^[\x20-\x7e]*$/;

/** Prepares an untrusted text for a line: visible characters only, secrets masked, at most `maxLength` characters. */
export function shownText(text: string, maxLength: number): string {
  const masked = maskedText(text, maxLength);
  return PLAIN.test(masked) ? masked : printable(masked);
}

/** Masks secrets and truncates a text, for a format that escapes characters itself. */
export function maskedText(text: string, maxLength: number): string {
  const masked = sanitizeText(text);
  return masked.length <= maxLength ? masked : masked.slice(0, maxLength) + CUT;
}

/** Returns the message of a line, followed by its fields as `name=value`. */
export function shownMessage({ message, fields }: LogLine): string {
  let text = shownText(message, MAX_MESSAGE_LENGTH);
  if (!fields) return text;
  for (const name of Object.keys(fields)) {
    const value = sanitizeField(name, fields[name]);
    if (value !== undefined) text += ` ${shownText(name, MAX_FIELD_LENGTH)}=${shownValue(value)}`;
  }
  return text;
}

function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = shownText(text, MAX_FIELD_LENGTH);
  return typeof value === 'string' && /[\s"=]|^$/.test(shown) ? JSON.stringify(shown) : shown;
}
