import { parseTest, pathOf } from './expression.js';
import type { MapperProblems } from './mapper-problems.js';
import type { MapperNode } from './mapper-xml.js';
import { joined, NOTHING, readSqlText, type Sql, type SqlNode } from './sql-text.js';

/** The statement that tags belong to. */
export interface SqlContext {
  /** Name of the statement. */
  readonly statement: string;
  readonly namespace: string;
  /** The statement may change rows, so that an empty condition would change all of them. */
  readonly isChange: boolean;
  /** Names of the fragments that contain the tags. */
  readonly included: readonly string[];
  readonly problems: MapperProblems;
  readonly fragment: (name: string) => MapperNode | undefined;
}

/** No file needs more; fragments that include others several times would multiply. */
const MAX_INCLUDES = 10;

/** Compiles text and tags; a part with a problem is left out. */
export function compileSql({ children }: MapperNode, context: SqlContext): SqlNode {
  const nodes = children.flatMap((child) => compileNode(child, context));
  return (scope) => joined(nodes.map((node) => node(scope)));
}

function compileNode(node: MapperNode, context: SqlContext): SqlNode | readonly SqlNode[] {
  switch (node.name) {
    case '#text':
      return readSqlText(node, context);
    case 'include':
      return include(node, context);
    case 'foreach':
      return foreach(node, context);
    case 'where':
      return where(compileSql(node, context), context);
    case 'choose':
      return choose(node, context);
    default:
      return firstOf([conditional(node, context)]);
  }
}

function expression<T>(
  node: MapperNode,
  attribute: string,
  parse: (text: string) => T,
  { problems }: SqlContext,
): T | undefined {
  const text = node.attribute(attribute);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    problems.add(node.at, `The expression ${attribute}="${text}" cannot be used`, error.message);
    return undefined;
  }
}

/** SQL that applies if its test is true; undefined if it does not apply. */
type Conditional = (...call: Parameters<SqlNode>) => Sql | undefined;

function conditional(node: MapperNode, context: SqlContext): Conditional {
  const test = node.name === 'otherwise' ? () => true : expression(node, 'test', parseTest, context);
  const content = compileSql(node, context);
  return (scope) => (test?.(scope) ? content(scope) : undefined);
}

function firstOf(choices: readonly Conditional[]): SqlNode {
  return (scope) => {
    for (const choice of choices) {
      const sql = choice(scope);
      if (sql) return sql;
    }
    return NOTHING;
  };
}

function choose({ children, at }: MapperNode, context: SqlContext): SqlNode {
  const names = children.map(({ name }) => name);
  if (names.length === 0) context.problems.add(at, '<choose> needs a <when>');
  if (names.slice(0, -1).includes('otherwise')) context.problems.add(at, '<otherwise> is the last element of <choose>');
  return firstOf(children.map((child) => conditional(child, context)));
}

/** The first conjunction of conditions; a parenthesis behind it stays. */
const CONJUNCTION = /^(?:AND|OR)(?:\s+|(?=\())/i;

/** A WHERE without any condition adds nothing to a select. A change would then affect every row, so the call fails. */
function where(content: SqlNode, { isChange, statement }: SqlContext): SqlNode {
  return (scope) => {
    const { text, bound } = content(scope);
    const conditions = text.trim().replace(CONJUNCTION, '');
    if (conditions !== '') return { text: ` WHERE ${conditions} `, bound };
    if (isChange) throw new TypeError(`no condition of ${statement} applies, so it would change every row`);
    return NOTHING;
  };
}

function foreach(node: MapperNode, context: SqlContext): SqlNode {
  const collection = expression(node, 'collection', pathOf, context);
  const content = compileSql(node, context);
  const [item, index] = [node.attribute('item') || 'item', node.attribute('index') || 'index'];
  return (scope) => {
    const list = collection?.(scope);
    if (!Array.isArray(list) || list.length === 0) {
      throw new TypeError(`<foreach> of ${context.statement} needs a list with an element`);
    }
    const parts = (list as readonly unknown[]).map((value, position) => {
      const { text, bound } = content({ ...scope, [item]: value, [index]: position });
      return { text, bound: bound.map((each) => ({ ...each, name: each.name.replace(/(?=\[|$)/, `[${position}]`) })) };
    });
    const { text, bound } = joined(parts, node.attribute('separator'));
    return { text: node.attribute('open') + text + node.attribute('close'), bound };
  };
}

/** Compiles the content of a fragment in place; a name without a dot is one of the same namespace. */
function include(node: MapperNode, context: SqlContext): SqlNode | readonly SqlNode[] {
  const refid = node.attribute('refid');
  const name = refid.includes('.') ? refid : `${context.namespace}.${refid}`;
  const fragment = context.fragment(name);
  const isNested = context.included.includes(name) || context.included.length > MAX_INCLUDES;
  if (fragment && !isNested) return compileSql(fragment, { ...context, included: [...context.included, name] });
  const problem = fragment ? 'includes itself, or is included too deeply' : 'is unknown';
  context.problems.add(node.at, `The fragment ${refid} ${problem}`);
  return [];
}
