import type { Environment } from '../../../config/read/environment.js';
import { Sanitizer } from '../../../config/show/sanitizer.js';
import { requestedKey, unregisteredEntries, keyFromInput } from '../../../config/names/key-lookup.js';
import { KeyName } from '../../../config/names/key-name.js';
import { printable } from '../../../config/show/failure-report.js';
import type { KeyDefinition, KeyRegistry } from '../../../config/names/key-registry.js';
import { isPackaged, originChain } from '../../../config/read/origin.js';
import { sanitizeUnresolved } from '../../../kernel/redaction/secrets.js';
import { allStates, baseName, type KeyState, type Assignment } from '../../../config/bind/key-state.js';
import { EMPTY_MEANS_DEFAULT, evaluate, evaluateAssignment } from '../../../config/bind/evaluation.js';

/** The output of a look-up, and whether it found a key. */
export interface ConfigView {
  readonly lines: readonly string[];
  readonly isFound: boolean;
}

/** Details of one key, or a line for each key below a prefix (`config get`). */
export function viewOfKey(environment: Environment, registry: KeyRegistry, name: string): ConfigView {
  const key = keyFromInput(environment, registry, name);
  if (key.length === 0) return { lines: [`"${name}" is no key`], isFound: false };
  const requested = requestedKey(environment, registry, key);
  if (requested) return found(detailsOf(environment, requested.state));

  const definition = registry.find(key);
  const states = allStates(environment, registry);
  const children = [
    ...below(states, key, ({ name: child }) => child).map((state) => summaryOf(environment, state)),
    ...below(openKeys(registry, states), key, baseName).map((open) => `${open.name} is not set`),
  ];
  if (children.length > 0) return found(children);
  if (definition) return found([`${name} is not set`, ...aboutLines(definition)]);

  const near = registry.nearest(name);
  const free = foreignKey(environment, registry, name);
  if (free.length > 0) {
    const isMistake = registry.isOwned(key) && near !== undefined;
    return found([...free, ...(isMistake ? [`  note        did you mean ${near}?`] : [])]);
  }
  const hint = near ? `did you mean ${near}?` : '"config list" shows all keys';
  return { lines: [printable(`${name} is no key of this service; ${hint}`)], isFound: false };
}

/**
 * One line per key in registry order; with `changed` only those that something outside the package sets (`config
 * list`).
 */
export function viewOfAll(
  environment: Environment,
  registry: KeyRegistry,
  options: { readonly prefix?: string | undefined; readonly changed?: boolean | undefined },
): ConfigView {
  const prefix = KeyName.parse(options.prefix ?? '');
  const states = allStates(environment, registry);
  const wanted = options.prefix === undefined ? states : below(states, prefix, ({ name }) => name);
  if (wanted.length === 0) return viewOfKey(environment, registry, options.prefix ?? '');
  return found(
    wanted
      .filter(({ assignments }) => !options.changed || (assignments[0] && !isPackaged(assignments[0].origin)))
      .map((state) => summaryOf(environment, state)),
  );
}

function found(lines: readonly string[]): ConfigView {
  return { lines: lines.map(printable), isFound: true };
}

/** Maps and named objects without any entry. */
function openKeys(registry: KeyRegistry, states: readonly KeyState[]): readonly KeyDefinition[] {
  return registry.classes
    .flatMap((owner) => registry.definitionsOf(owner))
    .filter((definition) => baseName(definition) !== definition.name)
    .filter(
      (open) => !states.some(({ definition, name }) => definition === open || name.startsWith(`${baseName(open)}.`)),
    );
}

function below<T>(items: readonly T[], prefix: KeyName, nameOf: (item: T) => string): readonly T[] {
  return items.filter((item) => `${KeyName.parse(nameOf(item)).uniform}.`.startsWith(`${prefix.uniform}.`));
}

