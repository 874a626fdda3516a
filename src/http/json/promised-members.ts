import type { GenericSchema } from 'valibot';

/** Which members of an answer are never left out, on all its levels. */
export interface Promised {
  /** Names of the members that are always there. */
  readonly always: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, Promised>;
  /** Of every item of a list, and of every value of a record. */
  readonly items: Promised | undefined;
}

/** What schemas may be made of; which of these one has depends on its type. */
interface Parts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, GenericSchema>>;
  readonly item?: GenericSchema;
  readonly items?: readonly GenericSchema[];
  readonly rest?: GenericSchema;
  readonly value?: GenericSchema;
  readonly wrapped?: GenericSchema;
  readonly options?: readonly GenericSchema[];
}

const MAY_BE_MISSING: ReadonlySet<string> = new Set(['optional', 'exact_optional', 'nullish', 'undefinedable']);
const ALTERNATIVES: ReadonlySet<string> = new Set(['union', 'variant', 'intersect']);

const read = new WeakMap<GenericSchema, Promised>();

/** The members that an answer of this shape promises; every schema is read once. */
export function promisedBy(schema: GenericSchema): Promised {
  const before = read.get(schema);
  if (before) return before;
  const promised = promisedByParts(schema);
  read.set(schema, promised);
  return promised;
}

function promisedByParts({ type, entries = {}, item, items = [], rest, value, wrapped, options }: Parts): Promised {
  if (wrapped) return promisedBy(wrapped);
  // A member that one of them promises is there where that one is meant, and nowhere else.
  if (options && ALTERNATIVES.has(type)) return together(options.map(promisedBy));
  const members = Object.entries(entries);
  const below = [item, ...items, rest, type === 'record' ? value : undefined].filter((schema) => schema !== undefined);
  return {
    always: new Set(members.filter(([, member]) => !MAY_BE_MISSING.has(member.type)).map(([name]) => name)),
    members: new Map(members.map(([name, member]) => [name, promisedBy(member)])),
    items: below.length === 0 ? undefined : together(below.map(promisedBy)),
  };
}

function together(all: readonly Promised[]): Promised {
  const [only] = all;
  if (only && all.length === 1) return only;
  const members = new Map<string, Promised>();
  for (const [name, member] of all.flatMap((one) => [...one.members])) {
    const before = members.get(name);
    members.set(name, before ? together([before, member]) : member);
  }
  const items = all.flatMap((one) => one.items ?? []);
  return {
    always: new Set(all.flatMap((one) => [...one.always])),
    members,
    items: items.length === 0 ? undefined : together(items),
  };
}
