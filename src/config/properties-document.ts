import { type Comment, type Node, type Pair, parseLines } from 'dot-properties';
import { KeyName } from './key-name.js';
import type { Origin, Resource } from './origin.js';
import type { Entry } from './source.js';

/** A comment line of exactly this text starts a new document. */
const SEPARATOR = /^[#!]---$/;

/** Reads a `.properties` text with its `#---` documents; of one key written twice in a document, the last counts. */
export function readProperties(text: string, resource: Resource, parent?: Origin): readonly (readonly Entry[])[] {
  const position = positions(text);
  const documents: Map<string, Entry>[] = [new Map()];
  for (const node of parseLines(text, true)) {
    if (isComment(node)) {
      if (SEPARATOR.test(node.comment.trimEnd())) documents.push(new Map());
    } else if (isPair(node)) {
      const [line, column] = position(node.value === '' ? node.range[0] : node.range[2]);
      documents.at(-1)?.set(node.key, {
        key: KeyName.parse(node.key),
        spelled: node.key,
        text: node.value,
        origin: { kind: 'position', resource, line, column, ...(parent && { parent }) },
      });
    }
  }
  return documents.map((entries) => [...entries.values()]);
}

function isComment(node: Node): node is Comment {
  return node.type === 'COMMENT';
}

function isPair(node: Node): node is Required<Pair> {
  return node.type === 'PAIR';
}

/** Line and column, from 1, of an offset; offsets must not go back. */
function positions(text: string): (offset: number) => readonly [line: number, column: number] {
  let line = 1;
  let lineStart = 0;
  return (offset) => {
    for (;;) {
      const end = text.indexOf('\n', lineStart);
      if (end === -1 || end >= offset) return [line, offset - lineStart + 1];
      line += 1;
      lineStart = end + 1;
    }
  };
}
