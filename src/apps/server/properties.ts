import { isPropertiesClass, metadataOf, type PropertiesClass } from '../../config/bind/properties-class.js';
import { exportsOf } from './discovery.js';

/** The order in which documents and reports list keys; prefixes that no section covers come last. */
const SECTIONS = [
  ...['app.config', 'app.profiles', 'user', 'server', 'app.lifecycle', 'app.datasource', 'app.persistence'],
  ...['app.jpa', 'mapper'],
  ...['app.security', 'logging', 'management', 'info', 'app.boot', 'app.servlet', 'app.json', 'app.openapi'],
  ...['app.cache', 'app.task', 'app.mail', 'app.data', 'app.http', 'http', 'https', 'app.ssl'],
];

/** Every class that a `*.properties.ts` file exports with `@Properties`, by section and then by prefix. */
export const PROPERTIES: readonly PropertiesClass[] = inOrder(
  (await exportsOf('properties')).flat().filter(isPropertiesClass),
);

function inOrder(classes: readonly PropertiesClass[]): readonly PropertiesClass[] {
  return classes
    .map((owner) => ({ owner, prefix: metadataOf(owner).prefix }))
    .sort((a, b) => sectionOf(a.prefix) - sectionOf(b.prefix) || compare(a.prefix, b.prefix))
    .map(({ owner }) => owner);
}

function sectionOf(prefix: string): number {
  const at = SECTIONS.findIndex((section) => `${prefix}.`.startsWith(`${section}.`));
  return at === -1 ? SECTIONS.length : at;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
