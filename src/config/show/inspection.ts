import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Environment } from '../read/environment.js';
import { Sanitizer } from './sanitizer.js';
import { requestedKey, unregisteredEntries, keyFromInput } from '../names/key-lookup.js';
import type { KeyRegistry } from '../names/key-registry.js';
import type { Assignment, KeyState } from '../bind/key-state.js';
import { EMPTY_MEANS_DEFAULT, evaluate } from '../bind/evaluation.js';
import { type Origin, originText } from '../read/origin.js';
import { MASK } from '../../kernel/redaction/secrets.js';
import type { ConfigSource, Entry } from '../read/source.js';

/** A value for display: placeholders are resolved and secrets are masked for every caller. */
export interface SanitizedValue {
  readonly value: string | number | boolean;
  readonly origin: string;
}

/** The values of one key in all sources. */
export interface Inspected {
  /** Undefined if the list of the highest source is too short for the requested element. */
  readonly effective:
    { readonly source: ConfigSource; readonly value: SanitizedValue['value']; readonly note?: string } | undefined;
  readonly bySource: ReadonlyMap<ConfigSource, SanitizedValue>;
}

/** The view of a configuration for endpoints and commands. It uses the same states as binding, so both agree. */
export class Inspection {
  private readonly sanitizer: Sanitizer;

  constructor(
    private readonly environment: Environment,
    private readonly registry: KeyRegistry,
  ) {
    this.sanitizer = new Sanitizer(environment, registry);
  }

  /** Returns all values of a source under the names that its author wrote. */
  valuesOf({ entries }: ConfigSource): ReadonlyMap<string, SanitizedValue> {
    return new Map(entries.map((entry) => [entry.spelled, this.shown([entry], entry.origin)]));
  }

  /** Finds a key in any form, including foreign keys; undefined if no source has it. */
  find(name: string): Inspected | undefined {
    const key = keyFromInput(this.environment, this.registry, name);
    const requested = requestedKey(this.environment, this.registry, key);
    if (!requested) return this.registry.find(key) ? undefined : this.foreign(name);
    const { state, index } = requested;
    if (state.assignments.length === 0) return undefined;
    return index === undefined ? this.whole(state) : this.element(state, index);
  }

  /** The value that a source assigns to a key. */
  assigned({ content, origin }: Assignment): SanitizedValue {
    return this.shown(entriesOf(content), origin);
  }

  private whole(state: KeyState): Inspected {
    const bySource = new Map(state.assignments.map((assignment) => [assignment.source, this.assigned(assignment)]));
    const [winner] = state.assignments;
    const note = this.noteOf(state);
    const effective =
      winner && withoutUndefined({ source: winner.source, value: this.effectiveValue(state) ?? MASK, note });
    return { effective, bySource };
  }

  /** Why the effective value differs from the text of its source. */
  noteOf(state: KeyState): string | undefined {
    return evaluate(this.environment, state).kind === 'default' ? EMPTY_MEANS_DEFAULT : undefined;
  }

  /** The effective value; an accumulating list is joined over all sources. Undefined if no source sets the key. */
  effectiveValue(state: KeyState): SanitizedValue['value'] | undefined {
    const { assignments, type } = state;
    const [winner] = assignments;
    if (!winner) return undefined;
    const isSum = type.shape === 'list' && type.addsUp && assignments.length > 1;
    const isHidden = assignments.some((assignment) => this.assigned(assignment).value === MASK);
    if (!isSum || isHidden) {
      const { value } = this.assigned(winner);
      return value !== MASK && this.noteOf(state) ? (state.definition.defaultValue ?? '') : value;
    }
    const sum = evaluate(this.environment, state);
    return sum.kind === 'value' ? sum.shown : MASK;
  }

  private element(state: KeyState, index: number): Inspected | undefined {
    const bySource = new Map<ConfigSource, SanitizedValue>();
    for (const { source, content, origin } of state.assignments) {
      const value = 'text' in content ? this.item(content, origin, index) : this.ofSequence(content, index);
      if (value) bySource.set(source, value);
    }
    if (bySource.size === 0) return undefined;
    const isSum = state.type.shape === 'list' && state.type.addsUp;
    const winner = isSum ? bySource.keys().next().value : state.assignments[0]?.source;
    const value = winner && bySource.get(winner)?.value;
    return { effective: winner && value !== undefined ? { source: winner, value } : undefined, bySource };
  }

  /** Returns one item of comma text, which is split after placeholders are resolved. */
  private item(entry: Entry, origin: Origin, index: number): SanitizedValue | undefined {
    const whole = this.shown([entry], origin);
    if (whole.value === MASK) return index === 0 ? whole : undefined;
    const items = String(whole.value).trim() === '' ? [] : String(whole.value).split(',');
    const item = items[index];
    return item === undefined ? undefined : { ...whole, value: item.trim() };
  }

  private ofSequence(elements: readonly Entry[], index: number): SanitizedValue | undefined {
    const element = elements.find(({ key }) => Number(key.lastPart) === index);
    return element && this.shown([element], element.origin);
  }

  private foreign(name: string): Inspected | undefined {
    const bySource = new Map<ConfigSource, SanitizedValue>();
    for (const [source, entries] of unregisteredEntries(this.environment, name)) {
      const [first] = entries;
      if (first) bySource.set(source, this.shown(entries, first.origin));
    }
    const [first] = bySource;
    return first && { effective: { source: first[0], value: first[1].value }, bySource };
  }

  private shown(entries: readonly Entry[], origin: Origin): SanitizedValue {
    return { value: this.sanitizer.sanitize(entries), origin: originText(origin) };
  }
}

function entriesOf(content: Assignment['content']): readonly Entry[] {
  return 'text' in content ? [content] : content;
}
