import {
  type Alias,
  Composer,
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
} from 'yaml';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { KeyName } from '../names/key-name.js';
import { type Origin, positionIn, type Resource } from './origin.js';
import { unreadable } from '../problem.js';
import type { Entry } from './source.js';

/** Limits of a document, which only an alias bomb exceeds. */
const MAX_ENTRIES = 100_000;
const MAX_STEPS = 10 * MAX_ENTRIES;
const MAX_DEPTH = 100;

/**
 * Flattens every document of a YAML 1.2 text, one after the other. Scalars keep the text as written (`on`, `0600`,
 * `1.10`): what a value means is decided by its key's type, not by the YAML reader.
 */
export function* readYaml(text: string, resource: Resource, parent?: Origin): Generator<readonly Entry[]> {
  const lines = new LineCounter();
  const at = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return positionIn(resource, Math.max(line, 1), Math.max(col, 1), parent);
  };
  // Block text up to here has no line break at its end; the reader adds one.
  const end = text.slice(text.lastIndexOf('\n') + 1).trim() === '' ? -1 : text.length;
  // The reader's own check for keys written twice compares each with all others of its mapping.
  const composer = new Composer({ uniqueKeys: false, logLevel: 'silent' });
  for (const document of composer.compose(new Parser(lines.addNewLine).parse(text))) {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw unreadable(at(error.pos[0]), MEANING[error.code]);
    yield new Flattening(document.contents, at, end).run();
  }
}

/** Messages for the errors of the YAML reader, whose own messages may quote the file and thus a secret. */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias takes neither an anchor nor a tag',
  BAD_ALIAS: 'not a valid alias or anchor',
  BAD_COLLECTION_TYPE: 'the tag does not fit the mapping or sequence after it',
  BAD_DIRECTIVE: 'unknown YAML directive',
  BAD_DQ_ESCAPE: 'a backslash in double quotes starts no known escape; in single quotes it is plain text',
  BAD_INDENT: 'the indentation of this line is wrong, or a bracket above is not closed',
  BAD_PROP_ORDER: 'an anchor or tag is not allowed here',
  BAD_SCALAR_START: 'an unquoted text must not start with this character',
  BLOCK_AS_IMPLICIT_KEY: 'a key or value does not start on a line of its own; a text with ": " in it needs quotes',
  BLOCK_IN_FLOW: 'a block is not allowed inside { } or [ ]',
  DUPLICATE_KEY: 'this key exists in the mapping already',
  IMPOSSIBLE: 'this is not YAML',
  KEY_OVER_1024_CHARS: 'the ":" of a key must follow within 1024 characters',
  MISSING_CHAR: 'a colon, a closing quote or bracket, a comma or a space is missing',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line; perhaps a ":" is missing here or in the line above',
  MULTIPLE_ANCHORS: 'a value has more than one anchor',
  MULTIPLE_DOCS: 'a document must not start here',
  MULTIPLE_TAGS: 'a value has more than one tag',
  NON_STRING_KEY: 'a key must be a plain text',
  RESOURCE_EXHAUSTION: `nested deeper than ${MAX_DEPTH} levels`,
  TAB_AS_INDENT: 'tabs are not allowed for indentation: use spaces',
  TAG_RESOLVE_FAILED: 'unknown tag',
  UNEXPECTED_TOKEN: 'unexpected text; perhaps a quote or an indentation is wrong',
};

