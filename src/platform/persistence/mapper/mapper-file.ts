import type { Position } from '../../../config/read/origin.js';
import { checkAttributes, type TagContext, type TagFacts } from './dynamic-sql.js';
import { DATABASE_IDS, type DatabaseId } from './database-id.js';
import type { MapperProblems } from './mapper-problem.js';
import type { MapperElement } from './mapper-xml.js';

export type StatementKind = 'select' | 'insert' | 'update' | 'delete';

/** An element of a mapper file that others name by its id. */
export interface Declaration {
  readonly namespace: string;
  /** `<namespace>.<id>`. */
  readonly name: string;
  readonly databaseId: DatabaseId | undefined;
  readonly element: MapperElement;
}

/** Declarations by name; each name has one for all engines, and one for each engine at most. */
class Declarations {
  private readonly byName = new Map<string, Declaration[]>();

  constructor(private readonly word: string) {}

  add(declaration: Declaration, faults: MapperProblems): void {
    const { name, databaseId, element } = declaration;
    const same = this.byName.get(name) ?? [];
    const first = same.find((other) => other.databaseId === databaseId);
    if (first) {
      const reason = `the first one is in line ${first.element.at.line} of ${first.element.at.resource.path}`;
      faults.add({ at: element.at, what: `The ${this.word} ${name} is defined twice`, reason });
    } else this.byName.set(name, [...same, declaration]);
  }

  /** A declaration for the engine wins over the one for all of them. */
  find(name: string, databaseId: DatabaseId): Declaration | undefined {
    const same = this.byName.get(name) ?? [];
    return same.find((one) => one.databaseId === databaseId) ?? same.find((one) => one.databaseId === undefined);
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }
}

/** The declarations of all mapper files. */
export class MapperDeclarations {
  readonly statements = new Declarations('statement');
  readonly fragments = new Declarations('fragment');
}

const STATEMENT = ['timeout', 'databaseId'];

/** The elements of a mapper file with their attributes besides `id`. */
const ELEMENTS: Readonly<Record<string, TagFacts>> = {
  select: { required: ['id', 'resultType'], optional: STATEMENT },
  insert: { required: ['id'], optional: STATEMENT },
  update: { required: ['id'], optional: STATEMENT },
  delete: { required: ['id'], optional: STATEMENT },
  sql: { required: ['id'], optional: ['databaseId'] },
};

const NAMESPACE = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;
const ID = /^[A-Za-z_][\w-]*$/;

/** Adds the declarations of one file. */
export function declare(root: MapperElement, declarations: MapperDeclarations, faults: MapperProblems): void {
  const addFault = addTo(faults);
  if (root.name !== 'mapper') {
    addFault(root.at, `A mapper file begins with <mapper>, not <${root.name}>`);
    return;
  }
  if (!checkAttributes(root, { required: ['namespace'] }, { addFault })) return;
  const namespace = root.attributes.get('namespace') ?? '';
  if (!NAMESPACE.test(namespace)) {
    addFault(root.at, `"${namespace}" is no namespace`, 'it consists of names with dots between them');
    return;
  }
  for (const element of root.children) {
    if ('text' in element) {
      if (element.text.trim() !== '') addFault(element.at, 'Text in <mapper> belongs to no statement');
    } else declareElement(element, namespace, declarations, faults);
  }
}

function declareElement(
  element: MapperElement,
  namespace: string,
  declarations: MapperDeclarations,
  faults: MapperProblems,
): void {
  const addFault = addTo(faults);
  const { name, at, attributes } = element;
  const facts = Object.hasOwn(ELEMENTS, name) ? ELEMENTS[name] : undefined;
  if (!facts) {
    addFault(at, `<${name}> is not known in <mapper>`, `known are ${Object.keys(ELEMENTS).join(', ')}`);
    return;
  }
  if (!checkAttributes(element, facts, { addFault })) return;
  const [id = '', databaseId] = [attributes.get('id'), attributes.get('databaseId')];
  if (!ID.test(id)) {
    addFault(at, `"${id}" is no id`, 'it consists of letters, digits, "_" and "-"');
    return;
  }
  if (databaseId !== undefined && !isDatabaseId(databaseId)) {
    addFault(at, `"${databaseId}" is no database id`, `known are ${DATABASE_IDS.join(', ')}`);
    return;
  }
  const kind = name === 'sql' ? 'fragments' : 'statements';
  declarations[kind].add({ namespace, name: `${namespace}.${id}`, databaseId, element }, faults);
}

function isDatabaseId(text: string): text is DatabaseId {
  return (DATABASE_IDS as readonly string[]).includes(text);
}

export function addTo(faults: MapperProblems): TagContext['addFault'] {
  return (at: Position, what: string, reason?: string) => {
    faults.add({ at, what, reason });
  };
}
