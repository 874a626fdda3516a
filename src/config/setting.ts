import type { Environment } from './environment.js';
import type { KeyName } from './key-name.js';
import type { KeyDefinition, KeyRegistry } from './key-registry.js';
import type { ListType, ScalarType } from './key-type.js';
import { Mismatch } from './mismatch.js';
import type { Origin } from './origin.js';
import { from, type Problem, problem } from './problem.js';
import type { ConfigSource, Entry } from './source.js';
import { namesSecret, shown } from './secrets.js';

/** What one source says about one key: a text, or the elements of a sequence. */
export interface Setting {
  readonly source: ConfigSource;
  readonly origin: Origin;
  readonly content: Entry | readonly Entry[];
}

/** One concrete key with all that the sources say about it, highest first: what is bound, and what is shown. */
export interface KeyState {
  /** As documents and reports name it; free parts are filled in. */
  readonly name: string;
  readonly definition: KeyDefinition;
  readonly type: ScalarType<unknown> | ListType<unknown>;
  readonly isSecret: boolean;
  readonly settings: readonly Setting[];
}

/** A key's value in force. */
export type Evaluation =
  | { readonly kind: 'unset' }
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** Filled in, and masked where it must be. */
      readonly shown: string;
    }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** The state of a key of one value, scalar or list. */
export function stateOf(
  environment: Environment,
  definition: KeyDefinition,
  name = definition.name,
  key = definition.key,
  type = definition.type,
): KeyState {
  if (type.shape !== 'scalar' && type.shape !== 'list') throw new TypeError(`${name} has no single value`);
  const settings = environment.sources.flatMap((source) => {
    const setting = type.shape === 'list' ? listIn(source, key) : scalarIn(source, key);
    return setting ? [setting] : [];
  });
  return { name, definition, type, isSecret: definition.facts.secret ?? namesSecret(name), settings };
}

function scalarIn(source: ConfigSource, key: KeyName): Setting | undefined {
  const entry = source.find(key);
  return entry && { source, origin: entry.origin, content: entry };
}

function listIn(source: ConfigSource, key: KeyName): Setting | undefined {
  const whole = scalarIn(source, key);
  if (whole) return whole;
  const elements = source
    .below(key)
    .filter((entry) => entry.key.length === key.length + 1 && /^\d+$/.test(entry.key.uniformPart(key.length)))
    .sort((a, b) => Number(a.key.uniformPart(key.length)) - Number(b.key.uniformPart(key.length)));
  const [first] = elements;
  return first && { source, origin: first.origin, content: elements };
}

/** States of all keys a definition stands for: one, or one per free part that some source names. */
export function statesOf(environment: Environment, definition: KeyDefinition, registry: KeyRegistry): readonly KeyState[] {
  const { type } = definition;
  if (type.shape === 'scalar' || type.shape === 'list') return [stateOf(environment, definition)];
  if (type.shape === 'map') {
    return [...freeParts(environment, definition)].map(([text, key]) =>
      stateOf(environment, definition, `${baseName(definition)}.${text}`, key, type.element),
    );
  }
  const members = registry.membersOf(definition);
  return [...freeParts(environment, definition)].flatMap(([text, key]) =>
    members.definitions.map((member) =>
      stateOf(environment, member, `${baseName(definition)}.${text}.${member.name}`, key.append(String(member.key))),
    ),
  );
}

/** `logging.level` of `logging.level.<logger>`. */
export function baseName({ name }: KeyDefinition): string {
  return name.replace(/\.<[^>]*>$/, '');
}

/**
 * What stands in the free part of a map or of named objects, over all sources. Of several spellings the one of the
 * highest file or argument counts; the environment cannot spell capitals.
 */
export function freeParts(environment: Environment, { key: base, type }: KeyDefinition): ReadonlyMap<string, KeyName> {
  const found = new Map<string, { text: string; key: KeyName; fromEnvironment: boolean }>();
  for (const source of environment.sources) {
    const fromEnvironment = source.kind === 'environment';
    for (const { key } of source.below(base)) {
      const end = type.shape === 'objects' ? base.length + 1 : endOfFreePart(key, base, type.shape === 'map' && type.element.shape === 'list');
      const uniform = key.uniformFrom(base.length, end);
      const known = found.get(uniform);
      if (!known || (known.fromEnvironment && !fromEnvironment)) {
        found.set(uniform, { text: key.textFrom(base.length, end), key: key.firstParts(end), fromEnvironment });
      }
    }
  }
  return new Map([...found.values()].map(({ text, key }) => [text, key]));
}

function endOfFreePart(key: KeyName, base: KeyName, ofLists: boolean): number {
  const isElement = ofLists && key.length > base.length + 1 && /^\d+$/.test(key.uniformPart(key.length - 1));
  return isElement ? key.length - 1 : key.length;
}

/** Converts what is in force; every way this can fail is one problem with its origin. */
export function evaluate(environment: Environment, state: KeyState): Evaluation {
  const [winner] = state.settings;
  if (!winner) return { kind: 'unset' };
  if (state.type.shape === 'list' && state.type.addsUp) return evaluateSum(environment, state);
  return evaluateSetting(environment, state, winner);
}

