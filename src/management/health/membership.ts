/** Which components a group has, by their paths, such as `db` or `stores/main`; `*` is all. */
export interface Membership {
  /** Empty is all. */
  readonly include: readonly string[];
  /** Wins over `include`. */
  readonly exclude: readonly string[];
}

export const EVERYTHING = '*';

/** Whether a component that has no parts belongs to a group; the name of a whole stands for all its parts. */
export function isMember(path: string, { include, exclude }: Membership): boolean {
  return (include.length === 0 || covers(include, path)) && !covers(exclude, path);
}

/** The paths that name none of the components. */
export function unknownMembers({ include, exclude }: Membership, known: readonly string[]): readonly string[] {
  return [...new Set([...include, ...exclude])].filter((path) => path !== EVERYTHING && !known.includes(path));
}

function covers(names: readonly string[], path: string): boolean {
  return names.some((name) => name === EVERYTHING || name === path || path.startsWith(`${name}/`));
}
