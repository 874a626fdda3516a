import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { JsonSchema, Parameter } from './document.js';
import type { WriteSchema } from './json-schema.js';
import type { Route, RouteInput } from './routes.js';

/** The path in OpenAPI syntax: `/sessions/{id}`. */
export function pathOf(template: string): string {
  return template.replaceAll(/:(\w+)/g, '{$1}');
}

export function parametersOf({ access, inputs }: Route, write: WriteSchema): readonly Parameter[] {
  const inPath = Array.from(access.template.matchAll(/:(\w+)/g), ([, name = '']) => name);
  const known = declared('path', inputs, write);
  const path = inPath.map((name) => ({ name, schema: known.get(name)?.schema ?? { type: 'string' }, required: true }));
  const query = Array.from(declared('query', inputs, write), ([name, member]) => ({ name, ...member }));
  return [...path.map((member) => parameter('path', member)), ...query.map((member) => parameter('query', member))];
}

interface Member {
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Members of the parameters of a handler, which takes them as one object or one by one. */
function declared(
  from: RouteInput['from'],
  inputs: readonly RouteInput[],
  write: WriteSchema,
): ReadonlyMap<string, Member> {
  const members = inputs
    .filter((input) => input.from === from)
    .flatMap(({ name, schema: declaredAs }): (readonly [string, Member])[] => {
      const schema: JsonSchema = declaredAs ? write(declaredAs, 'input') : { type: 'string' };
      if (name !== undefined) return [[name, { schema, required: true }]];
      const { properties = {}, required = [] } = schema;
      return Object.entries(properties).map(([key, of]) => [key, { schema: of, required: required.includes(key) }]);
    });
  return new Map(members);
}

function parameter(place: Parameter['in'], { name, schema, required }: Member & { readonly name: string }): Parameter {
  const { description, ...rest } = schema;
  return {
    name,
    in: place,
    required,
    ...withoutUndefined({ description }),
    schema: withTypedDefault(rest),
  };
}

/** Converts the default of a query parameter, which is a text, to the type of the parameter. */
function withTypedDefault(schema: JsonSchema): JsonSchema {
  const { default: text, type } = schema;
  if (typeof text !== 'string' || type === 'string') return schema;
  return { ...schema, default: JSON.parse(text) as unknown };
}
