import type { Position } from '../../../config/read/origin.js';
import { type Expression, ExpressionProblem, isTrue, parseExpression } from './expression.js';
import { Mapping } from './mapping.js';
import type { MapperElement, MapperText } from './mapper-xml.js';
import type { SqlNode } from './rendering.js';
import { isInheritedName } from './scope.js';
import { readSqlText } from './sql-text.js';

/** What the tags of one statement need from around them. */
export interface TagContext {
  readonly namespace: string;
  /** The statement may change rows, so that an empty condition would change all of them. */
  readonly isChange: boolean;
  readonly addFault: (at: Position, what: string, reason?: string) => void;
  /** The content of a fragment; undefined with a fault if it cannot be included. */
  readonly fragment: (include: MapperElement) => readonly SqlNode[] | undefined;
}

/** The attributes of a tag. */
export interface TagFacts {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
}

const TAGS: Readonly<Record<string, TagFacts>> = {
  if: { required: ['test'] },
  when: { required: ['test'] },
  otherwise: {},
  choose: {},
  where: {},
  foreach: {
    required: ['collection'],
    optional: ['item', 'index', 'open', 'close', 'separator', 'nullable'],
  },
  include: { required: ['refid'] },
};

const CHOICES: readonly string[] = ['when', 'otherwise'];

/** Compiles text and tags; a part with a fault is left out. */
export function compileSql(children: readonly (MapperElement | MapperText)[], context: TagContext): readonly SqlNode[] {
  return children.flatMap((child) => ('text' in child ? compileText(child, context) : compileTag(child, context)));
}

