/** An object without a prototype, so that keys such as `__proto__` are ordinary keys. */
export type Tree = Record<string, unknown>;

export function emptyTree(): Tree {
  return Object.create(null) as Tree;
}

/** Sets the value at a path; a scalar on the way is replaced by an object. */
export function setPath(tree: Tree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    if (!isTree(tree[name])) tree[name] = value;
    return;
  }
  const known = tree[name];
  const below = isTree(known) ? known : emptyTree();
  tree[name] = below;
  setPath(below, rest, value);
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}
