import type { KeyName } from '../names/key-name.js';
import type { Origin } from './origin.js';

/** One value as one source holds it, before placeholders are filled in. */
export interface Entry {
  readonly key: KeyName;
  /** The key as its author wrote it. */
  readonly spelled: string;
  readonly text: string;
  /** What YAML or the service itself means by the text, where that is a number or a boolean written in just this way. */
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
  ) {
    for (const entry of entries) {
      if (!this.byKey.has(entry.key.uniform)) this.byKey.set(entry.key.uniform, entry);
      this.bySpelling.set(entry.spelled, entry);
    }
  }

  find(key: KeyName): Entry | undefined {
    return this.byKey.get(key.uniform);
  }

  /** By the exact text an author wrote, e.g. the name of a variable. */
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
