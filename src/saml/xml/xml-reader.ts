import type { Rejection } from '../login/rejection.js';

/** An element of a document, as far as SAML looks at it. */
export interface XmlElement {
  /** Its name without the prefix. */
  readonly name: string;
  /** URI of its namespace; empty where it has none. */
  readonly namespace: string;
  /** Values by name, or by `{URI}name` where the attribute has a namespace. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All text directly in it, whole. */
  readonly text: string;
}

/** Levels; a response has six, an attribute value of markup some more. */
export const MAX_DEPTH = 32;
/** Elements; a person in a thousand groups has one for each. With two certificates the library takes up to some 0.3 s for so many. */
export const MAX_ELEMENTS = 1100;
/** Attributes and declarations of all elements; such a person may have three with each group. */
export const MAX_ATTRIBUTES = 3500;
const MAX_ELEMENT_ATTRIBUTES = 40;
const MAX_PREFIXES = 64;

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

// Sticky, so that each looks at its place alone and no text is searched twice; names are of ASCII and short, as all of SAML's.
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
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

type Scope = ReadonlyMap<string, string>;

interface OpenElement extends XmlElement {
  readonly prefix: string | undefined;
  readonly children: XmlElement[];
  text: string;
  readonly scope: Scope;
  /** Written as one tag. */
  readonly isEmpty: boolean;
}

/**
 * Reads the part of XML 1.0 with namespaces that SAML messages need: elements, attributes and text. What only other parsers
 * could read differently is refused: DOCTYPE, comments, CDATA, processing instructions, entities, line ends of XML 1.1 alone,
 * blanks in closing tags.
 * It takes time as the text is long, whatever stands in it, which the parsers behind it do for well-formed texts alone.
 */
export function readXml(xml: string): XmlElement | Rejection {
  if (/<!\s*doctype/i.test(xml)) return 'doctype';
  if (xml.includes('<!') || /[\u0085\u2028]/.test(xml)) return 'markup';
  if (NO_CHARACTER.test(xml)) return 'not_well_formed';
  const reader = new Reader(xml.replace(/\r\n?/g, '\n')); // XML 1.0, 2.11
  return reader.document();
}

class Reader {
  private at = 0;
  private elements = 0;
  private attributes = 0;

  constructor(private readonly xml: string) {}

  document(): XmlElement | Rejection {
    this.next(DECLARATION);
    if (this.xml.includes('<?', this.at)) return 'markup';
    if (!isBlank(this.text())) return 'not_well_formed';
    const root = this.root();
    if (typeof root === 'string') return root;
    if (!isBlank(this.text())) return 'not_well_formed';
    if (this.at === this.xml.length) return root;
    return this.next(OPENING) === undefined ? 'not_well_formed' : 'structure';
  }

  private root(): XmlElement | Rejection {
    const open: OpenElement[] = [];
    for (;;) {
      const parent = open.at(-1);
      const closing = this.next(CLOSING);
      if (closing !== undefined) {
        if (parent === undefined) return 'not_well_formed';
        if (closing[3] !== '') return 'markup';
        if (closing[1] !== parent.prefix || closing[2] !== parent.name) return 'not_well_formed';
        open.pop();
        if (open.length === 0) return parent;
      } else {
        const element = this.opening(parent?.scope ?? new Map([['xml', XML_NAMESPACE]]));
        if (typeof element === 'string') return element;
        parent?.children.push(element);
        if (!element.isEmpty) open.push(element);
        else if (parent === undefined) return element;
        if (open.length > MAX_DEPTH) return 'too_deep';
      }
      const text = decode(this.text());
      if (text === undefined) return 'not_well_formed';
      const around = open.at(-1);
      if (around !== undefined) around.text += text;
    }
  }

