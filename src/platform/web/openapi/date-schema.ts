import type { JsonProperties, JsonSerializationProperties } from '../../http/json/json.properties.js';

/** JSON Schema of an instant. */
export interface DateSchema {
  readonly type: 'string' | 'integer';
  readonly format?: 'date-time';
  readonly pattern?: string;
}

/** Format of instants in responses, as schema and as text. */
export interface DateForm {
  readonly schema: DateSchema;
  /** Markdown that completes "Instants are …". */
  readonly text: string;
}

/** The format that `app.json.*` configures; a pattern takes precedence over milliseconds. */
export function dateForm(
  { dateFormat, timeZone }: Pick<JsonProperties, 'dateFormat' | 'timeZone'>,
  { writeDatesAsTimestamps }: JsonSerializationProperties,
): DateForm {
  // An empty pattern removes that of a lower source.
  if (dateFormat !== undefined && dateFormat !== '') {
    return {
      schema: { type: 'string', pattern: `^${expressionOf(dateFormat)}$` },
      text: `texts of the form \`${dateFormat}\` in the time zone ${timeZone}`,
    };
  }
  if (writeDatesAsTimestamps) return { schema: { type: 'integer' }, text: 'milliseconds since 1970' };
  return { schema: { type: 'string', format: 'date-time' }, text: 'texts in ISO 8601' };
}

/** Regular expression for the output of a Java date pattern: exact about digits, not about words. */
function expressionOf(pattern: string): string {
  const parts = pattern.match(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+/g) ?? [];
  return parts.map((part) => (/^[A-Za-z]/.test(part) ? lettersOf(part) : literal(part))).join('');
}

function lettersOf(letters: string): string {
  const isNumber = /^(?:y+|M{1,2}|[dHhmsS]+)$/.test(letters);
  if (!isNumber) return '.+';
  // Years may have more digits than the pattern; for other numbers, one letter permits as many digits as needed.
  if (letters.startsWith('y')) return letters.length === 2 ? '\\d{2}' : `\\d{${letters.length},}`;
  return letters.length === 1 && letters !== 'S' ? '\\d{1,2}' : `\\d{${letters.length}}`;
}

function literal(text: string): string {
  const quoted = /^'(.*)'$/s.exec(text)?.[1];
  const plain = quoted === undefined ? text : quoted === '' ? "'" : quoted.replaceAll("''", "'");
  return plain.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