/** `key = value`, with a note if the value is the default or cannot be used. */
function summaryOf(environment: Environment, state: KeyState): string {
  const [winner] = state.assignments;
  if (!winner) return `${state.name} = ${defaultView(state)}`;
  if (evaluateAssignment(environment, state, winner).kind === 'default') {
    return `${state.name} = ${defaultView(state)}  (empty text at ${originChain(winner.origin)})`;
  }
  return `${state.name} = ${valueText(environment, state, winner)}  (${originChain(winner.origin)})`;
}

/** Returns the default of a key if it is a value; a described default is shown as not set. */
function defaultView({ definition: { defaultValue, defaultText, type } }: KeyState): string {
  if (defaultValue !== undefined) return `${defaultValue}  (default)`;
  // The description of the default of a map does not apply to one of its entries.
  return defaultText === undefined || type.shape === 'map' ? '(not set)' : `(not set)  (default: ${defaultText})`;
}

function detailsOf(environment: Environment, state: KeyState): readonly string[] {
  const [winner, ...overridden] = state.assignments;
  if (!winner) return [summaryOf(environment, state), ...aboutLines(state.definition)];
  const isDefault = evaluateAssignment(environment, state, winner).kind === 'default';
  const sum = state.type.shape === 'list' && state.type.addsUp ? evaluate(environment, state) : undefined;
  const effective = sum?.kind === 'value' ? sum.shown : valueText(environment, state, winner);
  const value = isDefault ? defaultView(state) : effective;
  return [
    `${state.name} = ${value}`,
    `  origin      ${originChain(winner.origin)}`,
    `  source      ${winner.source.name}`,
    ...writtenLines(state, winner),
    ...(isDefault ? [`  note        ${EMPTY_MEANS_DEFAULT}`] : []),
    ...overridden.map((assignment) => {
      const label = sum ? 'also       ' : 'overridden ';
      return `  ${label} ${valueText(environment, state, assignment)}  (${originChain(assignment.origin)})`;
    }),
    ...aboutLines(state.definition),
  ];
}

/** Shows a value with placeholders as its source contains it. */
function writtenLines({ isSecret }: KeyState, { content }: Assignment): readonly string[] {
  const text = 'text' in content ? content.text : content.map((element) => element.text).join(',');
  return text.includes('${') ? [`  written as  ${sanitizeUnresolved(text, isSecret)}`] : [];
}

function valueText(environment: Environment, state: KeyState, assignment: Assignment): string {
  const evaluation = evaluateAssignment(environment, state, assignment);
  if (evaluation.kind === 'value') return evaluation.shown;
  if (evaluation.kind === 'unset') return '';
  if (evaluation.kind === 'default') return '(empty text: the default)';
  const fact = (label: string): string => evaluation.problem.facts.find(([name]) => name === label)?.[1] ?? '';
  return `${fact('Value')}  cannot be used: ${fact('Reason')}`;
}

function aboutLines({ defaultText, facts, type, since }: KeyDefinition): readonly string[] {
  const { level, note } = facts.effect;
  return [
    `  default     ${defaultText ?? 'none'}`,
    `  type        ${type.name}`,
    `  effect      ${level}${note ? `: ${note}` : ''}`,
    `  since       ${since}`,
    `  does        ${facts.does}`,
  ];
}

/** Shows a foreign key, such as one that only placeholders use, masked like in the env endpoint. */
function foreignKey(environment: Environment, registry: KeyRegistry, name: string): readonly string[] {
  const hidden = new Sanitizer(environment, registry);
  const [winner, ...overridden] = Array.from(unregisteredEntries(environment, name).values(), (entries) => {
    const origin = entries[0] ? originChain(entries[0].origin) : '';
    return { text: String(hidden.sanitize(entries)), origin };
  });
  if (!winner) return [];
  return [
    `${name} = ${winner.text}`,
    `  origin      ${winner.origin}`,
    ...overridden.map(({ text, origin }) => `  overridden  ${text}  (${origin})`),
    '  type        no key of this service: any text, for placeholders',
  ];
}
