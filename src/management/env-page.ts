import type { Environment } from '../config/read/environment.js';
import type { Inspection, SanitizedValue } from '../config/show/inspection.js';
import { MASK } from '../redaction/secrets.js';
import { ServiceError } from '../errors/service-error.js';
import { keysMatching } from './key-pattern.js';

/** What `env` answers from; `showsValues` false masks every value, not only secrets. */
export interface EnvContext {
  readonly environment: Environment;
  readonly inspection: Inspection;
  readonly showsValues: boolean;
}

/** All sources with what they hold, highest first (management API, "env"); `pattern` limits the keys. */
export function describeSources({ environment, inspection, showsValues }: EnvContext, pattern: string | null): object {
  const isWanted = pattern === null ? () => true : keyFilter(environment, pattern);
  const propertySources = environment.sources.map((source) => {
    const wanted = Array.from(inspection.valuesOf(source)).filter(([key]) => isWanted(key));
    const properties = Object.fromEntries(wanted.map(([key, value]) => [key, visibleValue(value, showsValues)]));
    return { name: source.name, properties };
  });
  return { ...profilesOf(environment), propertySources };
}

function keyFilter(environment: Environment, pattern: string): (key: string) => boolean {
  const keys = environment.sources.flatMap(({ entries }) => entries.map(({ spelled }) => spelled));
  const matching = keysMatching(pattern, [...new Set(keys)]);
  if (!matching) throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'pattern', code: 'format' }] });
  return (key) => matching.has(key);
}

/** One key in any form: the value in force, and what each source says; undefined where none knows the key. */
export function describeKey({ environment, inspection, showsValues }: EnvContext, name: string): object | undefined {
  const found = inspection.find(name);
  if (!found) return undefined;
  const { inForce, bySource } = found;
  return {
    ...(inForce && {
      property: {
        source: inForce.source.name,
        value: showsValues ? inForce.value : MASK,
        ...(inForce.note && { note: inForce.note }),
      },
    }),
    ...profilesOf(environment),
    propertySources: environment.sources.map((source) => {
      const value = bySource.get(source);
      return { name: source.name, ...(value && { property: visibleValue(value, showsValues) }) };
    }),
  };
}

function profilesOf({ profiles }: Environment): object {
  return { activeProfiles: profiles.active, defaultProfiles: profiles.default };
}

function visibleValue({ value, origin }: SanitizedValue, showsValues: boolean): SanitizedValue {
  return { value: showsValues ? value : MASK, origin };
}
