import {
  type HealthComponent,
  type HealthIndicator,
  isComposite,
} from '../../observability/health/health-components.js';

/** Paths of all components and their parts, such as `stores` and `stores/main`. */
export function componentPaths(components: readonly HealthComponent[], above = ''): readonly string[] {
  return components.flatMap((component) => {
    const path = above + component.name;
    return isComposite(component) ? [path, ...componentPaths(component.parts, `${path}/`)] : [path];
  });
}

/** The components without parts, by their paths. */
export function indicatorsOf(components: readonly HealthComponent[], above = ''): ReadonlyMap<string, HealthIndicator> {
  return new Map(
    components.flatMap((component) => {
      const path = above + component.name;
      if (!isComposite(component)) return [[path, component] as const];
      return [...indicatorsOf(component.parts, `${path}/`)];
    }),
  );
}

/** The component at the end of a path. */
export function findComponent(
  components: readonly HealthComponent[],
  [name, ...rest]: readonly string[],
): HealthComponent | undefined {
  const found = components.find((component) => component.name === name);
  if (!found || rest.length === 0) return found;
  return isComposite(found) ? findComponent(found.parts, rest) : undefined;
}

/** Decides whether a component without parts is wanted. */
export type ComponentFilter = (path: string, isExternal: boolean) => boolean;

/** Keeps the wanted components and the wanted parts of composites, sorted by name. */
export function filterComponents(
  components: readonly HealthComponent[],
  isWanted: ComponentFilter,
  above = '',
): HealthComponent[] {
  const chosen = components.flatMap((component): readonly HealthComponent[] => {
    const path = above + component.name;
    if (!isComposite(component)) return isWanted(path, component.isExternal ?? false) ? [component] : [];
    const parts = filterComponents(component.parts, isWanted, `${path}/`);
    return parts.length > 0 ? [{ name: component.name, parts }] : [];
  });
  return chosen.sort((a, b) => (a.name < b.name ? -1 : 1));
}
