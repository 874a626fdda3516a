import * as v from 'valibot';
import type { FieldError } from '../../kernel/errors/service-error.js';

/** Codes of `errors[].code` in problem bodies (docs/reference/errors.md). */
const FIELD_CODES = ['required', 'type', 'unknown', 'too_short', 'too_long', 'range', 'format'] as const;
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

/** Limits of what a response repeats from the request: length of a member name, and number of members. */
const MAX_FIELD_LENGTH = 64;
const MAX_ERRORS = 20;

/** An issue of Standard Schema, with the additional members of valibot. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: unknown })[] | undefined;
  readonly kind?: unknown;
  readonly type?: unknown;
  readonly expected?: unknown;
  readonly received?: unknown;
}

/** Converts issues to the `errors` of a problem body; `parameter` names the validated parameter, if it is only one. */
export function fieldErrors(issues: readonly Issue[], parameter?: string): readonly FieldError[] {
  return issues.slice(0, MAX_ERRORS).map((issue) => ({ field: fieldOf(issue, parameter), code: codeOf(issue) }));
}

function fieldOf({ path = [] }: Issue, parameter: string | undefined): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return [...(parameter === undefined ? [] : [parameter]), ...keys].join('.').slice(0, MAX_FIELD_LENGTH).toWellFormed();
}

function codeOf({ kind, type, message, expected, received }: Issue): FieldCode {
  if (kind === 'schema') {
    if (expected === 'never') return 'unknown';
    if (received === 'undefined') return 'required';
    return type === 'picklist' || type === 'literal' ? 'format' : 'type';
  }
  // A custom check (`v.check`, `v.rawCheck`) has its code as the message.
  return CODE_OF_RULE[String(type)] ?? (isFieldCode(message) ? message : 'format');
}

function isFieldCode(text: string): text is FieldCode {
  return (FIELD_CODES as readonly string[]).includes(text);
}

/** Replaces everything before it in the pipe by this JSON Schema in the OpenAPI document. */
export function withJsonSchema<T>(schema: object): v.MetadataAction<T, { readonly jsonSchema: object }> {
  return v.metadata({ jsonSchema: schema });
}

/** Text of `min` to `max` characters (UTF-16 units). */
export function text(max: number, min = 1): v.GenericSchema<string> {
  return v.pipe(v.string(), v.minLength(min), v.maxLength(max));
}

/** Text of 1 to `max` bytes of UTF-8. */
export function textOfBytes(max: number): v.GenericSchema<string> {
  return v.pipe(v.string(), v.minLength(1), v.maxBytes(max));
}

/** A read-only array. */
export function listOf<T extends v.GenericSchema>(
  item: T,
): v.SchemaWithPipe<
  readonly [v.ArraySchema<T, undefined>, v.ReadonlyAction<v.InferOutput<v.ArraySchema<T, undefined>>>]
> {
  return v.pipe(v.array(item), v.readonly());
}

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** Query of every list: `limit` items (50 by default, at most 200), `after` is the `next` of the previous slice. */
export const paginationSchema = v.strictObject({
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[1-9]\d{0,2}$/),
      withJsonSchema({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Maximum number of items.' }),
      v.transform(Number),
      v.maxValue(MAX_LIMIT),
    ),
    String(DEFAULT_LIMIT),
  ),
  after: v.optional(v.pipe(text(128), v.description('The `next` of the previous slice.'))),
});
