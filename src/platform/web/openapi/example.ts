import type { JsonSchema } from './document.js';

/** An example value of the right type, with dots for unknown texts and without optional members. */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [form] = schema.oneOf ?? schema.anyOf ?? [];
  if (form && schema.type === undefined) return exampleOf(form);
  const { type, properties = {}, required = [], items } = schema;
  switch (type) {
    case 'object':
      return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
    case 'array':
      return items ? [exampleOf(items)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    default:
      return '...';
  }
}
