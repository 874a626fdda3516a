import { type Origin, originChain } from './origin.js';
import { from, type Problem, problem } from '../problem.js';
import { sanitizeValue } from '../../kernel/redaction/secrets.js';

/**
 * A location of configuration, as an operator writes it (configuration-sources.md, "Files, profiles, imports").
 */
export interface Location {
  readonly text: string;
  /** The text with secrets masked. */
  readonly shown: string;
  /** True if a missing location is no failure. */
  readonly isOptional: boolean;
  readonly scheme: 'file' | 'classpath' | 'configtree' | 'env' | 'relative';
  /** The text after `optional:` and the scheme. */
  readonly path: string;
  /** The key that names the location, and its origin; undefined for the built-in locations. */
  readonly key: string | undefined;
  readonly origin: Origin | undefined;
}

/** The value of a key that names locations. */
export interface NamingValue {
  readonly key: string;
  readonly origin: Origin;
  /** True if a placeholder that names a secret supplied the value, so that reports must not show it. */
  readonly isSecret: boolean;
}

/** Locations that are read as one: profile files of all of them rank above the default files of all of them. */
export type LocationGroup = readonly Location[];

const OPTIONAL = 'optional:';

/** `,` separates groups (the later wins), `;` separates the locations of one group. */
export function parseLocations(text: string, by?: NamingValue): readonly LocationGroup[] {
  return text
    .split(',')
    .map((group) => parseGroup(group, by))
    .filter((group) => group.length > 0);
}

export function parseGroup(text: string, by?: NamingValue): LocationGroup {
  return text
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => parseLocation(item, by));
}

function parseLocation(text: string, by: NamingValue | undefined): Location {
  const isOptional = text.startsWith(OPTIONAL);
  const rest = isOptional ? text.slice(OPTIONAL.length) : text;
  const scheme = /^(file|classpath|configtree|env):(.*)$/s.exec(rest);
  return {
    text,
    shown: sanitizeValue(text, by?.isSecret ?? false),
    isOptional,
    scheme: scheme ? (scheme[1] as Location['scheme']) : 'relative',
    path: scheme?.[2] ?? rest,
    key: by?.key,
    origin: by?.origin,
  };
}

/** Why the location can never exist, even if it is optional; undefined if it can. */
export function unusableReason({ scheme, path }: Location): string | undefined {
  const unknown = scheme === 'relative' ? /^[a-z][a-z0-9+.*-]+:/i.exec(path) : undefined;
  if (unknown) return `${unknown[0]} is not one of file:, classpath:, configtree:, env: and optional:`;
  if (scheme !== 'env' && path.includes('*') && !/^(?:[^*]*\/)?\*\/[^/*]*$/.test(path)) {
    return 'a * is allowed once, as the whole name of the last folder';
  }
  return undefined;
}

/** The problem with a required location that does not exist. */
export function notFound({ shown: name, key, origin }: Location): Problem {
  return problem(
    `The location ${name} does not exist`,
    `Check ${name}, or write optional:${name} if it may be missing; app.config.on-not-found=ignore makes every location optional.`,
    { Property: key, Value: `"${name}"`, Origin: from(origin) },
  );
}

/** Warns about a folder that exists without a file to read: its name or the names in it are most likely mistyped. */
export function withoutFiles({ shown: name, key, origin }: Location): string {
  const where = origin ? ` (${originChain(origin)})` : '';
  return `${key ?? name}: the location ${name}${where} has no configuration file. Correct it, or write optional:${name} if it may be empty`;
}

/** The problem with a location that can never exist. */
export function unusable({ shown: name, key, origin }: Location, reason: string): Problem {
  return problem(
    `The location ${name} cannot be used`,
    'Write a path, with file:, classpath:, configtree: or env: before it where needed; config/*/ means all folders in config/.',
    { Property: key, Value: `"${name}"`, Origin: from(origin), Reason: reason },
  );
}

/** One text of a key with its origin. */
export interface ConfiguredText extends NamingValue {
  readonly text: string;
}
