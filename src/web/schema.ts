import * as v from 'valibot';
import type { FieldError } from '../errors/service-error.js';

/** Why a member does not fit; a closed list (docs/errors.md). */
export const FIELD_CODES = ['required', 'type', 'unknown', 'too_short', 'too_long', 'range', 'format'] as const;
type FieldCode = (typeof FIELD_CODES)[number];

const CODE_OF_RULE: Readonly<Record<string, FieldCode>> = {
  non_empty: 'too_short',
  min_length: 'too_short',
  min_bytes: 'too_short',
  max_length: 'too_long',
  max_bytes: 'too_long',
  min_value: 'range',
  max_value: 'range',
};

/** Longest name of an unknown member that is told back, and most members that are told at once. */
const LONGEST_FIELD = 64;
const MOST_ERRORS = 20;

/** An issue of a schema; valibot's own say more than the standard asks for. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: unknown })[] | undefined;
  readonly kind?: unknown;
  readonly type?: unknown;
  readonly expected?: unknown;
  readonly received?: unknown;
}

/** Tells a caller which members do not fit; `parameter` is the one the whole shape stands for, where it is one. */
export function fieldErrors(issues: readonly Issue[], parameter?: string): readonly FieldError[] {
  return issues.slice(0, MOST_ERRORS).map((issue) => ({ field: fieldOf(issue, parameter), code: codeOf(issue) }));
}

function fieldOf({ path = [] }: Issue, parameter: string | undefined): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return [...(parameter === undefined ? [] : [parameter]), ...keys].join('.').slice(0, LONGEST_FIELD).toWellFormed();
}

function codeOf({ kind, type, message, expected, received }: Issue): FieldCode {
  if (kind === 'schema') {
    if (expected === 'never') return 'unknown';
    if (received === 'undefined') return 'required';
    return type === 'picklist' || type === 'literal' ? 'format' : 'type';
  }
  // A rule of our own (`v.check`, `v.rawCheck`) says its code as its message.
  return CODE_OF_RULE[String(type)] ?? (isFieldCode(message) ? message : 'format');
}

function isFieldCode(text: string): text is FieldCode {
  return (FIELD_CODES as readonly string[]).includes(text);
}

/** What stands in the description of the interface in place of all before it in the pipe: a JSON Schema. */
export function describedAs<T>(schema: object): v.MetadataAction<T, { readonly describedAs: object }> {
  return v.metadata({ describedAs: schema });
}

/** Text of `min` to `max` characters (UTF-16 units). */
export function text(max: number, min = 1): v.GenericSchema<string> {
  return v.pipe(v.string(), v.minLength(min), v.maxLength(max));
}

/** Text of 1 to `max` bytes of UTF-8. */
export function textOfBytes(max: number): v.GenericSchema<string> {
  return v.pipe(v.string(), v.minLength(1), v.maxBytes(max));
}

/** A list that nobody changes any more. */
export function listOf<T extends v.GenericSchema>(
  item: T,
): v.SchemaWithPipe<
  readonly [v.ArraySchema<T, undefined>, v.ReadonlyAction<v.InferOutput<v.ArraySchema<T, undefined>>>]
> {
  return v.pipe(v.array(item), v.readonly());
}

const MOST_ITEMS = 200;
const USUAL_ITEMS = 50;

/** Query members of every list: `limit` items (50 by default, at most 200), `after` the `next` of the page before. */
export const pageMembers = {
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[1-9]\d{0,2}$/),
      describedAs({ type: 'integer', minimum: 1, maximum: MOST_ITEMS, description: 'How many items at most.' }),
      v.transform(Number),
      v.maxValue(MOST_ITEMS),
    ),
    String(USUAL_ITEMS),
  ),
  after: v.optional(v.pipe(text(128), v.description('The `next` of the page before.'))),
};
