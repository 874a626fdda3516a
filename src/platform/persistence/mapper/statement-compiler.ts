import type { MapperElement } from './mapper-xml.js';
import type { DatabaseId } from './database-id.js';
import { compileSql, type TagContext } from './dynamic-sql.js';
import type { MapperProblems } from './mapper-problem.js';
import { addTo, type Declaration, type MapperDeclarations, type StatementKind } from './mapper-file.js';
import { type SqlNode } from './rendering.js';
import { ANY_OBJECT, type ResultShape, shapeOfType, type TypeNames } from './result-rows.js';

/** A statement that is ready to be rendered. */
export interface CompiledStatement {
  readonly name: string;
  readonly kind: StatementKind;
  readonly nodes: readonly SqlNode[];
  readonly shape: ResultShape;
  /** Seconds; 0 sets no limit, undefined leaves it to the default. */
  readonly timeoutSeconds: number | undefined;
}

/** No file needs more; fragments that include each other several times would multiply, and longer chains exhaust the stack. */
const MAX_DEPTH = 40;
const MAX_INCLUDES = 1000;

/** Compiles the statements of one engine and resolves what they refer to. */
export class StatementCompiler {
  constructor(
    private readonly declarations: MapperDeclarations,
    private readonly databaseId: DatabaseId,
    private readonly types: TypeNames,
    private readonly faults: MapperProblems,
  ) {}

  /** Statements by name. Fragments that no statement uses are checked too. */
  all(): ReadonlyMap<string, CompiledStatement> {
    const { statements, fragments } = this.declarations;
    const found = (list: { readonly names: readonly string[]; find: typeof statements.find }): readonly Declaration[] =>
      list.names.flatMap((name) => list.find(name, this.databaseId) ?? []);
    for (const one of found(fragments)) compileSql(one.element.children, this.context(one, [one.name]));
    return new Map(found(statements).map((one) => [one.name, this.statement(one)]));
  }

  private statement(declaration: Declaration): CompiledStatement {
    const { element, name } = declaration;
    const kind = element.name as StatementKind;
    const nodes = compileSql(element.children, this.context(declaration, []));
    if (nodes.length === 0) this.faults.add({ at: element.at, what: `The statement ${name} is empty` });
    const shape = kind === 'select' ? this.resultType(element) : ANY_OBJECT;
    return { name, kind, nodes, shape, timeoutSeconds: this.timeoutOf(element) };
  }

  private timeoutOf({ attributes, at }: MapperElement): number | undefined {
    const text = attributes.get('timeout');
    if (text === undefined) return undefined;
    if (/^\d{1,6}$/.test(text)) return Number(text);
    this.faults.add({ at, what: `The attribute timeout="${text}" is not a whole number` });
    return undefined;
  }

  private resultType({ attributes, at }: MapperElement): ResultShape {
    const name = attributes.get('resultType') ?? '';
    const shape = shapeOfType(name, this.types);
    if (shape) return shape;
    const reason = 'it is neither built in (map, string, int, long, double, boolean) nor a type of the program';
    this.faults.add({ at, what: `The type ${name} is unknown`, reason });
    return ANY_OBJECT;
  }

  /** `included` are the fragments around, which must not include themselves. */
  private context({ namespace, element }: Declaration, included: readonly string[]): TagContext {
    return this.contextOf(namespace, element.name === 'update' || element.name === 'delete', included);
  }

  private contextOf(
    namespace: string,
    isChange: boolean,
    included: readonly string[],
    budget = { includes: MAX_INCLUDES },
  ): TagContext {
    const addFault = addTo(this.faults);
    return {
      namespace,
      isChange,
      addFault,
      fragment: ({ attributes, at }) => {
        const refid = attributes.get('refid') ?? '';
        // A name without a dot is one of the same namespace.
        const name = refid.includes('.') ? refid : `${namespace}.${refid}`;
        const found = this.declarations.fragments.find(name, this.databaseId);
        if (!found || included.includes(found.name)) {
          addFault(at, found ? `The fragment ${refid} includes itself` : `The fragment ${refid} is unknown`);
          return undefined;
        }
        budget.includes -= 1;
        if (included.length > MAX_DEPTH || budget.includes < 0) {
          addFault(at, `The fragment ${refid} is included too often or too deeply`);
          return undefined;
        }
        const { children } = found.element;
        return compileSql(children, this.contextOf(namespace, isChange, [...included, found.name], budget));
      },
    };
  }
}
