import type { GenericSchema } from 'valibot';

/** The members of a response that are never omitted, on all levels. */
export interface RequiredMembers {
  /** Names of the members that are always present. */
  readonly always: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, RequiredMembers>;
  /** Required members of every item of a list and every value of a record. */
  readonly items: RequiredMembers | undefined;
}

/** Possible parts of a schema; its type determines which of them it has. */
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

/** The required members of a schema; the result is cached. */
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
  // A required member of one alternative is required in that alternative only.
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
