import { type ConversionConfig, type JsonSchema as Converted, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { DateSchema } from './date-schema.js';
import type { JsonSchema } from './document.js';

/** Writes a valibot schema as JSON Schema: `input` as callers send it, `output` as handlers return it. */
export type WriteSchema = (schema: GenericSchema, side: 'input' | 'output') => JsonSchema;

const NO_NUL = '^[^\\u0000]*$';
const SAYS_MORE = ['pattern', 'format', 'enum', 'const', 'contentMediaType', 'contentEncoding'];

/** `date` is the schema of an instant in a response. */
export function schemaWriter(date: DateSchema): WriteSchema {
  const overrides: ConversionConfig = {
    target: 'draft-2020-12',
    overrideSchema: ({ valibotSchema: { type }, jsonSchema }) => {
      if (type === 'date') return { ...date };
      const { required = [], ...others } = jsonSchema;
      // `additionalProperties` is false for strict objects only: other objects of a response may gain members.
      const loose = type === 'loose_object' ? { additionalProperties: true } : {};
      return type.endsWith('object') ? { ...others, ...(required.length > 0 && { required }), ...loose } : undefined;
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      switch (valibotAction.type) {
        case 'metadata':
          return replacement(valibotAction);
        case 'max_bytes':
          // A character takes at least one byte; the service itself checks characters with more bytes.
          return {
            ...jsonSchema,
            maxLength: Number((valibotAction as { readonly requirement?: unknown }).requirement),
          };
        // Checks without equivalent in JSON Schema; their metadata describe as much as possible.
        case 'check':
        case 'readonly':
          return { ...jsonSchema };
        default:
          return undefined;
      }
    },
  };
  return (schema, typeMode) => {
    const converted: object = toJsonSchema(schema, { ...overrides, typeMode });
    // Removes `$schema`, since the document states the dialect.
    const written = Object.fromEntries(Object.entries(converted).filter(([keyword]) => keyword !== '$schema'));
    return typeMode === 'input' ? withoutNul(written) : written;
  };
}

/** A text in a request must not contain NUL; a text with its own pattern or content states its rule itself. */
function withoutNul<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutNul) as T;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withoutNul<unknown>(value)]));
  const isFreeText = copy['type'] === 'string' && !SAYS_MORE.some((keyword) => keyword in copy);
  return { ...copy, ...(isFreeText && { pattern: NO_NUL }) } as T;
}

/** The schema of `withJsonSchema` (src/platform/web/schema.ts). */
function replacement(action: object): Converted | undefined {
  const { metadata } = action as { readonly metadata?: { readonly jsonSchema?: Converted } };
  return metadata?.jsonSchema && { ...metadata.jsonSchema };
}
