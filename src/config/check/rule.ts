import type { Configuration, ConfigurationInputs } from '../configuration.js';
import { stateOfName } from '../names/key-lookup.js';
import { KeyName } from '../names/key-name.js';
import { allStates, type KeyState } from '../bind/key-state.js';
import { evaluate } from '../bind/evaluation.js';
import { ConfigurationFailure, from, type Problem, problem } from '../problem.js';
import type { PropertiesClass } from '../bind/properties-class.js';
import { containsPrivateKey, MASK, isSecretName } from '../../kernel/redaction/secrets.js';
import type { Entry } from '../read/source.js';

/**
 * Names of the rules, in the order in which their problems are reported. A number is the number of the rule under
 * "Configuration rules" of the specification.
 */
export const RULE_NAMES = [
  ...([
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    'database',
    'mapper files',
    '7',
    'endpoints',
    'management',
    '8',
    'empty text',
    'time zone',
    'runtime',
  ] as const),
  ...([
    'security',
    'logging',
    'health',
    'paths',
    'tls',
    'tokens',
    'saml',
    'uploads',
    'staff login',
    'branding',
    'key-value store',
    'cache',
  ] as const),
] as const;

export type RuleName = (typeof RULE_NAMES)[number];

/** An error prevents every startup, a breach prevents startup with profile `prod`, a warning prevents none. */
export type Severity = 'error' | 'breach' | 'warning';

/** A problem that a rule found in the configuration. */
export interface RuleProblem extends Problem {
  readonly severity: Severity;
}

/** A problem with the rule that found it. */
export interface LocatedRuleProblem extends RuleProblem {
  readonly rule: RuleName;
}

/** The verdict of a rule: a sentence without a full stop, and an action with one. */
export interface Verdict {
  /** A breach by default. */
  readonly severity?: Severity;
  readonly what: string;
  readonly action: string;
}

/** Facts of a problem by their labels; those without a text are omitted. */
export type Facts = Readonly<Record<string, string | undefined>>;

/** An entry of a file or of the command line. */
export interface WrittenEntry extends Entry {
  readonly isInFile: boolean;
  readonly isRegistered: boolean;
  /** True if its name marks a secret, unless the key allows the path of a file and the value is no private key. */
  readonly isSecret: boolean;
}

/**
 * Checks a whole configuration; an empty result means that the rule holds. A check that reads a value which could not be
 * bound ends there and finds nothing.
 */
export type Check = (facts: RuleFacts) => readonly RuleProblem[];

/** A check that loads code which only few configurations need. */
export type AsyncCheck = (facts: RuleFacts) => Promise<readonly RuleProblem[]>;

/** A configuration rule. Exporting it from a `*.rule.ts` file registers it. */
export class Rule<T extends Check | AsyncCheck = Check | AsyncCheck> {
  constructor(
    readonly name: RuleName,
    readonly check: T,
  ) {}
}

export function ruleProblem({ severity = 'breach', what, action }: Verdict, facts: Facts = {}): RuleProblem {
  return { ...problem(what, action, facts), severity };
}

/** Returns the configuration problems with which `attempt` fails, as errors: startup would fail with them, too. */
export function problemsOf(attempt: () => unknown): readonly RuleProblem[] {
  try {
    attempt();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    return error.problems.map((each) => ({ ...each, severity: 'error' }));
  }
}

/** The facts that rules check. */
export class RuleFacts {
  /** The states of all registered keys. */
  readonly states: readonly KeyState[];

  constructor(
    readonly configuration: Configuration,
    readonly inputs: ConfigurationInputs,
  ) {
    this.states = allStates(configuration.environment, configuration.registry);
  }

  get<T extends object>(type: PropertiesClass<T>): T {
    return this.configuration.get(type);
  }

  /** Entries of all arguments and active files, highest first. */
  get entries(): readonly WrittenEntry[] {
    const { environment, registry } = this.configuration;
    return environment.sources
      .filter(({ kind }) => kind !== 'environment')
      .flatMap(({ kind, entries }) =>
        entries.map((entry) => {
          const definition = registry.find(entry.key);
          // The free part of a map is secret if the name of its entry is that of a secret.
          const isNamed = definition?.isSecret === true || (definition?.facts.secret ?? isSecretName(entry.spelled));
          const isPath = definition?.facts.mayBeFilePath === true && !containsPrivateKey(entry.text);
          const isSecret = isNamed && !isPath;
          return { ...entry, isInFile: kind === 'file', isRegistered: definition !== undefined, isSecret };
        }),
      );
  }

  get activeProfiles(): readonly string[] {
    return this.configuration.environment.profiles.active;
  }

  /** The state of a key; undefined for a free part of a map that no source names. */
  stateOf(key: string): KeyState | undefined {
    return stateOfName(this.states, KeyName.parse(key));
  }

  /** The key, its effective value with secrets masked, and its origin. */
  of(key: string): Facts {
    const state = this.stateOf(key);
    const [winner] = state?.assignments ?? [];
    // The default text of a map does not describe its entries.
    const defaultText = state?.definition.type.shape === 'map' ? undefined : state?.definition.defaultText;
    if (!state || !winner) {
      return defaultText === undefined
        ? { Property: key, Origin: 'not set' }
        : { Property: key, Value: `"${defaultText}"`, Origin: 'default value' };
    }
    const evaluation = evaluate(this.configuration.environment, state);
    const value =
      evaluation.kind === 'value' ? evaluation.shown : evaluation.kind === 'default' ? (defaultText ?? '') : MASK;
    return { Property: state.name, Value: `"${value}"`, Origin: from(winner.origin) };
  }

  /** A part of the key's value, or a text derived from it; masked if the value is masked. */
  part(key: string, text: string): string {
    return this.of(key).Value === `"${MASK}"` ? MASK : text;
  }

  /** Returns a problem of one key with its value, origin and action. */
  about(key: string, verdict: Verdict, more: Facts = {}): RuleProblem {
    return ruleProblem(verdict, { ...this.of(key), ...more });
  }
}
