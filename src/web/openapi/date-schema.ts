import type { JsonProperties, JsonSerializationProperties } from '../../http/json/json.properties.js';

/** An instant in JSON Schema. */
export interface DateSchema {
  readonly type: 'string' | 'integer';
  readonly format?: 'date-time';
  readonly pattern?: string;
}

/** How instants look in answers, for programs and for people. */
export interface DateForm {
  readonly schema: DateSchema;
  /** Markdown, after "Instants are". */
  readonly told: string;
}

/** The form that the keys `app.json.*` ask for; a pattern wins over milliseconds. */
export function dateForm(
  { dateFormat, timeZone }: Pick<JsonProperties, 'dateFormat' | 'timeZone'>,
  { writeDatesAsTimestamps }: JsonSerializationProperties,
): DateForm {
  // An empty one undoes that of a lower source.
  if (dateFormat !== undefined && dateFormat !== '') {
    return {
      schema: { type: 'string', pattern: `^${expressionOf(dateFormat)}$` },
      told: `texts of the form \`${dateFormat}\` in the time zone ${timeZone}`,
    };
  }
  if (writeDatesAsTimestamps) return { schema: { type: 'integer' }, told: 'milliseconds since 1970' };
  return { schema: { type: 'string', format: 'date-time' }, told: 'texts in ISO 8601' };
}

/** What a Java date pattern writes, as a regular expression: digits are told, words are not. */
function expressionOf(pattern: string): string {
  const parts = pattern.match(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+/g) ?? [];
  return parts.map((part) => (/^[A-Za-z]/.test(part) ? lettersOf(part) : literal(part))).join('');
}

function lettersOf(letters: string): string {
  const isNumber = /^(?:y+|M{1,2}|[dHhmsS]+)$/.test(letters);
  if (!isNumber) return '.+';
  // Years may have more digits than asked for; of the others, one letter stands for as many as it takes.
  if (letters.startsWith('y')) return letters.length === 2 ? '\\d{2}' : `\\d{${letters.length},}`;
  return letters.length === 1 && letters !== 'S' ? '\\d{1,2}' : `\\d{${letters.length}}`;
}

function literal(text: string): string {
  const quoted = /^'(.*)'$/s.exec(text)?.[1];
  const plain = quoted === undefined ? text : quoted === '' ? "'" : quoted.replaceAll("''", "'");
  return plain.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
