import type { SamlRejection } from '../login/rejection.js';
import { ILLEGAL_CHARACTER, unescapeXml } from './saml-values.js';
import { attributesOf, type RawAttribute, ROOT_SCOPE, type NamespaceScope, scopeOf } from './xml-namespaces.js';

/** An element of a document, with the parts that SAML uses. */
export interface XmlElement {
  /** Its name without the prefix. */
  readonly name: string;
  /** URI of its namespace; empty if it has none. */
  readonly namespace: string;
  /** Values by name, or by `{URI}name` if the attribute has a namespace. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All text directly in the element, concatenated. */
  readonly text: string;
}

/** How much a document may hold. */
export interface XmlLimits {
  readonly depth: number;
  readonly elements: number;
  /** Attributes and namespace declarations of the whole document. */
  readonly attributes: number;
  readonly elementAttributes: number;
  readonly prefixes: number;
  /** Whether comments, CDATA, processing instructions and blanks in closing tags are read; messages have none of them. */
  readonly allowsMisc: boolean;
}

/**
 * Limits of messages. A response has six levels, and an attribute value of XML some more. A user in a thousand groups has
 * one element for each group, with up to three attributes. With two certificates the library takes about 0.3 s for that many.
 */
const MESSAGE_LIMITS: XmlLimits = {
  depth: 32,
  elements: 1100,
  attributes: 3500,
  elementAttributes: 40,
  prefixes: 64,
  allowsMisc: false,
};

// Sticky, so that each expression matches only at its position and no text is searched twice. Names are short and ASCII.
const NC_NAME = '[A-Za-z_][A-Za-z0-9_.-]{0,99}';
const NAME = `(?:(${NC_NAME}):)?(${NC_NAME})`;
const BLANK = '[ \\t\\n]';
const DECLARATION =
  /<\?xml[ \t\n]+version=(["'])1\.0\1(?:[ \t\n]+encoding=(["'])utf-8\2)?(?:[ \t\n]+standalone=(["'])(?:yes|no)\3)?[ \t\n]*\?>/iy;
const TEXT = /[^<]*/y;
const OPENING = new RegExp(`<${NAME}`, 'y');
const ATTRIBUTE = new RegExp(`${BLANK}+${NAME}${BLANK}*=${BLANK}*(?:"([^<"]*)"|'([^<']*)')`, 'y');
const OPENED = new RegExp(`${BLANK}*(/?)>`, 'y');
const CLOSING = new RegExp(`</${NAME}(${BLANK}*)>`, 'y');

interface OpenElement extends XmlElement {
  readonly prefix: string | undefined;
  readonly children: XmlElement[];
  text: string;
  readonly scope: NamespaceScope;
  /** Written as one tag. */
  readonly isEmpty: boolean;
}

/** The root element, or why the document is rejected, and in which line. */
type XmlResult = { readonly root: XmlElement } | { readonly rejection: SamlRejection; readonly line: number };

/**
 * Reads the part of XML 1.0 with namespaces that SAML messages need: elements, attributes and text. Everything that another
 * parser could read differently is rejected: DOCTYPE, comments, CDATA, processing instructions, entities, line ends of XML
 * 1.1, blanks in closing tags. The time grows only linearly with the length of any text; the parsers that read the document
 * afterwards guarantee that for well-formed text only.
 */
export function readXml(xml: string): XmlElement | SamlRejection {
  if (/<!\s*doctype/i.test(xml)) return 'doctype';
  if (xml.includes('<!') || /[\u0085\u2028]/.test(xml)) return 'markup';
  const result = parseXml(xml, MESSAGE_LIMITS);
  return 'root' in result ? result.root : result.rejection;
}

/** Reads a document within other limits than those of messages. */
export function parseXml(xml: string, limits: XmlLimits): XmlResult {
  const normalized = xml.replace(/\r\n?/g, '\n'); // XML 1.0, 2.11
  const illegal = normalized.search(ILLEGAL_CHARACTER);
  const reader = new Reader(normalized, limits);
  const root = illegal === -1 ? reader.document() : 'not_well_formed';
  if (typeof root !== 'string') return { root };
  const at = illegal === -1 ? reader.position : illegal;
  return { rejection: root, line: normalized.slice(0, at).split('\n').length };
}

class Reader {
  private at = 0;
  private elements = 0;
  private attributes = 0;

  constructor(
    private readonly xml: string,
    private readonly limits: XmlLimits,
  ) {}

  get position(): number {
    return this.at;
  }

