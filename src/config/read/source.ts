import type { KeyName } from '../names/key-name.js';
import type { Origin } from './origin.js';

/** One value of one source, before placeholders are resolved. */
export interface Entry {
  readonly key: KeyName;
  /** The key as its author wrote it. */
  readonly spelled: string;
  readonly text: string;
  /** The number or boolean of the text in YAML or in facts of the service, if its canonical form is the same text. */
  readonly literal?: number | boolean;
  readonly origin: Origin;
}

export type SourceKind = 'running' | 'command-line' | 'system-properties' | 'environment' | 'file';

/** An ordered set of entries from one place: the arguments, the environment, or one document of a file. */
export class ConfigSource {
  private readonly byKey = new Map<string, Entry>();
  private readonly bySpelling = new Map<string, Entry>();
  private belowKey: Map<string, Entry[]> | undefined;

  constructor(
    readonly kind: SourceKind,
    readonly name: string,
    readonly entries: readonly Entry[],
    /** True for a key that other sources cannot set, whether or not this one sets it. */
    readonly replaces?: (key: KeyName) => boolean,
  ) {
    for (const entry of entries) {
      if (!this.byKey.has(entry.key.uniform)) this.byKey.set(entry.key.uniform, entry);
      this.bySpelling.set(entry.spelled, entry);
    }
  }

  find(key: KeyName): Entry | undefined {
    return this.byKey.get(key.uniform);
  }

  /** Finds an entry by its exact spelling, e.g. the name of a variable. */
  findSpelled(name: string): Entry | undefined {
    return this.bySpelling.get(name);
  }

  /** Every entry strictly below the key. */
  below(key: KeyName): readonly Entry[] {
    if (!this.belowKey) {
      this.belowKey = new Map();
      for (const entry of this.entries) {
        for (let length = 1; length < entry.key.length; length++) {
          const ancestor = entry.key.uniformFrom(0, length);
          const known = this.belowKey.get(ancestor);
          if (known) known.push(entry);
          else this.belowKey.set(ancestor, [entry]);
        }
      }
    }
    return this.belowKey.get(key.uniform) ?? [];
  }
}
