import type { JsonSchema } from './document.js';
import { inlineCode, type Html, html } from '../../../kernel/encoding/html.js';

/** Describes a schema as text, with a list of its members. */
export function outline(schema: JsonSchema): Html {
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms && !isNullable(schema)) {
    return html`<span class="quiet">one of</span>
      <ul>
        ${forms.map((form) => html`<li>${outline(form)}${descriptionOf(form)}</li>`)}
      </ul>`;
  }
  const inner = schema.items ?? schema;
  const kind = html`<span class="quiet">${typeText(schema)}</span>`;
  return inner.properties ? html`${kind}${members(inner)}` : kind;
}

function members({ properties = {}, required = [] }: JsonSchema): Html {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : html` <em class="quiet">may be left out</em>`;
    return html`<li><code>${name}</code> ${outline(schema)}${optional}${descriptionOf(schema)}</li>`;
  });
  return html`<ul>
    ${rows}
  </ul>`;
}

function descriptionOf({ description }: JsonSchema): Html | undefined {
  return description === undefined ? undefined : html` ${inlineCode(description)}`;
}

/** Type and limits, e.g. `text, 1 to 255 characters`. */
function typeText(schema: JsonSchema): string {
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (schema.enum) return `one of ${schema.enum.map(String).join(', ')}`;
  const inner = isNullable(schema);
  if (inner) return `${typeText(inner)}, or null`;
  const { type, items } = schema;
  switch (type) {
    case 'array':
      return [
        'list',
        ...(items ? [`of ${typeText(items).replace(/^one of /, '')}`] : []),
        ...limits(schema, 'Items', 'items'),
      ].join(' ');
    case 'string':
      return ['text', ...formOf(schema), ...limits(schema, 'Length', 'characters')].join(', ');
    case 'integer':
      return ['whole number', ...limits(schema, 'imum', '')].join(' ').trim();
    case 'object':
      return schema.properties && Object.keys(schema.properties).length === 0 ? 'object without members' : 'object';
    default:
      return typeof type === 'string' ? type : 'anything';
  }
}

/** Format of a text; a pattern is shown only without a description, which is clearer. */
function formOf({ format, pattern, description }: JsonSchema): readonly string[] {
  if (typeof format === 'string') return [format];
  return typeof pattern === 'string' && description === undefined ? [`of the form ${pattern}`] : [];
}

function limits(schema: JsonSchema, what: 'Items' | 'Length' | 'imum', unit: string): readonly string[] {
  const [min, max] = [schema[`min${what}`], schema[`max${what}`]].map((limit) =>
    typeof limit === 'number' ? limit : undefined,
  );
  if (min === undefined && max === undefined) return [];
  return [`${rangeOf(min, max)} ${unit}`.trim()];
}

function rangeOf(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return `at least ${min ?? 0}`;
  if (min === undefined) return `at most ${max}`;
  return min === max ? `${min}` : `${min} to ${max}`;
}

/** The schema of a nullable member without null; undefined for other schemas. */
function isNullable({ anyOf }: JsonSchema): JsonSchema | undefined {
  const [form, ...others] = anyOf ?? [];
  return others.length === 1 && others[0]?.type === 'null' ? form : undefined;
}
