import { KeyName } from './key-name.js';
import { fillPlaceholders, type Filled } from './placeholder.js';
import type { ConfigSource, Entry } from './source.js';

/** Active profiles in rising order of weight, and those that count when none is active. */
export interface Profiles {
  readonly active: readonly string[];
  readonly default: readonly string[];
}

/** An entry and the source it stands in. */
export interface Held {
  readonly source: ConfigSource;
  readonly entry: Entry;
}

/** All sources of one start, highest first. Everything that asks for a value asks here, so there is one answer. */
export class Environment {
  constructor(
    readonly sources: readonly ConfigSource[],
    readonly profiles: Profiles = { active: [], default: [] },
  ) {}

  /** Every source's entry for exactly this key, highest first. */
  holders(key: KeyName): readonly Held[] {
    const held: Held[] = [];
    for (const source of this.sources) {
      const entry = source.find(key);
      if (entry) held.push({ source, entry });
    }
    return held;
  }

  /** Fills placeholders with what is in force, as late as it is asked for (configuration.md b.3). */
  fill(text: string): Filled {
    return fillPlaceholders(text, (name) => this.textOf(name));
  }

  /** By exact spelling (a variable's name) or as a key in any spelling; a sequence reads as comma text. */
  private textOf(name: string): string | undefined {
    const key = KeyName.parse(name);
    for (const source of this.sources) {
      const entry = source.findSpelled(name) ?? source.find(key);
      if (entry) return entry.text;
      const elements = source.below(key).filter((element) => element.key.length === key.length + 1);
      if (elements.some((element) => element.key.uniformPart(key.length) === '0')) {
        return elements.map((element) => element.text).join(',');
      }
    }
    return undefined;
  }
}
