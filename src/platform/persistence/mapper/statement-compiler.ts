import type { DatabaseId } from './database-id.js';
import { compileSql } from './dynamic-sql.js';
import type { MapperProblems } from './mapper-problems.js';
import type { MapperNode } from './mapper-xml.js';
import { type ResultType, resultTypeOf, type TypeNames } from './result-type.js';
import type { SqlNode } from './sql-text.js';

export type StatementKind = 'select' | 'insert' | 'update' | 'delete';

/** A statement that is ready to be rendered. */
export interface CompiledStatement {
  readonly name: string;
  readonly kind: StatementKind;
  readonly sql: SqlNode;
  readonly resultType: ResultType;
  /** Seconds; 0 sets no limit, undefined leaves it to the default. */
  readonly timeoutSeconds: number | undefined;
}

/** A statement or a fragment of a mapper file. */
interface Declaration {
  readonly namespace: string;
  /** `<namespace>.<id>`. */
  readonly name: string;
  readonly element: MapperNode;
}

type Kind = 'statement' | 'fragment';

/** The statements and fragments of all mapper files. */
export class Declarations {
  private readonly found = new Map<string, Declaration>();

  constructor(private readonly problems: MapperProblems) {}

  /** Adds the content of a file; a name may have one declaration for all engines, and one for each engine. */
  addFile(root: MapperNode): void {
    const namespace = root.attribute('namespace');
    for (const element of root.children) {
      const [kind, name] = [kindOf(element), `${namespace}.${element.attribute('id')}`];
      const key = keyOf(kind, name, element.attribute('databaseId'));
      const first = this.found.get(key)?.element.at;
      const reason = first && `the first one is in line ${first.line} of ${first.resource.path}`;
      if (first) this.problems.add(element.at, `The ${kind} ${name} is defined twice`, reason);
      else this.found.set(key, { namespace, name, element });
    }
  }

  /** Compiles the statements of one engine. Fragments that no statement uses are checked too. */
  compile(databaseId: DatabaseId, types: TypeNames): ReadonlyMap<string, CompiledStatement> {
    for (const one of this.declared('fragment', databaseId)) this.sqlOf(one, databaseId, [one.name]);
    return new Map(
      this.declared('statement', databaseId).map((one) => [one.name, this.statement(one, databaseId, types)]),
    );
  }

  private declared(kind: Kind, databaseId: DatabaseId): readonly Declaration[] {
    return [...this.found.values()].filter(
      (one) => kindOf(one.element) === kind && this.find(kind, one.name, databaseId) === one,
    );
  }

  /** A declaration for the engine wins over the one for all of them. */
  private find(kind: Kind, name: string, databaseId: DatabaseId): Declaration | undefined {
    return this.found.get(keyOf(kind, name, databaseId)) ?? this.found.get(keyOf(kind, name, ''));
  }

  private statement(declaration: Declaration, databaseId: DatabaseId, types: TypeNames): CompiledStatement {
    const { element, name, namespace } = declaration;
    const sql = this.sqlOf(declaration, databaseId, []);
    const isEmpty = element.children.every(({ text, name: tag }) => tag === '#text' && text.trim() === '');
    if (isEmpty) this.problems.add(element.at, `The statement ${name} is empty`);
    const typeName = element.attribute('resultType') || 'map';
    const resultType = resultTypeOf(typeName, namespace, types);
    const known = 'it is neither built in (map, string, int, long, double, boolean) nor a type of the program';
    if (!resultType) this.problems.add(element.at, `The type ${typeName} is unknown`, known);
    const timeoutSeconds = element.attribute('timeout');
    return {
      ...{ name, sql, kind: element.name as StatementKind, resultType: resultType ?? { kind: 'object' } },
      timeoutSeconds: timeoutSeconds === '' ? undefined : Number(timeoutSeconds),
    };
  }

  private sqlOf(
    { name, namespace, element }: Declaration,
    databaseId: DatabaseId,
    included: readonly string[],
  ): SqlNode {
    return compileSql(element, {
      ...{ statement: name, namespace, included, problems: this.problems },
      isChange: ['update', 'delete'].includes(element.name),
      fragment: (fragment) => this.find('fragment', fragment, databaseId)?.element,
    });
  }
}

function kindOf({ name }: MapperNode): Kind {
  return name === 'sql' ? 'fragment' : 'statement';
}

function keyOf(kind: Kind, name: string, databaseId: string): string {
  return `${kind} ${name} ${databaseId}`;
}
