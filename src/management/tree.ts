/** An object that is being built; no key of it means anything to the language. */
export type Tree = Record<string, unknown>;

export function emptyTree(): Tree {
  return Object.create(null) as Tree;
}

/** Sets a value at a path; a plain value on the way there gives way to what is below it. */
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
