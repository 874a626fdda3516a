import type { Environment } from '../read/environment.js';
import { KeyName } from '../names/key-name.js';
import type { KeyRegistry } from '../names/key-registry.js';
import { baseName } from '../bind/key-state.js';
import {
  MASK,
  mayContainSecret,
  mayBeSecretName,
  sanitizeUrls,
  isSecretName,
  sanitizeValue,
  sanitizeUnresolved,
} from '../../kernel/redaction/secrets.js';
import type { Entry } from '../read/source.js';

/** Names of placeholders as written; for a name that contains placeholders, the inner names. */
const PLACEHOLDER = /\$\{([^${}:]+)/g;

/**
 * Masks values for every caller (management API, "Masking"): values with a name or key of a secret, all values that their
 * placeholders refer to, and all values that contain one of those through a placeholder.
 */
export class Sanitizer {
  /** Names that placeholders of secrets use, as written and as keys. */
  private readonly secretNames = new Set<string>();
  /** Names that those placeholders find, possibly in another spelling: `${db_region}` finds the variable `DB_REGION`. */
  private readonly secretEntries = new Set<Entry>();

  constructor(
    private readonly environment: Environment,
    private readonly registry: KeyRegistry,
  ) {
    const entries = environment.sources.flatMap((source) => source.entries);
    const unseen = new Set(entries);
    const open: string[] = [];
    const visit = (entry: Entry, names: readonly string[]): void => {
      unseen.delete(entry);
      open.push(...names);
    };
    for (const entry of entries) {
      if (this.isSecretByName(entry)) visit(entry, environment.fillForDisplay(entry.text).through);
      else open.push(...namesInCredentials(entry.text));
    }
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (this.secretNames.has(name)) continue;
      this.secretNames.add(name).add(KeyName.parse(name).uniform);
      for (const entry of this.entriesNamed(name)) this.secretEntries.add(entry);
      for (const entry of unseen) {
        if (this.isPart(entry)) visit(entry, environment.fillForDisplay(entry.text).through);
      }
    }
  }

  /** The value of one entry, or of the elements of a list, with placeholders filled in as far as they can be. */
  sanitize(entries: readonly Entry[]): string | number | boolean {
    const filled = entries.map(({ text }) => this.environment.fillForDisplay(text));
    const through = filled.flatMap((part) => part.through);
    if (entries.some((entry) => this.hides(entry)) || through.some((name) => this.hidesName(name))) return MASK;
    const [only] = entries;
    if (entries.length === 1 && only?.literal !== undefined) return only.literal;
    const text = filled.map((part) => part.text).join(',');
    return filled.every(({ isResolved }) => isResolved) ? sanitizeValue(text, false) : sanitizeUnresolved(text, false);
  }

  hides(entry: Entry): boolean {
    return this.isSecretByName(entry) || this.isPart(entry);
  }

  /** True if a placeholder of this name inserts a hidden value. */
  hidesName(name: string): boolean {
    if (this.secretNames.has(name)) return true;
    const named = this.entriesNamed(name);
    return named.length > 0 ? named.some((entry) => this.hides(entry)) : mayBeSecretName(name) || isSecretName(name);
  }

  /** Checks every source, not only the one that resolves the placeholder. */
  private entriesNamed(name: string): readonly Entry[] {
    return this.environment.sources.flatMap((source) => this.environment.entriesNamed(source, name));
  }

  private isPart(entry: Entry): boolean {
    if (this.secretEntries.has(entry)) return true;
    const { spelled, key } = entry;
    // A placeholder inserts a whole sequence by the name of its list.
    const list = key.uniform.replace(/(?:\.\d+)+$/, '');
    return this.secretNames.has(spelled) || this.secretNames.has(key.uniform) || this.secretNames.has(list);
  }

  private isSecretByName({ key, spelled, text, origin }: Entry): boolean {
    const definition = this.registry.find(key);
    if (definition) {
      // The free part of a map may be named like a secret and hold none, such as the level of the logger `token`.
      const isNamed = definition.facts.secret === undefined && (isSecretName(spelled) || isSecretName(String(key)));
      return definition.isSecret || isSecretName(baseName(definition)) || isNamed;
    }
    const isMounted = origin.kind === 'position' && origin.isWholeFile === true;
    return isMounted || isSecretName(spelled) || mayBeSecretName(spelled) || mayContainSecret(text);
  }
}

/** Names of placeholders that fill the user or the password of a URL. */
function namesInCredentials(text: string): readonly string[] {
  if (!text.includes('${')) return [];
  const left = placeholdersIn(sanitizeUrls(text));
  const times = (name: string, among: readonly string[]): number => among.filter((other) => other === name).length;
  const all = placeholdersIn(text);
  return all.filter((name) => times(name, left) < times(name, all));
}

function placeholdersIn(text: string): readonly string[] {
  return Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name);
}
