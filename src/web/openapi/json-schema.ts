import { type ConversionConfig, type JsonSchema as Converted, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { DateSchema } from './date-schema.js';
import type { JsonSchema } from './document.js';

/** Writes a schema as JSON Schema: `input` as callers send it, `output` as handlers give it. */
export type WriteSchema = (schema: GenericSchema, side: 'input' | 'output') => JsonSchema;

const NO_NUL = '^[^\\u0000]*$';
const SAYS_MORE = ['pattern', 'format', 'enum', 'const', 'contentMediaType', 'contentEncoding'];

/** `date` is how an instant looks in an answer. */
export function schemaWriter(date: DateSchema): WriteSchema {
  const overrides: ConversionConfig = {
    target: 'draft-2020-12',
    overrideSchema: ({ valibotSchema: { type }, jsonSchema }) => {
      if (type === 'date') return { ...date };
      const { required = [], ...others } = jsonSchema;
      // Said where it is meant: every other object of an answer may gain members as well.
      const loose = type === 'loose_object' ? { additionalProperties: true } : {};
      return type.endsWith('object') ? { ...others, ...(required.length > 0 && { required }), ...loose } : undefined;
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      switch (valibotAction.type) {
        case 'metadata':
          return replacement(valibotAction);
        case 'max_bytes':
          // No character takes less than a byte; that some take more is for the service to say.
          return {
            ...jsonSchema,
            maxLength: Number((valibotAction as { readonly requirement?: unknown }).requirement),
          };
        // Rules that JSON Schema has no word for; what it can say of them stands beside them as metadata.
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
    // The dialect is that of the document.
    const written = Object.fromEntries(Object.entries(converted).filter(([keyword]) => keyword !== '$schema'));
    return typeMode === 'input' ? withoutNul(written) : written;
  };
}

/** No text of a request takes a NUL, wherever it stands; one with a pattern or a content of its own says what it takes. */
function withoutNul<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutNul) as T;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withoutNul<unknown>(value)]));
  const isFreeText = copy['type'] === 'string' && !SAYS_MORE.some((keyword) => keyword in copy);
  return { ...copy, ...(isFreeText && { pattern: NO_NUL }) } as T;
}

/** The schema that `withJsonSchema` (src/web/schema.ts) has set. */
function replacement(action: object): Converted | undefined {
  const { metadata } = action as { readonly metadata?: { readonly jsonSchema?: Converted } };
  return metadata?.jsonSchema && { ...metadata.jsonSchema };
}