/** Spaces of Unicode, such as no-break spaces of a copied text; to YAML they are part of the key. */
const NO_INDENT = /^[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/;
const WRONG_SPACE = 'a no-break space or another space of Unicode precedes the key: use spaces';

type MapPair = Pair<Node, Node | null>;

class Flattening {
  private readonly entries: Entry[] = [];
  private readonly targets: ReadonlyMap<Alias, Node>;
  private steps = 0;

  constructor(
    private readonly contents: Node | null,
    private readonly at: (offset: number) => Origin,
    /** Where a block text ends without a line break. */
    private readonly end: number,
  ) {
    this.targets = targetsOf(contents);
  }

  run(): readonly Entry[] {
    const { contents } = this;
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    if (!isMap(contents)) {
      throw unreadable(this.at(offsetOf(contents)), 'a document must be a mapping of keys to values');
    }
    this.visit(contents, KeyName.root, '', offsetOf(contents), 0);
    return this.entries;
  }

  private visit(node: Node | null, key: KeyName, spelled: string, fallback: number, depth: number): void {
    const offset = node ? offsetOf(node) : fallback;
    this.step(offset, depth);
    if (isAlias(node)) {
      this.visit(this.targetOf(node), key, spelled, offset, depth + 1);
    } else if (isMap(node)) {
      for (const pair of this.ownAndMerged(node.items as MapPair[], offset, depth)) {
        const name = this.keyText(pair.key);
        const separator = spelled === '' || name.startsWith('[') ? '' : '.';
        this.visit(pair.value, key.append(name), spelled + separator + name, offsetOf(pair.key), depth + 1);
      }
    } else if (isSeq(node)) {
      if (node.items.length === 0) this.add(key, spelled, '', offset);
      node.items.forEach((item, index) => {
        this.visit(isNode(item) ? item : null, key.appendIndex(index), `${spelled}[${index}]`, offset, depth + 1);
      });
    } else {
      const text = isScalar(node) ? this.valueText(node) : '';
      this.add(key, spelled, text, offset, isScalar(node) ? literalOf(node, text) : undefined);
    }
  }

  private valueText(scalar: Scalar): string {
    const isUnfinished = (scalar.type?.startsWith('BLOCK_') ?? false) && scalar.range?.[1] === this.end;
    return isUnfinished ? scalarText(scalar).replace(/\n$/, '') : scalarText(scalar);
  }

  private add(key: KeyName, spelled: string, text: string, offset: number, literal?: number | boolean): void {
    if (this.entries.length >= MAX_ENTRIES) throw unreadable(this.at(offset), `more than ${MAX_ENTRIES} values`);
    this.entries.push(withoutUndefined({ key, spelled, text, literal, origin: this.at(offset) }));
  }

  /** Limits the work on a document: aliases can make a short text endless without a value in it. */
  private step(offset: number, depth: number): void {
    this.steps += 1;
    if (depth > MAX_DEPTH) throw unreadable(this.at(offset), MEANING.RESOURCE_EXHAUSTION);
    if (this.steps > MAX_STEPS) throw unreadable(this.at(offset), 'too many aliases of aliases');
  }

  /** Returns the own pairs of a map, followed by those of its merge keys (`<<: *defaults`). */
  private ownAndMerged(pairs: readonly MapPair[], offset: number, depth: number): readonly MapPair[] {
    this.step(offset, depth);
    const taken = new Set<string>();
    const own = pairs.filter((pair) => !isMerge(pair));
    for (const { key } of own) {
      const name = this.keyText(key);
      if (taken.has(name)) throw unreadable(this.at(offsetOf(key)), MEANING.DUPLICATE_KEY);
      taken.add(name);
    }
    if (own.length === pairs.length) return own;
    const merged: MapPair[] = [];
    for (const { key, value } of pairs.filter(isMerge)) {
      const source = isAlias(value) ? this.targetOf(value) : value;
      for (const item of isSeq(source) ? source.items : [source]) {
        const map = isAlias(item) ? this.targetOf(item) : item;
        if (!isMap(map)) throw unreadable(this.at(offsetOf(key)), 'a merge key takes mappings only');
        for (const pair of this.ownAndMerged(map.items as MapPair[], offset, depth + 1)) {
          this.step(offset, depth);
          const name = this.keyText(pair.key);
          if (!taken.has(name)) merged.push(pair);
          taken.add(name);
        }
      }
    }
    return [...own, ...merged];
  }

  private targetOf(alias: Alias): Node {
    const target = this.targets.get(alias);
    if (!target) throw unreadable(this.at(offsetOf(alias)), 'the alias has no anchor of this name before it');
    return target;
  }

  private keyText(key: Node): string {
    const named = isAlias(key) ? this.targetOf(key) : key;
    if (!isScalar(named)) throw unreadable(this.at(offsetOf(key)), MEANING.NON_STRING_KEY);
    const name = scalarText(named);
    if (named.type === 'PLAIN' && NO_INDENT.test(name)) throw unreadable(this.at(offsetOf(key)), WRONG_SPACE);
    return name;
  }
}

/** Resolves each alias to the last anchor of its name before it, in one walk in the order of the text. */
function targetsOf(contents: Node | null): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const open: unknown[] = [contents];
  while (open.length > 0) {
    const item = open.pop();
    if (isAlias(item)) {
      const target = anchors.get(item.source);
      if (target) targets.set(item, target);
    } else if (isPair(item)) {
      open.push(item.value, item.key);
    } else if (isScalar(item) || isCollection(item)) {
      if (item.anchor) anchors.set(item.anchor, item);
      if (isCollection(item)) for (let index = item.items.length - 1; index >= 0; index--) open.push(item.items[index]);
    }
  }
  return targets;
}

function isMerge({ key }: MapPair): boolean {
  return isScalar(key) && key.source === '<<' && key.type === 'PLAIN';
}

/** The text of a scalar: unchanged if plain, unescaped if quoted; a missing value and `null` are the empty text. */
function scalarText({ value, source }: Scalar): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : (source ?? '');
}

/** The number or boolean of a plain scalar, unless its canonical form is another text, as for `1.10`, `0x1F`, `True`. */
function literalOf({ value }: Scalar, text: string): number | boolean | undefined {
  return (typeof value === 'number' || typeof value === 'boolean') && String(value) === text ? value : undefined;
}

function offsetOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
