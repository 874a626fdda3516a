import type { Configuration, ConfigurationInputs } from './configuration.js';
import { originText } from './origin.js';
import type { PropertiesClass } from './properties-class.js';
import { one } from './profiles.js';
import { allStates, evaluate, type KeyState } from './key-state.js';
import { namesSecret } from './secrets.js';
import type { Entry } from './source.js';

/** A configuration rule that does not hold, or nearly so. */
export interface Finding {
  /** Its number under "Configuration rules" of the specification, or a word such as `time zone`. */
  readonly rule: string;
  /** A fault stops every start, a breach one with profile `prod`, a warning none. */
  readonly severity: 'fault' | 'breach' | 'warning';
  /** What is broken and what to do, in one line. */
  readonly text: string;
}

/** An entry that somebody wrote into a file or on the command line. */
export interface WrittenEntry extends Entry {
  readonly isInFile: boolean;
  readonly isRegistered: boolean;
  /** Its name says that the value is a secret, and it is not the path of a file where one may stand. */
  readonly isSecret: boolean;
}

/** Looks at a whole configuration; an empty answer means that the rule holds. */
export type Rule = (facts: RuleFacts) => readonly Finding[];

/** What rules may ask. */
export class RuleFacts {
  /** Every registered key, with what the sources say about it. */
  readonly states: readonly KeyState[];

  constructor(
    private readonly configuration: Configuration,
    readonly inputs: ConfigurationInputs,
  ) {
    this.states = allStates(configuration.environment, configuration.registry);
  }

  get<T extends object>(type: PropertiesClass<T>): T {
    return this.configuration.get(type);
  }

  /** Entries of all arguments and files in force, highest first. */
  get entries(): readonly WrittenEntry[] {
    const { environment, registry } = this.configuration;
    return environment.sources
      .filter(({ kind }) => kind !== 'environment')
      .flatMap(({ kind, entries }) =>
        entries.map((entry) => {
          const definition = registry.find(entry.key);
          // For the free part of a map, only the name of the entry itself can tell.
          const isNamed = definition?.isSecret === true || (definition?.facts.secret ?? namesSecret(entry.spelled));
          const isPlace = definition?.facts.mayNamePlace === true && !entry.text.includes('-----BEGIN ');
          const isSecret = isNamed && !isPlace;
          return { ...entry, isInFile: kind === 'file', isRegistered: definition !== undefined, isSecret };
        }),
      );
  }

  get activeProfiles(): readonly string[] {
    return this.configuration.environment.profiles.active;
  }

  /** `value (origin)` of a key, with the value masked where it must be. */
  shown(key: string): string {
    const state = one(this.configuration.environment, this.configuration.registry, key);
    const [winner] = state.assignments;
    if (!winner) return `${state.definition.defaultText ?? 'unset'} (default value)`;
    const evaluation = evaluate(this.configuration.environment, state);
    return `${evaluation.kind === 'value' ? evaluation.shown : ''} (${originText(winner.origin)})`;
  }

  /** A finding about one key: its value, its origin, and what to do. */
  about(rule: string, key: string, advice: string, severity: Finding['severity'] = 'breach'): Finding {
    return { rule, severity, text: `${key} = ${this.shown(key)}: ${advice}` };
  }
}
