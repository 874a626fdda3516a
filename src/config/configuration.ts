import { readArguments } from './read/arguments.js';
import { bind } from './bind/binder.js';
import { ConfigData } from './read/config-data.js';
import type { ConfigContext } from './read/config-file.js';
import { needsWarning } from './bind/effect.js';
import { Environment } from './read/environment.js';
import { printable } from './show/failure-report.js';
import { KeyRegistry } from './names/key-registry.js';
import { requestedState, stateOfKey } from './names/key-lookup.js';
import { isPackaged, type Origin, originChain } from './read/origin.js';
import { ConfigurationFailure, type Problem } from './problem.js';
import { valueOf } from './read/profiles.js';
import { adjustmentOf, type PropertiesClass } from './bind/properties-class.js';
import { evaluate, hasValue } from './bind/evaluation.js';
import { allStates, type KeyState } from './bind/key-state.js';
import { duplicateVariables, unknownKeys, unknownVariables } from './names/unknown-keys.js';
import { INLINE_JSON, readVariables } from './read/variables.js';

/** Everything from which the configuration is read. */
export interface ConfigurationInputs extends ConfigContext {
  /** The arguments after the name of the script. */
  readonly args: readonly string[];
  /** The arguments of Node itself, such as `--inspect`; none by default. */
  readonly nodeArguments?: readonly string[];
  /** Node's inspector is open; false by default. */
  readonly hasInspector?: boolean;
}

/** The configuration of one process: typed values with their origins. */
export class Configuration {
  constructor(
    readonly environment: Environment,
    readonly registry: KeyRegistry,
    /** Warnings for the log of startup. */
    readonly warnings: readonly string[],
    private readonly instances: ReadonlyMap<PropertiesClass, object>,
  ) {}

  /** The bound instance of a properties class. */
  get<T extends object>(type: PropertiesClass<T>): T {
    const instance = this.instances.get(type);
    if (!(instance instanceof type)) throw new TypeError(`${type.name} is not registered`);
    return instance;
  }

  /** True if some source sets the key to more than an empty text that means the default. */
  isSet(key: string): boolean {
    const state = requestedState(this.environment, this.registry, key);
    return state !== undefined && hasValue(this.environment, state);
  }

  /** The origin of a key's value for reports, with the files that imported it; `default value` if no source sets it. */
  originOf(key: string): string {
    const origin = this.findOrigin(key);
    return origin ? originChain(origin) : 'default value';
  }

  /** The origin of the value of a key, also of a map entry or a member of a named object; undefined if it is not set. */
  findOrigin(key: string): Origin | undefined {
    return requestedState(this.environment, this.registry, key)?.assignments[0]?.origin;
  }

  /** All classes with their instances, for the injector. */
  get bound(): Iterable<readonly [PropertiesClass, object]> {
    return this.instances;
  }
}

/** The result of reading. It exists even if the service cannot start with it, so that commands can diagnose it. */
export interface ConfigurationReading {
  readonly environment: Environment;
  readonly registry: KeyRegistry;
  readonly problems: readonly Problem[];
  /** True if all files could be read; otherwise a key without a source may be set in an unreadable file. */
  readonly isComplete: boolean;
  readonly warnings: readonly string[];
  readonly instances: ReadonlyMap<PropertiesClass, object>;
}

/** Reads, merges and binds the configuration; its problems are part of the result. */
export function readConfiguration(
  classes: readonly PropertiesClass[],
  inputs: ConfigurationInputs,
): ConfigurationReading {
  const registry = new KeyRegistry(classes);
  const { commandLine, systemProperties } = readArguments(inputs.args);
  const processSources = [commandLine, systemProperties, readVariables(inputs.variables, registry)];
  try {
    const { environment, problems, warnings } = new ConfigData(processSources, registry, inputs).load();
    const bound = bind(environment, registry);
    const unknown = checkUnknownKeys(environment, registry);
    return {
      environment,
      registry,
      problems: withoutRepeats([...problems, ...bound.problems, ...unknown.problems]),
      isComplete: problems.length === 0,
      warnings: [
        ...warnings,
        ...unknown.warnings,
        ...duplicateVariables(environment, registry),
        ...effectWarnings(environment, registry),
        ...adjustmentWarnings(registry, bound.instances),
        ...inlineJsonWarnings(inputs),
      ].map(printable),
      instances: bound.instances,
    };
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    const environment = new Environment(processSources);
    return { environment, registry, problems: error.problems, isComplete: false, warnings: [], instances: new Map() };
  }
}

/** Returns the configuration as far as it could be bound; reading another value throws `UnboundValue`. */
export function configurationOf({ environment, registry, warnings, instances }: ConfigurationReading): Configuration {
  return new Configuration(environment, registry, warnings, instances);
}

function checkUnknownKeys(
  environment: Environment,
  registry: KeyRegistry,
): { readonly problems: readonly Problem[]; readonly warnings: readonly string[] } {
  let mode = 'fail';
  try {
    mode = valueOf<string>(environment, stateOfKey(environment, registry, 'app.config.unknown-keys')) ?? 'fail';
  } catch (error) {
    // The binder reports an invalid value of this key.
    if (!(error instanceof ConfigurationFailure)) throw error;
  }
  if (mode === 'ignore') return { problems: [], warnings: [] };
  const problems = unknownKeys(environment, registry);
  const variables = unknownVariables(environment, registry);
  if (mode === 'fail') return { problems, warnings: variables };
  return { problems: [], warnings: [...problems.map(({ what, action }) => `${what}. ${action}`), ...variables] };
}

/** Warns about keys set outside the packaged files that do not do what their names promise. */
function effectWarnings(environment: Environment, registry: KeyRegistry): readonly string[] {
  const states = allStates(environment, registry)
    .filter(({ definition }) => needsWarning(definition.facts.effect))
    .filter(({ assignments }) => assignments[0] && !isPackaged(assignments[0].origin))
    .filter((state) => !isAsExpected(environment, state));
  const byEffect = Map.groupBy(
    states,
    ({ definition: { facts } }) => `${facts.effect.level}: ${facts.effect.note ?? ''}`,
  );
  return Array.from(
    byEffect,
    ([effect, same]) => `${same.map(({ name }) => name).join(', ')}: set, but with effect ${effect}`,
  );
}

/** True for a value that describes what the service always does, and for an empty text that means the default. */
function isAsExpected(environment: Environment, state: KeyState): boolean {
  const { trueValue } = state.definition.facts.effect;
  const evaluation = evaluate(environment, state);
  if (evaluation.kind === 'default') return true;
  return trueValue !== undefined && evaluation.kind === 'value' && evaluation.value === trueValue;
}

/** Warns about values that the service replaces. */
function adjustmentWarnings(registry: KeyRegistry, instances: ReadonlyMap<PropertiesClass, object>): readonly string[] {
  return Array.from(instances).flatMap(([owner, instance]) =>
    registry.definitionsOf(owner).flatMap((definition) => {
      const { name, type, facts } = definition;
      const adjustment = adjustmentOf(instance, facts.property);
      if (!adjustment || type.shape !== 'scalar') return [];
      return [`${name}: the effective value is ${type.format(adjustment.value)}: ${adjustment.reason}`];
    }),
  );
}

function inlineJsonWarnings({ variables }: ConfigurationInputs): readonly string[] {
  return variables[INLINE_JSON] === undefined
    ? []
    : [`${INLINE_JSON} is not supported: use variables, files or arguments`];
}

function withoutRepeats(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((item) => [JSON.stringify(item), item])).values()];
}
