import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Document as YamlDocument,
  type Node,
  type Pair,
  parseAllDocuments,
} from 'yaml';
import { KeyName } from './key-name.js';
import type { Origin, Resource } from './origin.js';
import { unreadable } from './problem.js';
import type { Entry } from './source.js';

/** Above this a document is no configuration but an alias bomb. */
const MOST_ENTRIES = 100_000;
const DEEPEST = 100;

/**
 * Flattens every document of a YAML 1.2 text. Scalars keep the text as written (`on`, `0600`, `1.10`): what a value means
 * is decided by its key's type, not by the YAML reader.
 */
export function readYaml(text: string, resource: Resource, parent?: Origin): readonly (readonly Entry[])[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const at = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return { kind: 'position', resource, line: Math.max(line, 1), column: Math.max(col, 1), ...(parent && { parent }) };
  };
  // An empty text gives an empty marker instead of documents.
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [error] = document.errors;
    if (error) throw unreadable(at(error.pos[0]), withoutQuotes(error.message));
    return new Flattening(document, at).run();
  });
}

/** Messages of the YAML reader may quote what stands in the file. */
function withoutQuotes(message: string): string {
  return message.replaceAll(/(["'`]).*\1|: .*$/gs, '').trim() || 'not valid YAML';
}

class Flattening {
  private readonly entries: Entry[] = [];

  constructor(
    private readonly document: YamlDocument.Parsed,
    private readonly at: (offset: number) => Origin,
  ) {}

  run(): readonly Entry[] {
    const { contents } = this.document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    if (!isMap(contents)) {
      throw unreadable(this.at(offsetOf(contents)), 'a document must be a mapping of keys to values');
    }
    this.visit(contents, KeyName.root, '', offsetOf(contents), 0);
    return this.entries;
  }

  private visit(node: Node | null, key: KeyName, spelled: string, fallback: number, depth: number): void {
    const offset = node ? offsetOf(node) : fallback;
    if (depth > DEEPEST) throw unreadable(this.at(offset), `nested deeper than ${DEEPEST} levels`);
    if (isAlias(node)) {
      this.visit(node.resolve(this.document) ?? null, key, spelled, offset, depth + 1);
    } else if (isMap(node)) {
      for (const pair of this.ownAndMerged(node.items as Pair<Node, Node | null>[], depth)) {
        const name = keyText(pair.key, this.at);
        const below = key.append(name);
        const separator = spelled === '' || name.startsWith('[') ? '' : '.';
        this.visit(pair.value, below, spelled + separator + name, offsetOf(pair.key), depth + 1);
      }
    } else if (isSeq(node)) {
      if (node.items.length === 0) this.add(key, spelled, '', offset);
      node.items.forEach((item, index) => {
        this.visit(isPair(item) ? null : (item as Node), key.appendIndex(index), `${spelled}[${index}]`, offset, depth + 1);
      });
    } else {
      this.add(key, spelled, isScalar(node) ? scalarText(node) : '', offset);
    }
  }

  private add(key: KeyName, spelled: string, text: string, offset: number): void {
    if (this.entries.length >= MOST_ENTRIES) throw unreadable(this.at(offset), `more than ${MOST_ENTRIES} values`);
    this.entries.push({ key, spelled, text, origin: this.at(offset) });
  }

  /** Pairs of a map with those of its merge keys (`<<: *defaults`) behind, own keys first. */
  private ownAndMerged(pairs: readonly Pair<Node, Node | null>[], depth: number): readonly Pair<Node, Node | null>[] {
    const isMerge = ({ key }: Pair<Node, Node | null>): boolean =>
      isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
    if (!pairs.some(isMerge)) return pairs;
    if (depth > DEEPEST) return [];
    const own = pairs.filter((pair) => !isMerge(pair));
    const taken = new Set(own.map(({ key }) => keyText(key, this.at)));
    const merged: Pair<Node, Node | null>[] = [];
    for (const { key, value } of pairs.filter(isMerge)) {
      const sources = isSeq(value) ? (value.items as Node[]) : [value];
      for (const source of sources) {
        const map = isAlias(source) ? source.resolve(this.document) : source;
        if (!isMap(map)) throw unreadable(this.at(offsetOf(key)), 'a merge key takes mappings only');
        for (const pair of this.ownAndMerged(map.items as Pair<Node, Node | null>[], depth + 1)) {
          const name = keyText(pair.key, this.at);
          if (!taken.has(name)) merged.push(pair);
          taken.add(name);
        }
      }
    }
    return [...own, ...merged];
  }
}

function keyText(key: Node, at: (offset: number) => Origin): string {
  if (!isScalar(key)) throw unreadable(at(offsetOf(key)), 'a key must be a plain text');
  return scalarText(key);
}

/** As written for plain scalars, unescaped for quoted ones; nothing at all and `null` are the empty text. */
function scalarText(scalar: { value: unknown; source?: string; type?: string }): string {
  if (scalar.value === null) return '';
  if (typeof scalar.value === 'string') return scalar.value;
  return scalar.source ?? String(scalar.value);
}

function offsetOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
