import { evaluateAssignment } from '../bind/evaluation.js';
import type { KeyState } from '../bind/key-state.js';
import { type RuleProblem, Rule, type RuleFacts } from './rule.js';

/**
 * Warns if an empty text, such as that of an unset variable, selects the default of the class instead of the value of a
 * lower source. An empty `management.server.port` moves the management endpoints of profile `prod` to the port of users.
 */
export const emptyTextsHideNothing = new Rule('empty text', (facts) =>
  facts.states.flatMap((state) => hiddenBelow(facts, state)),
);

function hiddenBelow(facts: RuleFacts, state: KeyState): readonly RuleProblem[] {
  const { type, name, definition } = state;
  const [winner, ...lower] = state.assignments.map((assignment) =>
    evaluateAssignment(facts.configuration.environment, state, assignment),
  );
  const hidden = lower.find((evaluation) => evaluation.kind === 'value');
  if (winner?.kind !== 'default' || hidden === undefined || type.shape !== 'scalar') return [];
  if (type.format(hidden.value) === definition.defaultValue) return [];
  return [
    facts.about(name, {
      severity: 'warning',
      what: `The empty text means the default, so ${hidden.shown} of a lower source is ignored`,
      action: `Set ${name} to the intended value, or remove the empty text.`,
    }),
  ];
}
