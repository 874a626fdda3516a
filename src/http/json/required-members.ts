import type { GenericSchema } from 'valibot';

/** Which members of an answer are never left out, on all its levels. */
export interface RequiredMembers {
  /** Names of the members that are always there. */
  readonly always: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, RequiredMembers>;
  /** Of every item of a list, and of every value of a record. */
  readonly items: RequiredMembers | undefined;
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

const read = new WeakMap<GenericSchema, RequiredMembers>();

/** The members that an answer of this shape promises; every schema is read once. */
export function requiredMembersOf(schema: GenericSchema): RequiredMembers {
  const before = read.get(schema);
  if (before) return before;
  const promised = promisedByParts(schema);
  read.set(schema, promised);
  return promised;
}

function promisedByParts({
  type,
  entries = {},
  item,
  items = [],
  rest,
  value,
  wrapped,
  options,
}: Parts): RequiredMembers {
  if (wrapped) return requiredMembersOf(wrapped);
  // A member that one of them promises is there where that one is meant, and nowhere else.
  if (options && ALTERNATIVES.has(type)) return together(options.map(requiredMembersOf));
  const members = Object.entries(entries);
  const below = [item, ...items, rest, type === 'record' ? value : undefined].filter((schema) => schema !== undefined);
  return {
    always: new Set(members.filter(([, member]) => !MAY_BE_MISSING.has(member.type)).map(([name]) => name)),
    members: new Map(members.map(([name, member]) => [name, requiredMembersOf(member)])),
    items: below.length === 0 ? undefined : together(below.map(requiredMembersOf)),
  };
}

function together(all: readonly RequiredMembers[]): RequiredMembers {
  const [only] = all;
  if (only && all.length === 1) return only;
  const members = new Map<string, RequiredMembers>();
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
