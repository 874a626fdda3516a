import type { Environment } from '../read/environment.js';
import type { ScalarType } from './key-type.js';
import { ConversionProblem } from '../problem.js';
import type { Problem } from '../problem.js';
import { sanitizeValue } from '../../kernel/redaction/secrets.js';
import { unboundElementsProblem, conversionProblem, placeholderProblem } from './key-problem.js';
import type { Entry } from '../read/source.js';
import type { Assignment, KeyState } from './key-state.js';

/** The effective value of a key. */
export type Evaluation =
  | { readonly kind: 'unset' }
  /** The text is empty, which means the default of the class; a key without a default is not set. */
  | { readonly kind: 'default' }
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** Text with placeholders resolved and secrets masked. */
      readonly shown: string;
    }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** Note for a value that differs from the text of its source. */
export const EMPTY_MEANS_DEFAULT = 'empty text means the default';

/** Converts the effective value; each failure is one problem with its origin. */
export function evaluate(environment: Environment, state: KeyState): Evaluation {
  const [winner] = state.assignments;
  if (!winner) return { kind: 'unset' };
  if (state.type.shape === 'list' && state.type.addsUp) return evaluateSum(environment, state);
  return evaluateAssignment(environment, state, winner);
}

/** True if some source sets the key to more than an empty text that means the default. */
export function hasValue(environment: Environment, state: KeyState): boolean {
  const { kind } = evaluate(environment, state);
  return kind !== 'unset' && kind !== 'default';
}

function evaluateSum(environment: Environment, state: KeyState): Evaluation {
  const items: unknown[] = [];
  const texts: string[] = [];
  for (const assignment of state.assignments.toReversed()) {
    const evaluation = evaluateAssignment(environment, state, assignment);
    if (evaluation.kind !== 'value') return evaluation;
    items.push(...(evaluation.value as readonly unknown[]));
    if (evaluation.shown !== '') texts.push(evaluation.shown);
  }
  return { kind: 'value', value: items, shown: texts.join(',') };
}

/** Converts the assignment of one source; the first one of a state is effective. */
export function evaluateAssignment(environment: Environment, state: KeyState, assignment: Assignment): Evaluation {
  const { type, isSecret } = state;
  const entries = Array.isArray(assignment.content)
    ? (assignment.content as readonly Entry[])
    : [assignment.content as Entry];
  if (type.shape === 'list' && Array.isArray(assignment.content)) {
    const hole = entries.findIndex((entry, index) => Number(entry.key.lastPart) !== index);
    if (hole !== -1) {
      const others = state.assignments.filter(({ source }) => source !== assignment.source);
      return { kind: 'problem', problem: unboundElementsProblem(state, assignment, entries, hole, others) };
    }
  }
  const filled: string[] = [];
  const through: string[] = [];
  for (const entry of entries) {
    const result = environment.fill(entry.text);
    if (result.kind !== 'filled') return { kind: 'problem', problem: placeholderProblem(state, entry, result) };
    filled.push(result.text);
    through.push(...result.through);
  }
  const display = sanitizeValue(filled.join(','), isSecret, through);
  if (type.shape === 'scalar') {
    const [text = ''] = filled;
    if (text === '' && (type.emptyMeansDefault ?? isOptional(state))) return { kind: 'default' };
    const value = parse(type, text);
    const mayBeRemoved = text === '' && isOptional(state);
    return value instanceof ConversionProblem
      ? {
          kind: 'problem',
          problem: conversionProblem(state.name, type, entries[0]?.origin, display, value, mayBeRemoved),
        }
      : { kind: 'value', value, shown: display };
  }
  const texts = Array.isArray(assignment.content) ? filled : commaItems(filled[0] ?? '');
  const items: unknown[] = [];
  for (const [index, item] of texts.entries()) {
    const value = parse(type.element, item);
    if (value instanceof ConversionProblem) {
      const isElement = Array.isArray(assignment.content);
      const origin = (isElement ? entries[index] : entries[0])?.origin;
      const name = isElement ? `${state.name}[${index}]` : state.name;
      return {
        kind: 'problem',
        problem: conversionProblem(name, type.element, origin, sanitizeValue(item, isSecret, through), value),
      };
    }
    items.push(value);
  }
  return { kind: 'value', value: items, shown: display };
}

/** True for a key without a default. An entry of a map is not a key: its empty text is the value of the entry. */
function isOptional({ definition: { type, defaultValue } }: KeyState): boolean {
  return type.shape === 'scalar' && defaultValue === undefined;
}

function parse(type: ScalarType<unknown>, text: string): unknown {
  const value = type.parse(text);
  return value instanceof ConversionProblem && text.trim() === '' ? new ConversionProblem('the value is empty') : value;
}

function commaItems(text: string): readonly string[] {
  if (text.trim() === '') return [];
  return text.split(',').map((item) => item.trim());
}