function compileText({ text, at }: MapperText, { namespace, addFault }: TagContext): readonly SqlNode[] {
  const parts = readSqlText(text, at, (fault) => {
    addFault(fault.at, 'The text of a statement cannot be used', fault.reason);
  });
  // Blanks inside quotes belong to a value, and a line break ends a comment.
  const isPlain = !/['"`#]|--/.test(parts.map((part) => (part.kind === 'sql' ? part.sql : '')).join(''));
  return parts.flatMap((part): SqlNode[] => {
    if (part.kind === 'value')
      return [
        (rendering) => {
          rendering.bind(part.path);
        },
      ];
    if (part.kind === 'sql') {
      const sql = isPlain ? part.sql.replaceAll(/\s+/g, ' ') : part.sql;
      return [
        (rendering) => {
          rendering.sql += sql;
        },
      ];
    }
    if (!Mapping.allows(namespace, part.name)) {
      addFault(at, 'The text of a statement cannot be used', `the program allows no \${${part.name}} in ${namespace}`);
      return [];
    }
    return [
      (rendering) => {
        const value = rendering.scope.find(part.name);
        rendering.sql += Mapping.allowedText(namespace, part.name, value);
      },
    ];
  });
}

function compileTag(element: MapperElement, context: TagContext): readonly SqlNode[] {
  const { name, at, attributes } = element;
  const facts = Object.hasOwn(TAGS, name) && !CHOICES.includes(name) ? TAGS[name] : undefined;
  if (!facts) {
    context.addFault(at, `<${name}> is not known here`, `known are ${knownTags()}`);
    return [];
  }
  if (!checkAttributes(element, facts, context)) return [];
  const inside = (): readonly SqlNode[] => compileSql(element.children, context);
  switch (name) {
    case 'if':
      return conditional(element, context);
    case 'choose':
      return choose(element, context);
    case 'where':
      return [where(inside(), context.isChange)];
    case 'foreach':
      return foreach(element, inside(), context);
    default:
      return contentFault(element, context) ? [] : (context.fragment({ ...element, attributes }) ?? []);
  }
}

function knownTags(): string {
  return Object.keys(TAGS)
    .filter((name) => !CHOICES.includes(name))
    .join(', ');
}

/** Reports attributes that are missing or unknown. */
export function checkAttributes(
  { name, at, attributes }: MapperElement,
  { required = [], optional = [] }: TagFacts,
  { addFault }: Pick<TagContext, 'addFault'>,
): boolean {
  const missing = required.filter((attribute) => !attributes.get(attribute));
  const unknown = [...attributes.keys()].filter((attribute) => ![...required, ...optional].includes(attribute));
  for (const attribute of missing) addFault(at, `<${name}> needs the attribute ${attribute}`);
  for (const attribute of unknown) {
    const known = [...required, ...optional].join(', ') || 'none';
    addFault(at, `<${name}> has no attribute ${attribute}`, `known are: ${known}`);
  }
  return missing.length === 0 && unknown.length === 0;
}

/** Reports content of an element that must be empty. */
export function contentFault(
  { name, at, children }: MapperElement,
  { addFault }: Pick<TagContext, 'addFault'>,
): boolean {
  const isEmpty = children.every((child) => 'text' in child && child.text.trim() === '');
  if (!isEmpty) addFault(at, `<${name}> has no content`);
  return !isEmpty;
}

function expressionOf(element: MapperElement, attribute: string, { addFault }: TagContext): Expression {
  const text = element.attributes.get(attribute) ?? '';
  const expression = parseExpression(text);
  if (!(expression instanceof ExpressionProblem)) return expression;
  addFault(element.at, `The expression ${attribute}="${text}" cannot be used`, expression.reason);
  return () => null;
}

function conditional(element: MapperElement, context: TagContext): readonly SqlNode[] {
  const test = expressionOf(element, 'test', context);
  const inside = compileSql(element.children, context);
  return [
    (rendering) => {
      if (isTrue(test(rendering.scope))) for (const node of inside) node(rendering);
    },
  ];
}

function choose({ name, at, children }: MapperElement, context: TagContext): readonly SqlNode[] {
  const choices: { readonly test: Expression; readonly inside: readonly SqlNode[] }[] = [];
  let hasOtherwise = false;
  for (const child of children) {
    if ('text' in child) {
      if (child.text.trim() !== '') context.addFault(child.at, `<${name}> contains <when> and <otherwise> only`);
      continue;
    }
    const facts = CHOICES.includes(child.name) ? TAGS[child.name] : undefined;
    if (!facts || hasOtherwise) {
      const reason = facts ? '<otherwise> is the last one' : undefined;
      context.addFault(child.at, `<${child.name}> is not expected in <${name}>`, reason);
      continue;
    }
    hasOtherwise = child.name === 'otherwise';
    if (!checkAttributes(child, facts, context)) continue;
    const test = hasOtherwise ? () => true : expressionOf(child, 'test', context);
    choices.push({ test, inside: compileSql(child.children, context) });
  }
  if (choices.length === 0) context.addFault(at, `<${name}> needs a <when>`);
  return [
    (rendering) => {
      const chosen = choices.find(({ test }) => isTrue(test(rendering.scope)));
      for (const node of chosen?.inside ?? []) node(rendering);
    },
  ];
}

/** The first conjunction of conditions; a parenthesis behind it stays. */
const CONJUNCTION = /^(?:AND|OR)(?:\s+|(?=\())/i;

/** A WHERE without any condition adds nothing to a select. A change would then affect every row, so it is refused. */
function where(inside: readonly SqlNode[], isChange: boolean): SqlNode {
  return (rendering) => {
    const sql = rendering.apart(inside);
    if (sql !== '') rendering.sql += ` WHERE ${sql.replace(CONJUNCTION, '')} `;
    else if (isChange) {
      throw new TypeError(`no condition of ${rendering.statement} applies, so it would change every row`);
    }
  };
}

function foreach(element: MapperElement, inside: readonly SqlNode[], context: TagContext): readonly SqlNode[] {
  const { attributes, at } = element;
  const value = (name: string): string => attributes.get(name) ?? '';
  const collection = expressionOf(element, 'collection', context);
  const [item, index] = [value('item') || 'item', value('index') || 'index'];
  const [open, close, separator] = [value('open'), value('close'), value('separator')];
  for (const text of [open, close, separator]) {
    if (/[?#$]/.test(text))
      context.addFault(at, 'An attribute of <foreach> cannot be used', 'it contains "?", "#" or "$"');
  }
  for (const name of [item, index]) checkName(name, element, context);
  const isNullable = value('nullable') === 'true';
  return [
    (rendering) => {
      const list = collection(rendering.scope);
      if (!Array.isArray(list) || list.length === 0) {
        if (isNullable && (list === null || Array.isArray(list))) return;
        throw new TypeError(`<foreach> of ${rendering.statement} needs a list with an element`);
      }
      rendering.sql += open;
      for (const [position, each] of (list as readonly unknown[]).entries()) {
        if (position > 0) rendering.sql += separator;
        rendering.within({ [item]: each, [index]: position }, position, inside);
      }
      rendering.sql += close;
    },
  ];
}

function checkName(name: string, { at }: MapperElement, { addFault }: TagContext): void {
  if (/^[A-Za-z_]\w*$/.test(name) && !isInheritedName(name)) return;
  addFault(at, `"${name}" is not the name of a parameter`);
}
