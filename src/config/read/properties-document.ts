import { type Comment, type Node, type Pair, parseLines } from 'dot-properties';
import { KeyName } from '../names/key-name.js';
import { type Origin, positionIn, type Resource } from './origin.js';
import { unreadable } from '../problem.js';
import type { Entry } from './source.js';

/** A comment line of exactly this text starts a new document. */
const SEPARATOR = /^[#!]---$/;

/** The escape `\u` without the four digits of a character, as in the unescaped path `C:\users`. */
const BROKEN_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?![0-9a-f]{4})/i;

/** Reads a `.properties` text with its `#---` documents. */
export function readProperties(text: string, resource: Resource, parent?: Origin): readonly (readonly Entry[])[] {
  // One kind of line end, or continued keys would end at the first line.
  const lines = text.replaceAll(/\r\n?/g, '\n');
  const position = positions(lines);
  const documents: Entry[][] = [[]];
  for (const node of parseLines(lines, true)) {
    if (isComment(node)) {
      const isIndented = node.range[0] > 0 && lines[node.range[0] - 1] !== '\n';
      if (!isIndented && SEPARATOR.test(node.comment.trimEnd())) documents.push([]);
    } else if (isPair(node)) {
      const [start, , value, end] = node.range;
      const [line, column] = position(value);
      const origin: Origin = positionIn(resource, line, column, parent);
      if (BROKEN_ESCAPE.test(lines.slice(start, end))) {
        throw unreadable(origin, 'after \\u four hexadecimal digits must follow; a backslash itself is written \\\\');
      }
      documents.at(-1)?.push({ key: KeyName.parse(node.key), spelled: node.key, text: node.value, origin });
    }
  }
  return documents;
}

function isComment(node: Required<Node>): node is Required<Comment> {
  return node.type === 'COMMENT';
}

function isPair(node: Required<Node>): node is Required<Pair> {
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
