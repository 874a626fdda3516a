import { DOMParser } from '@xmldom/xmldom';
import { type Position, positionIn, type Resource } from '../../../config/read/origin.js';
import type { ElementRule, ElementRules } from './mapper-grammar.js';
import type { MapperProblems } from './mapper-problems.js';

/** An element of a mapper file, or a text, whose name is `#text`. */
export class MapperNode {
  constructor(
    readonly name: string,
    readonly at: Position,
    readonly text: string,
    private readonly attributes: ReadonlyMap<string, string>,
    readonly children: readonly MapperNode[],
  ) {}

  /** Empty if the element has no such attribute. */
  attribute(name: string): string {
    return this.attributes.get(name) ?? '';
  }
}

/** No statement needs more; deeper files would exhaust the stack. */
const MAX_DEPTH = 40;
const ELEMENT = 1;
const TEXTS: readonly number[] = [3, 4];

/** Returns the root element without the parts that the rules do not permit, and reports those; undefined without a root. */
export function readMapperXml(
  xml: string,
  resource: Resource,
  rules: ElementRules,
  problems: MapperProblems,
): MapperNode | undefined {
  try {
    return new NodeReader(resource, problems).elementOf(rootOf(xml), rules, 'the file', 0);
  } catch (error) {
    const { message } = error as Error;
    const [, line = '1', column = '1'] = /#\[line:(\d+),col:(\d+)\]/.exec(message) ?? [];
    const [first = ''] = message.split('\n', 1);
    const reason = first.replace(/^.*\[xmldom \w+\]\s*|^element parse error: (?:Error: )?/, '');
    const at = positionIn(resource, Number(line), Number(column));
    // The parser's own words mislead.
    const clear = reason === 'unclosed xml attribute' ? 'a tag is not closed' : reason;
    problems.add(at, 'The XML of the mapper file is not accepted', clear);
    return undefined;
  }
}

/** A DOCTYPE never reaches the parser. */
function rootOf(xml: string): Element {
  const doctype = /<!(?:doctype|entity)/i.exec(xml);
  if (doctype) fail('it has a DOCTYPE or an entity of its own', xml.slice(0, doctype.index).split('\n').length);
  const errorHandler = { warning: fail, error: fail, fatalError: fail };
  const root = new DOMParser({ errorHandler, locator: {} }).parseFromString(xml, 'text/xml')
    .documentElement as Element | null;
  if (root === null) return fail('it has no root element');
  return /^\s*<[^]*>\s*$/.test(xml) ? root : fail('text is outside of the root');
}

/** @throws SyntaxError with the position in the form of the parser */
function fail(message: string, line?: unknown): never {
  throw new SyntaxError(typeof line === 'number' ? `${message}\n#[line:${line},col:1]` : message);
}

/** Builds nodes from those of the parser, by the rules of the grammar. */
class NodeReader {
  constructor(
    private readonly resource: Resource,
    private readonly problems: MapperProblems,
  ) {}

  elementOf(element: Element, rules: ElementRules, parent: string, depth: number): MapperNode | undefined {
    const { tagName: name } = element;
    const at = this.positionOf(element);
    if (depth > MAX_DEPTH) fail('its elements are nested too deeply', at.line);
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) {
      const known = Object.keys(rules).filter((tag) => tag !== '#text');
      this.problems.add(at, `<${name}> is not known in ${parent}`, `known are: ${known.join(', ') || 'none'}`);
      return undefined;
    }
    const attributes = new Map(Array.from(element.attributes, (each) => [each.name, each.value]));
    const invalid = [...attributeProblems(name, attributes, rule)];
    for (const [what, reason] of invalid) this.problems.add(at, what, reason);
    const children = this.childrenOf(element, rule.children?.() ?? {}, depth + 1);
    return invalid.length === 0 ? new MapperNode(name, at, '', attributes, children) : undefined;
  }

  private childrenOf(element: Element, rules: ElementRules, depth: number): readonly MapperNode[] {
    return Array.from(element.childNodes).flatMap((node): MapperNode | readonly MapperNode[] => {
      if (node.nodeType === ELEMENT) return this.elementOf(node as Element, rules, `<${element.tagName}>`, depth) ?? [];
      const text = TEXTS.includes(node.nodeType) ? (node.nodeValue ?? '') : '';
      if (text === '') return [];
      const at = this.positionOf(node);
      if (Object.hasOwn(rules, '#text')) return new MapperNode('#text', at, text, new Map(), []);
      if (text.trim() !== '') this.problems.add(at, `<${element.tagName}> contains no text`);
      return [];
    });
  }

  /** The parser adds its position to every node. */
  private positionOf(node: object): Position {
    const { lineNumber, columnNumber } = node as { readonly lineNumber: number; readonly columnNumber: number };
    return positionIn(this.resource, lineNumber, columnNumber);
  }
}

/** Attributes that are missing, unknown or malformed, each with the reason. */
function* attributeProblems(
  tag: string,
  attributes: ReadonlyMap<string, string>,
  { required = {}, optional = {} }: ElementRule,
): Generator<readonly [what: string, reason?: string]> {
  const forms = new Map(Object.entries({ ...required, ...optional }));
  for (const key of Object.keys(required)) if (!attributes.get(key)) yield [`<${tag}> needs the attribute ${key}`];
  for (const [key, text] of attributes) {
    const form = forms.get(key);
    if (!form) yield [`<${tag}> has no attribute ${key}`, `known are: ${[...forms.keys()].join(', ') || 'none'}`];
    else if (text !== '' && !form.test(text)) {
      yield [`The attribute ${key}="${text}" of <${tag}> is invalid`, `it must match ${form.source}`];
    }
  }
}
