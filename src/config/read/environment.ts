import { KeyName, variableForms } from '../names/key-name.js';
import { isPackaged, RUNNING } from './origin.js';
import { fillForDisplay, fillPlaceholders, type Filled, type FilledForDisplay } from './placeholder.js';
import { ConfigSource, type Entry } from './source.js';

/** Active profiles in rising precedence, and those that apply when none is active. */
export interface Profiles {
  readonly active: readonly string[];
  readonly default: readonly string[];
}

/** An entry and the source that contains it. */
export interface Occurrence {
  readonly source: ConfigSource;
  readonly entry: Entry;
}

/** All sources of one startup, highest first; every look-up of a value uses it. */
export class Environment {
  private current: readonly ConfigSource[];

  constructor(
    private readonly read: readonly ConfigSource[],
    readonly profiles: Profiles = { active: [], default: [] },
  ) {
    this.current = read;
  }

  get sources(): readonly ConfigSource[] {
    return this.current;
  }

  /** Adds facts of the running service, such as its actual port, above everything that was read. */
  publish(facts: Readonly<Record<string, number>>): void {
    const entries = Object.entries(facts).map(([name, literal]): Entry => {
      return {
        key: KeyName.parse(name),
        spelled: name,
        text: String(literal),
        literal,
        origin: { kind: 'running', name },
      };
    });
    this.current = [new ConfigSource('running', RUNNING, entries), ...this.read];
  }

  /**
   * Adds sources of files that keys name: one that replaces keys above everything that was read, others directly above
   * the package.
   */
  withFiles(files: readonly ConfigSource[]): Environment {
    const [replacing, others] = [files.filter(({ replaces }) => replaces), files.filter(({ replaces }) => !replaces)];
    const at = this.read.findIndex(({ entries: [first] }) => first && isPackaged(first.origin));
    const end = at === -1 ? this.read.length : at;
    const sources = [...replacing, ...this.read.slice(0, end), ...others, ...this.read.slice(end)];
    return new Environment(sources, this.profiles);
  }

  /** The source that alone decides the key, if there is one. */
  replacing(key: KeyName): ConfigSource | undefined {
    return this.read.find(({ replaces }) => replaces?.(key));
  }

  /** Every source's entry for exactly this key, highest first. */
  occurrences(key: KeyName): readonly Occurrence[] {
    const held: Occurrence[] = [];
    for (const source of this.sources) {
      const entry = source.find(key);
      if (entry) held.push({ source, entry });
    }
    return held;
  }

  /**
   * Resolves placeholders with the effective values at the time of the call (configuration-sources.md, "Placeholders").
   */
  fill(text: string): Filled {
    return fillPlaceholders(text, (name) => this.textOf(name));
  }

  /** Resolves placeholders for display; never fails. */
  fillForDisplay(text: string): FilledForDisplay {
    return fillForDisplay(text, (name) => this.textOf(name));
  }

  /** Returns the entries of a source that a placeholder finds: one entry, or the elements of a sequence. */
  entriesNamed(source: ConfigSource, name: string, key = KeyName.parse(name)): readonly Entry[] {
    if (name === '') return [];
    const exact = source.findSpelled(name) ?? underscored(source, name);
    if (exact) return [exact];
    if (key.length === 0) return [];
    const entry = source.find(key) ?? variableOf(source, name);
    return entry ? [entry] : elementsOf(source, key);
  }

  /** Finds a value by its exact spelling, such as a variable, or as a key in any spelling; a sequence becomes comma text. */
  private textOf(name: string): string | undefined {
    // Known before the running service publishes it; nothing else sets it.
    if (name === 'PID') return String(process.pid);
    const key = KeyName.parse(name);
    for (const source of this.sources) {
      const entries = this.entriesNamed(source, name, key);
      if (entries.length > 0) return entries.map(({ text }) => text).join(',');
    }
    return undefined;
  }
}

/** `my_var` names the variable `MY_VAR`, which as a key reads `my.var`. */
function underscored(source: ConfigSource, name: string): Entry | undefined {
  if (source.kind !== 'environment' || !name.includes('_')) return undefined;
  return source.findSpelled(name.replaceAll(/[.-]/g, '_').toUpperCase());
}

/** A variable of the older form, dashes as underscores: `MY_RELAY_HOST` reads as another key than `my.relay-host`. */
function variableOf(source: ConfigSource, name: string): Entry | undefined {
  if (source.kind !== 'environment' || !name.includes('-')) return undefined;
  const forms = variableForms(name).flatMap((form) => [form, form.toLowerCase()]);
  const form = forms.find((spelling) => source.findSpelled(spelling));
  return form === undefined ? undefined : source.findSpelled(form);
}

/** Returns the elements `key[0]`, `key[1]` and so on of a source; empty without a first element. */
function elementsOf(source: ConfigSource, key: KeyName): readonly Entry[] {
  const elements = source
    .below(key)
    .filter((element) => element.key.length === key.length + 1 && element.key.isElement)
    .sort((a, b) => Number(a.key.lastPart) - Number(b.key.lastPart));
  return elements[0]?.key.lastPart === '0' ? elements : [];
}
