/** The members of `T`, where those that may be undefined are optional instead. */
export type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the members that are undefined: `{ ...withoutUndefined({ device, ip }) }` instead of one spread each. */
export function withoutUndefined<T extends object>(members: T): WithoutUndefined<T> {
  // A loop takes a quarter of the time of `Object.fromEntries`, and every request runs this.
  const defined: Record<string, unknown> = {};
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) defined[name] = value;
  }
  return defined as WithoutUndefined<T>;
}
