import type { XmlElement } from './mapper-xml.js';
import type { DatabaseId } from './database-id.js';
import { checkAttributes, compileSql, contentFault, type TagContext } from './dynamic-sql.js';
import type { MapperFaults } from './mapper-fault.js';
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
    private readonly faults: MapperFaults,
  ) {}

  /** Statements by name. Fragments and result maps that no statement uses are checked too. */
  all(): ReadonlyMap<string, CompiledStatement> {
    const { statements, fragments, resultMaps } = this.declarations;
    const found = (list: { readonly names: readonly string[]; find: typeof statements.find }): readonly Declaration[] =>
      list.names.flatMap((name) => list.find(name, this.databaseId) ?? []);
    for (const one of found(fragments)) compileSql(one.element.children, this.context(one, [one.name]));
    for (const one of found(resultMaps)) this.resultMap(one, []);
    return new Map(found(statements).map((one) => [one.name, this.statement(one)]));
  }

  private statement(declaration: Declaration): CompiledStatement {
    const { element, name } = declaration;
    const kind = element.name as StatementKind;
    const nodes = compileSql(element.children, this.context(declaration, []));
    if (nodes.length === 0) this.faults.add({ at: element.at, what: `The statement ${name} is empty` });
    const parameterType = element.attributes.get('parameterType');
    if (parameterType !== undefined) this.typeNamed(parameterType, element);
    const shape = kind === 'select' ? this.shape(declaration) : ANY_OBJECT;
    this.seconds(element, 'fetchSize');
    return { name, kind, nodes, shape, timeoutSeconds: this.seconds(element, 'timeout') };
  }

  private seconds({ attributes, at }: XmlElement, attribute: string): number | undefined {
    const text = attributes.get(attribute);
    if (text === undefined) return undefined;
    if (/^\d{1,6}$/.test(text)) return Number(text);
    this.faults.add({ at, what: `The attribute ${attribute}="${text}" is not a whole number` });
    return undefined;
  }

  private shape(declaration: Declaration): ResultShape {
    const { element, namespace, name } = declaration;
    const [type, map] = [element.attributes.get('resultType'), element.attributes.get('resultMap')];
    if ((type === undefined) === (map === undefined)) {
      this.faults.add({ at: element.at, what: `The select ${name} needs a resultType or a resultMap` });
      return ANY_OBJECT;
    }
    if (type !== undefined) return this.typeNamed(type, element);
    const found = this.find('resultMaps', map ?? '', namespace);
    if (found) return this.resultMap(found, []);
    this.faults.add({ at: element.at, what: `The result map ${map ?? ''} is unknown` });
    return ANY_OBJECT;
  }

  private typeNamed(name: string, { at }: XmlElement): ResultShape {
    const shape = shapeOfType(name, this.types);
    if (shape) return shape;
    const reason = 'it is neither built in (map, string, int, long, double, boolean) nor a type of the program';
    this.faults.add({ at, what: `The type ${name} is unknown`, reason });
    return ANY_OBJECT;
  }

  private resultMap({ element, namespace, name }: Declaration, around: readonly string[]): ResultShape {
    const type = this.typeNamed(element.attributes.get('type') ?? '', element);
    if (type.kind === 'scalar') {
      this.faults.add({ at: element.at, what: `The type of the result map ${name} has no members` });
      return ANY_OBJECT;
    }
    const columns = new Map([
      ...this.inheritedColumns(element, namespace, [...around, name]),
      ...element.children.flatMap((child) => this.column(child, type.members)),
    ]);
    return { ...type, columns, isAutomatic: element.attributes.get('autoMapping') !== 'false' };
  }

  private inheritedColumns(
    { attributes, at }: XmlElement,
    namespace: string,
    around: readonly string[],
  ): ReadonlyMap<string, string> {
    const base = attributes.get('extends');
    if (base === undefined) return new Map();
    const found = this.find('resultMaps', base, namespace);
    if (!found || around.includes(found.name) || around.length > MAX_DEPTH) {
      const extended = around.length > MAX_DEPTH ? 'is extended too often' : 'extends itself';
      const what = `The result map ${base} ${found ? extended : 'is unknown'}`;
      this.faults.add({ at, what });
      return new Map();
    }
    const shape = this.resultMap(found, around);
    return shape.kind === 'object' ? shape.columns : new Map();
  }

  private column(
    child: XmlElement['children'][number],
    members: ReadonlySet<string> | undefined,
  ): readonly (readonly [string, string])[] {
    const addFault = addTo(this.faults);
    if ('text' in child) {
      if (child.text.trim() !== '') addFault(child.at, '<resultMap> contains <id> and <result> only');
      return [];
    }
    if (child.name !== 'id' && child.name !== 'result') {
      addFault(child.at, `<${child.name}> is not known in <resultMap>`, 'known are id, result');
      return [];
    }
    const facts = { required: ['column', 'property'], optional: ['jdbcType'] };
    if (!checkAttributes(child, facts, { addFault }) || contentFault(child, { addFault })) return [];
    const [column = '', property = ''] = [child.attributes.get('column'), child.attributes.get('property')];
    if (members && !members.has(property)) addFault(child.at, `The type of the result map has no member ${property}`);
    return [[column.toLowerCase(), property]];
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
        const found = this.find('fragments', refid, namespace);
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

  /** A name without a dot is one of the same namespace. */
  private find(kind: 'fragments' | 'resultMaps', name: string, namespace: string): Declaration | undefined {
    return this.declarations[kind].find(name.includes('.') ? name : `${namespace}.${name}`, this.databaseId);
  }
}