function evaluateSum(environment: Environment, state: KeyState): Evaluation {
  const items: unknown[] = [];
  const texts: string[] = [];
  for (const setting of state.settings.toReversed()) {
    const evaluation = evaluateSetting(environment, state, setting);
    if (evaluation.kind !== 'value') return evaluation;
    items.push(...(evaluation.value as readonly unknown[]));
    if (evaluation.shown !== '') texts.push(evaluation.shown);
  }
  return { kind: 'value', value: items, shown: texts.join(',') };
}

/** What one source's setting would give; the first of a state is the one in force. */
export function evaluateSetting(environment: Environment, state: KeyState, setting: Setting): Evaluation {
  const { type, isSecret } = state;
  const entries = Array.isArray(setting.content) ? (setting.content as readonly Entry[]) : [setting.content as Entry];
  if (type.shape === 'list' && Array.isArray(setting.content)) {
    const hole = entries.findIndex((entry, index) => Number(lastPart(entry.key)) !== index);
    if (hole !== -1) return { kind: 'problem', problem: unboundElements(state, setting, entries, hole) };
  }
  const filled: string[] = [];
  const through: string[] = [];
  for (const entry of entries) {
    const result = environment.fill(entry.text);
    if (result.kind !== 'filled') return { kind: 'problem', problem: unfilled(state, entry, result) };
    filled.push(result.text);
    through.push(...result.through);
  }
  const display = shown(filled.join(','), isSecret, through);
  if (type.shape === 'scalar') {
    const value = parse(type, filled[0] ?? '');
    return value instanceof Mismatch
      ? { kind: 'problem', problem: unconverted(state, type, entries[0]?.origin, display, value) }
      : { kind: 'value', value, shown: display };
  }
  const texts = Array.isArray(setting.content) ? filled : commaItems(filled[0] ?? '');
  const items: unknown[] = [];
  for (const [index, item] of texts.entries()) {
    const value = parse(type.element, item);
    if (value instanceof Mismatch) {
      const origin = (entries[index] ?? entries[0])?.origin;
      return {
        kind: 'problem',
        problem: unconverted(state, type.element, origin, shown(item, isSecret, through), value),
      };
    }
    items.push(value);
  }
  return { kind: 'value', value: items, shown: display };
}

function parse(type: ScalarType<unknown>, text: string): unknown {
  const value = type.parse(text);
  return value instanceof Mismatch && text.trim() === '' ? new Mismatch('the value is empty') : value;
}

function commaItems(text: string): readonly string[] {
  if (text.trim() === '') return [];
  return text.split(',').map((item) => item.trim());
}

function lastPart(key: KeyName): string {
  return key.uniformPart(key.length - 1);
}

function unconverted(
  { name }: KeyState,
  type: ScalarType<unknown>,
  origin: Origin | undefined,
  display: string,
  { reason }: Mismatch,
): Problem {
  return problem(`The value of ${name} cannot be used as ${article(type.name)}`, `Set ${name} to ${type.expects}.`, {
    Property: name,
    Value: `"${display}"`,
    Origin: from(origin),
    Reason: reason,
  });
}

function unfilled(
  { name, isSecret }: KeyState,
  entry: Entry,
  failure: { kind: 'missing'; name: string; within: string } | { kind: 'circular'; chain: readonly string[] },
): Problem {
  // Of a secret, only a text that is nothing but a placeholder may be repeated.
  const hide = isSecret && !/^\$\{[^:{}]+\}$/.test(entry.text);
  const facts = { Property: name, Value: `"${shown(entry.text, hide)}"`, Origin: from(entry.origin) };
  if (failure.kind === 'circular') {
    const chain = failure.chain.map((item) => `\${${item}}`).join(' -> ');
    return problem(`Placeholders of ${name} run in a circle`, 'Give one of them a value of its own.', { ...facts, Reason: `circular: ${chain}` });
  }
  return {
    ...problem(
      `The placeholder \${${failure.name}} of ${name} has no value`,
      `Set ${failure.name} (as an environment variable, an argument or a key), or write a default: \${${failure.name}:…}.`,
      { ...facts, Reason: `nothing sets ${failure.name}` },
    ),
    mayFollow: true,
  };
}

function unboundElements(
  { name, isSecret, settings }: KeyState,
  { source }: Setting,
  entries: readonly Entry[],
  hole: number,
): Problem {
  const left = entries.slice(hole);
  const others = settings.filter((setting) => setting.source !== source);
  return problem(
    `Elements of the list ${name} are left unbound`,
    `Number the elements of ${name} from 0 without holes, all of them in one place: the highest source supplies the whole list.`,
    {
      Property: left.map(({ key }) => `${name}[${lastPart(key)}]`).join(', '),
      Value: left.map(({ text }) => `"${shown(text, isSecret)}"`).join(', '),
      Origin: left.map(({ origin }) => from(origin)).join(', '),
      Reason: `left unbound: ${name}[${hole}] is missing in ${source.name}`,
      'Also set at': others.length > 0 ? others.map(({ origin }) => from(origin)).join(', ') : undefined,
    },
  );
}

function article(name: string): string {
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}
