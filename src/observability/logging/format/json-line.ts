import type { LogLine } from '../log-line.js';
import { sanitizeField } from '../../../kernel/redaction/log-sanitizer.js';
import { MAX_MESSAGE_LENGTH, maskedText, shownText } from './shown-text.js';
import { type ThrownPart, thrownParts, thrownText } from './thrown.js';

/** The parts of a line that all JSON formats contain. */
export interface JsonParts {
  readonly message: string;
  /** Fields of the line, without secrets. */
  readonly fields: readonly (readonly [name: string, value: unknown])[];
  readonly error: { readonly first: ThrownPart; readonly trace: string } | undefined;
}

const MAX_FIELD_LENGTH = 2000;
const MAX_NAME_LENGTH = 200;
/** Characters that JSON does not escape, but that terminals or log readers may interpret. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export function jsonParts({ message, fields = {}, error }: LogLine): JsonParts {
  const [first] = error === undefined ? [] : thrownParts(error);
  return {
    message: maskedText(message, MAX_MESSAGE_LENGTH),
    fields: Object.keys(fields).flatMap((name) => {
      const value = sanitizeField(name, fields[name]);
      const shown = typeof value === 'string' ? maskedText(value, MAX_FIELD_LENGTH) : value;
      return value === undefined || value === null ? [] : [[shownText(name, MAX_NAME_LENGTH), shown] as const];
    }),
    error: first && { first, trace: thrownText(error) },
  };
}

/** Writes an object as one line; undefined members are omitted. */
export function jsonLine(members: object): string {
  const text = JSON.stringify(members);
  return `${text.replaceAll(UNSEEN, escaped)}\n`;
}

function escaped(char: string): string {
  let text = '';
  for (let at = 0; at < char.length; at += 1) text += `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
