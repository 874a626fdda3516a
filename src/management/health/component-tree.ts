import { type HealthComponent, isComposite } from '../../health/indicator.js';

/** Paths of all components and their parts, such as `stores` and `stores/main`. */
export function pathsIn(components: readonly HealthComponent[], above = ''): readonly string[] {
  return components.flatMap((component) => {
    const path = above + component.name;
    return isComposite(component) ? [path, ...pathsIn(component.parts, `${path}/`)] : [path];
  });
}

/** The component at the end of a path. */
export function componentAt(
  components: readonly HealthComponent[],
  [name, ...rest]: readonly string[],
): HealthComponent | undefined {
  const found = components.find((component) => component.name === name);
  if (!found || rest.length === 0) return found;
  return isComposite(found) ? componentAt(found.parts, rest) : undefined;
}

/** Whether a component without parts is wanted. */
export type Wanted = (path: string, isExternal: boolean) => boolean;

/** Those of which something is wanted, without what is not; by name. */
export function chosenFrom(components: readonly HealthComponent[], isWanted: Wanted, above = ''): HealthComponent[] {
  const chosen = components.flatMap((component): readonly HealthComponent[] => {
    const path = above + component.name;
    if (!isComposite(component)) return isWanted(path, component.isExternal ?? false) ? [component] : [];
    const parts = chosenFrom(component.parts, isWanted, `${path}/`);
    return parts.length > 0 ? [{ name: component.name, parts }] : [];
  });
  return chosen.sort((a, b) => (a.name < b.name ? -1 : 1));
}
