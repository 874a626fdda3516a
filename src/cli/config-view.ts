import type { Environment } from '../config/environment.js';
import { KeyName } from '../config/key-name.js';
import type { KeyDefinition, KeyRegistry } from '../config/key-registry.js';
import { originChain } from '../config/origin.js';
import { maskUrls, namesSecret, shown } from '../config/secrets.js';
import { baseName, evaluate, evaluateSetting, type KeyState, type Setting, statesOf } from '../config/setting.js';

/** What a look-up prints, and whether it found a key. */
export interface View {
  readonly lines: readonly string[];
  readonly isFound: boolean;
}

/** Everything about one key, or a line for each key below a prefix (`config get`). */
export function viewOfKey(environment: Environment, registry: KeyRegistry, name: string): View {
  const key = keyMeant(registry, name);
  const states = allStates(environment, registry);
  const exact = states.find((state) => KeyName.parse(state.name).uniform === key.uniform);
  if (exact) return found(detailsOf(environment, exact));

  const element = registry.find(key);
  if (element?.type.shape === 'list') return viewOfKey(environment, registry, element.name);
  const children = [
    ...below(states, key, ({ name: child }) => child).map((state) => summaryOf(environment, state)),
    ...below(openKeys(registry, states), key, baseName).map((open) => `${open.name} is not set`),
  ];
  if (children.length > 0) return found(children);
  if (element) return found([`${name} is not set`, ...aboutLines(element)]);

  const free = registry.isOwned(key) ? [] : foreignKey(environment, key, name);
  if (free.length > 0) return found(free);
  const near = registry.nearest(name);
  return { lines: [`${name} is no key of this service${near ? `; did you mean ${near}?` : ''}`], isFound: false };
}

/** One line per key in registry order; with `changed` only those that something outside the package sets (`config list`). */
export function viewOfAll(
  environment: Environment,
  registry: KeyRegistry,
  options: { readonly prefix?: string | undefined; readonly changed?: boolean | undefined },
): View {
  const prefix = KeyName.parse(options.prefix ?? '');
  const states = allStates(environment, registry);
  const wanted = options.prefix === undefined ? states : below(states, prefix, ({ name }) => name);
  if (wanted.length === 0) return viewOfKey(environment, registry, options.prefix ?? '');
  return found(
    wanted
      .filter(({ settings }) => !options.changed || (settings[0] && !isPackaged(settings[0])))
      .map((state) => summaryOf(environment, state)),
  );
}

/** The key a person means who writes it in any form, that of an environment variable included. */
function keyMeant(registry: KeyRegistry, name: string): KeyName {
  const asVariable = name.includes('.') ? undefined : registry.keyOfVariable(name);
  return asVariable ?? KeyName.parse(name);
}

function found(lines: readonly string[]): View {
  return { lines, isFound: true };
}

function allStates(environment: Environment, registry: KeyRegistry): readonly KeyState[] {
  return registry.classes
    .flatMap((owner) => registry.definitionsOf(owner))
    .flatMap((definition) => statesOf(environment, definition, registry));
}

/** Maps and named objects that nothing is put into yet. */
function openKeys(registry: KeyRegistry, states: readonly KeyState[]): readonly KeyDefinition[] {
  return registry.classes
    .flatMap((owner) => registry.definitionsOf(owner))
    .filter((definition) => baseName(definition) !== definition.name)
    .filter((definition) => !states.some(({ name }) => name.startsWith(`${baseName(definition)}.`)));
}

function below<T>(items: readonly T[], prefix: KeyName, nameOf: (item: T) => string): readonly T[] {
  return items.filter((item) => `${KeyName.parse(nameOf(item)).uniform}.`.startsWith(`${prefix.uniform}.`));
}

function isPackaged({ origin }: Setting): boolean {
  return origin.kind === 'position' && origin.resource.kind === 'classpath';
}

/** `key = value`, with a note where the value is the default or cannot be used. */
function summaryOf(environment: Environment, state: KeyState): string {
  const [winner] = state.settings;
  if (!winner) {
    const { defaultText } = state.definition;
    return `${state.name} = ${defaultText ?? ''}${defaultText === undefined ? '(not set)' : '  (default)'}`;
  }
  return `${state.name} = ${valueText(environment, state, winner)}  (${originChain(winner.origin)})`;
}

function detailsOf(environment: Environment, state: KeyState): readonly string[] {
  const [winner, ...overridden] = state.settings;
  if (!winner) return [summaryOf(environment, state), ...aboutLines(state.definition)];
  const sum = state.type.shape === 'list' && state.type.addsUp ? evaluate(environment, state) : undefined;
  const value = sum?.kind === 'value' ? sum.shown : valueText(environment, state, winner);
  return [
    `${state.name} = ${value}`,
    `  origin      ${originChain(winner.origin)}`,
    `  source      ${winner.source.name}`,
    ...writtenLines(state, winner),
    ...overridden.map((setting) => {
      const label = sum ? 'also       ' : 'overridden ';
      return `  ${label} ${valueText(environment, state, setting)}  (${originChain(setting.origin)})`;
    }),
    ...aboutLines(state.definition),
  ];
}

/** Placeholders as they stand in the source; of a secret only a text that is nothing but one reference. */
function writtenLines({ isSecret }: KeyState, { content }: Setting): readonly string[] {
  const text = 'text' in content ? content.text : content.map((element) => element.text).join(',');
  if (!text.includes('${') || (isSecret && !/^\$\{[^:{}]+\}$/.test(text))) return [];
  return [`  written as  ${maskUrls(text)}`];
}

function valueText(environment: Environment, state: KeyState, setting: Setting): string {
  const evaluation = evaluateSetting(environment, state, setting);
  if (evaluation.kind === 'value') return evaluation.shown;
  if (evaluation.kind === 'unset') return '';
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

/** A key of somebody else, such as one that only placeholders use. */
function foreignKey(environment: Environment, key: KeyName, name: string): readonly string[] {
  const [winner, ...overridden] = environment.holders(key).map(({ entry }) => {
    const filled = environment.fill(entry.text);
    const text =
      filled.kind === 'filled'
        ? shown(filled.text, namesSecret(name), filled.through)
        : shown(entry.text, namesSecret(name));
    return { text, origin: originChain(entry.origin) };
  });
  if (!winner) return [];
  return [
    `${name} = ${winner.text}`,
    `  origin      ${winner.origin}`,
    ...overridden.map(({ text, origin }) => `  overridden  ${text}  (${origin})`),
    '  type        no key of this service: any text, for placeholders',
  ];
}
