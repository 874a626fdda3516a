import { UnboundValue } from '../config/bind/unbound.js';
import { Rule, RULE_NAMES, RuleFacts, type RuleFinding } from '../config/check/rule.js';
import { type ConfigurationInputs, type ConfigurationReading, configurationOf } from '../config/configuration.js';
import { exportsOf } from './discovery.js';

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
): Promise<readonly RuleFinding[]> {
  if (!reading.isWhole) return [];
  const facts = new RuleFacts(configurationOf(reading), inputs);
  return (await Promise.all(RULES.map((rule) => findingsOf(rule, facts)))).flat();
}

async function findingsOf({ name, check }: Rule, facts: RuleFacts): Promise<readonly RuleFinding[]> {
  try {
    return (await check(facts)).map((finding) => ({ ...finding, rule: name }));
  } catch (error) {
    if (error instanceof UnboundValue) return [];
    throw error;
  }
}
