import { threadCpuUsage } from 'node:process';
import { runInNewContext } from 'node:vm';
import { withoutUndefined } from '../kernel/collections/without-undefined.js';
import { Configuration } from '../config/configuration.js';
import type { Environment } from '../config/read/environment.js';
import type { Inspection, SanitizedValue } from '../config/show/inspection.js';
import { ServiceError } from '../kernel/errors/service-error.js';
import { MASK } from '../kernel/redaction/secrets.js';
import { isShown } from './access/access.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import { type Endpoint, NOT_FOUND, type Operation, type OperationRequest, type Result } from './dispatch/operation.js';
import { EnvEndpointProperties } from './management.properties.js';

/** `GET {management_base}/env` and `/env/<key>` (management API, "env"). */
@ManagementEndpoint()
export class EnvEndpoint implements Endpoint {
  readonly id = 'env';
  readonly requiresMfaToRead = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', queryParameters: ['pattern'], run: (request) => this.all(request) },
    { method: 'GET', pathTemplate: '{toMatch}', run: (request) => this.one(request) },
  ];

  constructor(
    private readonly configuration: Configuration,
    private readonly keys: EnvEndpointProperties,
  ) {}

  private async all(request: OperationRequest): Promise<Result> {
    return { body: describeSources(await this.contextFor(request), request.query.get('pattern')) };
  }

  private async one(request: OperationRequest): Promise<Result> {
    const body = describeKey(await this.contextFor(request), request.selector);
    return body ? { body } : NOT_FOUND;
  }

  private async contextFor({ operator }: OperationRequest): Promise<EnvContext> {
    const { Inspection } = await import('../config/show/inspection.js');
    const { environment, registry } = this.configuration;
    const { showValues, roles } = this.keys;
    return {
      environment,
      inspection: new Inspection(environment, registry),
      showsValues: isShown(showValues, roles, operator),
    };
  }
}

/** If `showsValues` is false, every value is masked, not only secrets. */
interface EnvContext {
  readonly environment: Environment;
  readonly inspection: Inspection;
  readonly showsValues: boolean;
}

/** All sources with their values, the highest precedence first (management API, "env"); `pattern` filters the keys. */
function describeSources({ environment, inspection, showsValues }: EnvContext, pattern: string | null): object {
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

/** One key, in any spelling: its effective value and the value of each source; undefined if no source has it. */
function describeKey({ environment, inspection, showsValues }: EnvContext, name: string): object | undefined {
  const found = inspection.find(name);
  if (!found) return undefined;
  const { effective, bySource } = found;
  return withoutUndefined({
    property:
      effective &&
      withoutUndefined({
        source: effective.source.name,
        value: showsValues ? effective.value : MASK,
        note: effective.note,
      }),
    ...profilesOf(environment),
    propertySources: environment.sources.map((source) => {
      const value = bySource.get(source);
      return withoutUndefined({ name: source.name, property: value && visibleValue(value, showsValues) });
    }),
  });
}

function profilesOf({ profiles }: Environment): object {
  return { activeProfiles: profiles.active, defaultProfiles: profiles.default };
}

function visibleValue({ value, origin }: SanitizedValue, showsValues: boolean): SanitizedValue {
  return { value: showsValues ? value : MASK, origin };
}

/** Maximum length of a pattern for keys. */
const MAX_PATTERN_LENGTH = 200;
/** Stops an expression with catastrophic backtracking, which blocks the event loop for that long. */
const LIMIT_MILLIS = 250;
/** Ordinary expressions take less; an expression that was stopped before was paused with the machine, and is tried again. */
const MIN_CPU_MILLIS = 25;
const MAX_TRIES = 4;

/** Keys that the expression matches anywhere; undefined if the expression is invalid, too long or too slow. */
function keysMatching(pattern: string, keys: readonly string[]): ReadonlySet<string> | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const code = 'const expression = new RegExp(pattern); keys.filter((key) => expression.test(key))';
  for (let tries = 1; ; tries += 1) {
    const since = threadCpuUsage();
    try {
      return new Set(runInNewContext(code, { pattern, keys }, { timeout: LIMIT_MILLIS }) as readonly string[]);
    } catch (error) {
      const { user, system } = threadCpuUsage(since);
      const wasPaused = isTimeout(error) && (user + system) / 1000 < MIN_CPU_MILLIS;
      if (!wasPaused || tries === MAX_TRIES) return undefined;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
