import { UnboundValue } from '../../config/bind/unbound.js';
import { Rule, RULE_NAMES, RuleFacts, type LocatedRuleProblem } from '../../config/check/rule.js';
import {
  type Configuration,
  type ConfigurationInputs,
  type ConfigurationReading,
  configurationOf,
} from '../../config/configuration.js';
import { ConfigurationFailure, lineOf, type Problem } from '../../config/problem.js';
import { exportsOf } from './discovery.js';

// The rule of the mapper files needs the declarations of the program.
await exportsOf('mapping');

/** Every rule that a `*.rule.ts` file exports, in the order of reports. */
const RULES: readonly Rule[] = (await exportsOf('rule'))
  .filter((value): value is Rule => value instanceof Rule)
  .sort((a, b) => RULE_NAMES.indexOf(a.name) - RULE_NAMES.indexOf(b.name));

/**
 * Checks all rules for `config check` and startup. A rule that needs a value which could not be bound is skipped, and
 * so are all rules if a file could not be read, since its keys are unknown.
 */
export async function checkRules(
  reading: ConfigurationReading,
  inputs: ConfigurationInputs,
): Promise<readonly LocatedRuleProblem[]> {
  if (!reading.isComplete) return [];
  const facts = new RuleFacts(configurationOf(reading), inputs);
  return (await Promise.all(RULES.map((rule) => problemsOf(rule, facts)))).flat();
}

/**
 * Checks rule 4 and the time zone of the database server for `config check`; `asksServer` permits a connection. It is
 * not a `Rule`, because startup must not connect before it has checked the rules.
 */
export async function checkServerRule(
  reading: ConfigurationReading,
  inputs: ConfigurationInputs,
  asksServer: boolean,
): Promise<{ readonly problems: readonly LocatedRuleProblem[]; readonly isComplete: boolean }> {
  if (!reading.isComplete) return { problems: [], isComplete: true };
  const { checkLimits } = await import('../../platform/persistence/limits-check.js');
  try {
    return await checkLimits(new RuleFacts(configurationOf(reading), inputs), asksServer);
  } catch (error) {
    // The report of the invalid value comes first.
    if (error instanceof UnboundValue) return { problems: [], isComplete: true };
    throw error;
  }
}

async function problemsOf({ name, check }: Rule, facts: RuleFacts): Promise<readonly LocatedRuleProblem[]> {
  try {
    return (await check(facts)).map((problem) => ({ ...problem, rule: name }));
  } catch (error) {
    if (error instanceof UnboundValue) return [];
    throw error;
  }
}

/**
 * Returns the warnings of a configuration. Errors prevent every startup, and breaches of the rules prevent startup with
 * profile `prod`.
 * @throws ConfigurationFailure with all problems
 */
export async function validate(reading: ConfigurationReading, inputs: ConfigurationInputs): Promise<readonly string[]> {
  const found = await checkRules(reading, inputs);
  const isProd = isProduction(reading);
  const problems = found.flatMap((problem): readonly Problem[] => {
    if (problem.severity === 'error') return [problem];
    return problem.severity === 'breach' && isProd ? [brokenRuleProblem(problem)] : [];
  });
  if (reading.problems.length + problems.length > 0) {
    throw new ConfigurationFailure([...reading.problems, ...problems]);
  }
  return [...reading.warnings, ...found.map((problem) => `Configuration rule ${problem.rule}: ${lineOf(problem)}`)];
}

function brokenRuleProblem({ rule, what, facts, action }: LocatedRuleProblem): Problem {
  return {
    what: `Configuration rule ${rule} is broken: ${what}`,
    facts,
    action: `${action} With profile prod the rules must hold.`,
  };
}

export function isProduction({ environment }: Pick<Configuration, 'environment'>): boolean {
  return environment.profiles.active.includes('prod');
}