  document(): XmlElement | SamlRejection {
    if (!this.limits.allowsMisc) {
      this.next(DECLARATION);
      if (this.xml.includes('<?', this.at)) return 'markup';
    } else if (/^<\?xml[ \t\n]/.test(this.xml)) {
      this.at = this.xml.indexOf('?>') + 2;
    }
    if (!isBlank(this.text())) return 'not_well_formed';
    if (/^<!doctype/i.test(this.xml.slice(this.at, this.at + 9))) return 'doctype';
    const root = this.root();
    if (typeof root === 'string') return root;
    if (!isBlank(this.text())) return 'not_well_formed';
    if (this.at === this.xml.length) return root;
    return this.next(OPENING) === undefined ? 'not_well_formed' : 'structure';
  }

  private root(): XmlElement | SamlRejection {
    const open: OpenElement[] = [];
    for (;;) {
      const parent = open.at(-1);
      const closing = this.next(CLOSING);
      if (closing !== undefined) {
        if (parent === undefined) return 'not_well_formed';
        if (closing[3] !== '' && !this.limits.allowsMisc) return 'markup';
        if (closing[1] !== parent.prefix || closing[2] !== parent.name) return 'not_well_formed';
        open.pop();
        if (open.length === 0) return parent;
      } else {
        const element = this.opening(parent?.scope ?? ROOT_SCOPE);
        if (typeof element === 'string') return element;
        parent?.children.push(element);
        if (!element.isEmpty) open.push(element);
        else if (parent === undefined) return element;
        if (open.length > this.limits.depth) return 'too_deep';
      }
      const text = this.text();
      if (text === undefined) return 'not_well_formed';
      const around = open.at(-1);
      if (around !== undefined) around.text += text;
    }
  }

  private opening(outer: NamespaceScope): OpenElement | SamlRejection {
    const opening = this.next(OPENING);
    if (opening === undefined) return 'not_well_formed';
    this.elements += 1;
    if (this.elements > this.limits.elements) return 'structure';
    const written: RawAttribute[] = [];
    for (let match = this.next(ATTRIBUTE); match !== undefined; match = this.next(ATTRIBUTE)) {
      const [, prefix, name = '', quoted, apostrophed = ''] = match;
      this.attributes += 1;
      if (written.length === this.limits.elementAttributes || this.attributes > this.limits.attributes)
        return 'structure';
      const value = unescapeXml((quoted ?? apostrophed).replace(/[\t\n]/g, ' ')); // XML 1.0, 3.3.3
      if (value === undefined) return 'not_well_formed';
      written.push({ prefix, name, value });
    }
    const opened = this.next(OPENED);
    if (opened === undefined) return 'not_well_formed';
    const scope = scopeOf(outer, written, this.limits.prefixes);
    if (typeof scope === 'string') return scope;
    const [, prefix, name = ''] = opening;
    const namespace = scope.get(prefix ?? '') ?? (prefix === undefined ? '' : undefined);
    const attributes = attributesOf(scope, written);
    if (namespace === undefined || attributes === undefined) return 'not_well_formed';
    return { prefix, name, namespace, attributes, scope, isEmpty: opened[1] === '/', children: [], text: '' };
  }

  /** The text up to the next tag; undefined if it is not well-formed. */
  private text(): string | undefined {
    let text = unescapeXml(this.next(TEXT)?.[0] ?? '');
    while (this.limits.allowsMisc && text !== undefined) {
      const section = this.section('<![CDATA[', ']]>');
      const isMisc = section !== undefined || this.comment() || this.section('<?', '?>') !== undefined;
      if (!isMisc) break;
      const more = unescapeXml(this.next(TEXT)?.[0] ?? '');
      text = more === undefined ? undefined : text + (section ?? '') + more;
    }
    return text;
  }

  /** Skips a comment, which must not contain `--` (XML 1.0, 2.5). */
  private comment(): boolean {
    const begin = this.at;
    const comment = this.section('<!--', '--');
    if (comment !== undefined && this.xml[this.at] === '>') {
      this.at += 1;
      return true;
    }
    this.at = begin;
    return false;
  }

  /** The text between two delimiters, if the first one is next. */
  private section(begin: string, end: string): string | undefined {
    if (!this.xml.startsWith(begin, this.at)) return undefined;
    const from = this.at + begin.length;
    const to = this.xml.indexOf(end, from);
    if (to === -1) return undefined;
    this.at = to + end.length;
    return this.xml.slice(from, to);
  }

  private next(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.at;
    const match = token.exec(this.xml) ?? undefined;
    if (match !== undefined) this.at = token.lastIndex;
    return match;
  }
}

function isBlank(text: string | undefined): boolean {
  return text !== undefined && !/[^ \t\n]/.test(text);
}

/** Yields the element and all its descendants in document order. */
export function* elementsIn(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsIn(child);
}