  private opening(outer: Scope): OpenElement | Rejection {
    const opening = this.next(OPENING);
    if (opening === undefined) return 'not_well_formed';
    this.elements += 1;
    if (this.elements > MAX_ELEMENTS) return 'structure';
    const written: RawAttribute[] = [];
    for (let match = this.next(ATTRIBUTE); match !== undefined; match = this.next(ATTRIBUTE)) {
      const [, prefix, name = '', quoted, apostrophed = ''] = match;
      this.attributes += 1;
      if (written.length === MAX_ELEMENT_ATTRIBUTES || this.attributes > MAX_ATTRIBUTES) return 'structure';
      const value = decode((quoted ?? apostrophed).replace(/[\t\n]/g, ' ')); // XML 1.0, 3.3.3
      if (value === undefined) return 'not_well_formed';
      written.push({ prefix, name, value });
    }
    const opened = this.next(OPENED);
    if (opened === undefined) return 'not_well_formed';
    const scope = scopeOf(outer, written);
    if (typeof scope === 'string') return scope;
    const [, prefix, name = ''] = opening;
    const namespace = scope.get(prefix ?? '') ?? (prefix === undefined ? '' : undefined);
    const attributes = attributesOf(scope, written);
    if (namespace === undefined || attributes === undefined) return 'not_well_formed';
    return { prefix, name, namespace, attributes, scope, isEmpty: opened[1] === '/', children: [], text: '' };
  }

  private text(): string {
    return this.next(TEXT)?.[0] ?? '';
  }

  private next(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.at;
    const match = token.exec(this.xml) ?? undefined;
    if (match !== undefined) this.at = token.lastIndex;
    return match;
  }
}

interface RawAttribute {
  readonly prefix: string | undefined;
  readonly name: string;
  readonly value: string;
}

/** The prefixes that count inside of an element, the default under the empty one (Namespaces in XML 1.0, 3 and 6). */
function scopeOf(outer: Scope, attributes: readonly RawAttribute[]): Scope | Rejection {
  const declarations = attributes.filter(isDeclaration);
  if (declarations.length === 0) return outer;
  const scope = new Map(outer);
  for (const { prefix, name, value } of declarations) {
    const declared = prefix === undefined ? '' : name;
    if (declared === 'xml' || declared === 'xmlns') return 'not_well_formed';
    if (value === XML_NAMESPACE || value === XMLNS_NAMESPACE) return 'not_well_formed';
    if (declared !== '' && value === '') return 'not_well_formed';
    scope.set(declared, value);
  }
  return scope.size > MAX_PREFIXES ? 'structure' : scope;
}

/** Undefined where one stands there twice or has a prefix that nothing declares. */
function attributesOf(scope: Scope, written: readonly RawAttribute[]): ReadonlyMap<string, string> | undefined {
  const attributes = new Map<string, string>();
  const declared = new Set<string>();
  for (const attribute of written) {
    const { prefix, name, value } = attribute;
    if (isDeclaration(attribute)) {
      const key = prefix === undefined ? '' : name;
      if (declared.has(key)) return undefined;
      declared.add(key);
    } else {
      const namespace = prefix === undefined ? '' : scope.get(prefix);
      if (namespace === undefined) return undefined;
      const key = namespace === '' ? name : `{${namespace}}${name}`;
      if (attributes.has(key)) return undefined;
      attributes.set(key, value);
    }
  }
  return attributes;
}

function isDeclaration({ prefix, name }: RawAttribute): boolean {
  return prefix === 'xmlns' || (prefix === undefined && name === 'xmlns');
}

function isBlank(text: string): boolean {
  return !/[^ \t\n]/.test(text);
}

/** For references that mean no character: it is none itself. */
const NOTHING = '\0';
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));/g;

/** The text with its references resolved; undefined for any that needs a DTD or means no character. */
function decode(text: string): string | undefined {
  if (text.includes(']]>')) return undefined;
  if (!text.includes('&')) return text;
  if (text.replace(REFERENCE, '').includes('&')) return undefined;
  const plain = text.replace(REFERENCE, (_, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return CHARACTERS[name] ?? NOTHING;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number.parseInt(decimal, 10);
    return code > 0x10ffff ? NOTHING : String.fromCodePoint(code);
  });
  return NO_CHARACTER.test(plain) ? undefined : plain;
}
