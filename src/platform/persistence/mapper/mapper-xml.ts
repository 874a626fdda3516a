import { DOMParser } from '@xmldom/xmldom';
import { type Position, positionIn, type Resource } from '../../../config/read/origin.js';
import type { MapperProblem } from './mapper-problem.js';

/** An element of a mapper file with its position. */
export interface MapperElement {
  readonly name: string;
  readonly at: Position;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (MapperElement | MapperText)[];
}

/** Text or CDATA; comments and processing instructions are left out. */
export interface MapperText {
  readonly text: string;
  readonly at: Position;
}

/** No statement needs more; deeper files would exhaust the stack. */
const MAX_DEPTH = 40;
const ELEMENT = 1;
const TEXTS: readonly number[] = [3, 4];

/** Returns the root element, or the fault of a file that is not well-formed. A DOCTYPE never reaches the parser. */
export function readMapperXml(xml: string, resource: Resource): MapperElement | MapperProblem {
  const doctype = /<!(?:doctype|entity)/i.exec(xml);
  if (doctype) {
    const line = xml.slice(0, doctype.index).split('\n').length;
    return { at: positionIn(resource, line, 1), what: 'A mapper file has no DOCTYPE and no entities of its own' };
  }
  const what = 'The mapper file is not well-formed XML';
  try {
    const fail = (message: string): never => {
      throw new SyntaxError(message);
    };
    const errorHandler = { warning: fail, error: fail, fatalError: fail };
    const root = new DOMParser({ errorHandler, locator: {} }).parseFromString(xml, 'text/xml')
      .documentElement as Element | null;
    const isAlone = /^\s*</.test(xml) && />\s*$/.test(xml);
    if (root !== null && !isAlone)
      return { at: positionIn(resource, 1, 1), what, reason: 'text is outside of the root' };
    if (root === null) return { at: positionIn(resource, 1, 1), what, reason: 'it has no root element' };
    return elementOf(root, resource, 0);
  } catch (error) {
    const { message } = error as Error;
    const [, line = '1', column = '1'] = /#\[line:(\d+),col:(\d+)\]/.exec(message) ?? [];
    const [first = ''] = message.split('\n', 1);
    const reason = first.replace(/^.*\[xmldom \w+\]\s*|^element parse error: (?:Error: )?/, '');
    return { at: positionIn(resource, Number(line), Number(column)), what, reason: WORDS[reason] ?? reason };
  }
}

/** The parser's own words, where they mislead. */
const WORDS: Readonly<Record<string, string>> = { 'unclosed xml attribute': 'a tag is not closed' };

/** The parser adds its position to every node. */
interface Located {
  readonly lineNumber?: number;
  readonly columnNumber?: number;
}

function positionOf(node: object, resource: Resource): Position {
  const { lineNumber = 1, columnNumber = 1 } = node as Located;
  return positionIn(resource, lineNumber, columnNumber);
}

function elementOf(element: Element, resource: Resource, depth: number): MapperElement {
  if (depth > MAX_DEPTH) {
    const { lineNumber = 1 } = element as Located;
    throw new SyntaxError(`its elements are nested too deeply\n#[line:${lineNumber},col:1]`);
  }
  const children = Array.from(element.childNodes).flatMap((node): (MapperElement | MapperText)[] => {
    if (node.nodeType === ELEMENT) return [elementOf(node as Element, resource, depth + 1)];
    return TEXTS.includes(node.nodeType) ? [{ text: node.nodeValue ?? '', at: positionOf(node, resource) }] : [];
  });
  const attributes = new Map(Array.from(element.attributes, ({ name, value }) => [name, value]));
  return { name: element.tagName, at: positionOf(element, resource), attributes, children };
}
