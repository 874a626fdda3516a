/** What the program declares for the mapper files of one namespace. */
interface MappingFacts {
  /** Result types by name, with their members. */
  readonly types?: Readonly<Record<string, readonly string[]>>;
  /** The values that `${name}` may take, by name; called when a statement is rendered. */
  readonly texts?: Readonly<Record<string, () => readonly string[]>>;
}

/** Identifiers and directions; nothing that could end a part of a statement. */
const PLAIN_TEXT = /^[A-Za-z_][A-Za-z0-9_]{0,63}(?: (?:ASC|DESC))?$/;

const registered = new Map<string, Mapping>();

/** Declares result types and allowed texts. Exporting it from a `*.mapping.ts` file registers it. */
export class Mapping {
  constructor(
    readonly namespace: string,
    private readonly facts: MappingFacts,
  ) {
    registered.set(namespace, this);
  }

  /** Members of a result type; undefined if this mapping does not declare the type. */
  static membersOf(fullName: string): ReadonlySet<string> | undefined {
    const [, namespace = '', name = ''] = /^(.+)\.([^.]+)$/.exec(fullName) ?? [];
    const types = registered.get(namespace)?.facts.types ?? {};
    return Object.hasOwn(types, name) ? new Set(types[name]) : undefined;
  }

  /** True if `${name}` may be written in the statements of a namespace. */
  static allows(namespace: string, name: string): boolean {
    return Object.hasOwn(registered.get(namespace)?.facts.texts ?? {}, name);
  }

  /** @throws TypeError if the value is not one of those that the program declares */
  static allowedText(namespace: string, name: string, value: unknown): string {
    const texts = registered.get(namespace)?.facts.texts ?? {};
    const allowed = Object.hasOwn(texts, name) ? (texts[name]?.() ?? []) : [];
    if (typeof value === 'string' && allowed.includes(value) && PLAIN_TEXT.test(value)) return value;
    throw new TypeError(`the value of \${${name}} is not one of the texts that ${namespace} allows`);
  }
}
