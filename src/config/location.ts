import type { Origin } from './origin.js';

/** A place configuration is read from, as an operator writes it (configuration.md b.4). */
export interface Location {
  readonly text: string;
  /** Not finding it is no failure. */
  readonly isOptional: boolean;
  readonly scheme: 'file' | 'classpath' | 'configtree' | 'env' | 'relative';
  /** Behind `optional:` and the scheme. */
  readonly path: string;
  /** Who asked for it; undefined for the built-in locations. */
  readonly origin: Origin | undefined;
}

/** Locations that are read as one: profile files of all of them lie above the default files of all of them. */
export type LocationGroup = readonly Location[];

const OPTIONAL = 'optional:';

/** `,` separates groups (the later wins), `;` separates the locations of one group. */
export function parseLocations(text: string, origin?: Origin): readonly LocationGroup[] {
  return text
    .split(',')
    .map((group) => parseGroup(group, origin))
    .filter((group) => group.length > 0);
}

export function parseGroup(text: string, origin?: Origin): LocationGroup {
  return text
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => parseLocation(item, origin));
}

function parseLocation(text: string, origin: Origin | undefined): Location {
  const isOptional = text.startsWith(OPTIONAL);
  const rest = isOptional ? text.slice(OPTIONAL.length) : text;
  const scheme = /^(file|classpath|configtree|env):(.*)$/s.exec(rest);
  return {
    text,
    isOptional,
    scheme: scheme ? (scheme[1] as Location['scheme']) : 'relative',
    path: scheme?.[2] ?? rest,
    origin,
  };
}
