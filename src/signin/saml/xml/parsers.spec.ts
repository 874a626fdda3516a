import { isDeepStrictEqual } from 'node:util';
import { DOMParser } from '@xmldom/xmldom';
import { parser as saxParser, type QualifiedAttribute, type QualifiedTag } from 'sax';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { type XmlElement, readXml } from './xml-reader.js';
import { isRejection } from '../login/rejection.js';

interface Outline {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly children: Outline[];
}

function byOurs({ name, namespace, attributes, text, children }: XmlElement): Outline {
  return {
    name: `{${namespace}}${name}`,
    attributes: Object.fromEntries(attributes),
    text,
    children: children.map(byOurs),
  };
}

/** The parser of signatures and encryption, which never stops: like the library, this ignores its warnings. */
function byXmldom(xml: string): Outline {
  const root = new DOMParser({ errorHandler: () => undefined }).parseFromString(xml).documentElement;
  const outlineOf = (element: Element): Outline => {
    const nodes = Array.from(element.childNodes);
    return {
      name: `{${element.namespaceURI ?? ''}}${element.localName}`,
      attributes: Object.fromEntries(
        Array.from(element.attributes)
          .filter(({ namespaceURI }) => namespaceURI !== XMLNS)
          .map(({ namespaceURI, localName, value }) => [nameOf(namespaceURI ?? '', localName), value]),
      ),
      text: nodes.map((node) => (node.nodeType === 3 ? (node.nodeValue ?? '') : '')).join(''),
      children: nodes.filter(({ nodeType }) => nodeType === 1).map((node) => outlineOf(node as Element)),
    };
  };
  return outlineOf(root);
}

/** The parser under xml2js, by which the library judges what is signed. */
function bySax(xml: string): Outline {
  const parser = saxParser(true, { xmlns: true });
  const top: Outline = { name: '', attributes: {}, text: '', children: [] };
  const open = [top];
  parser.onopentag = (tag) => {
    const { local, uri, attributes } = tag as QualifiedTag;
    const element: Outline = {
      name: `{${uri}}${local}`,
      attributes: Object.fromEntries(
        Object.values(attributes)
          .filter((attribute: QualifiedAttribute) => attribute.prefix !== 'xmlns' && attribute.name !== 'xmlns')
          .map((attribute) => [nameOf(attribute.uri, attribute.local), attribute.value]),
      ),
      text: '',
      children: [],
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.ontext = (text) => {
    const around = open.at(-1);
    if (around) around.text += text;
  };
  parser.onclosetag = () => {
    open.pop();
  };
  parser.onerror = (error) => {
    throw error;
  };
  parser.write(xml).close();
  const [root] = top.children;
  if (!root) throw new Error('no root');
  return root;
}

const XMLNS = 'http://www.w3.org/2000/xmlns/';

function nameOf(namespace: string, name: string): string {
  return namespace === '' ? name : `{${namespace}}${name}`;
}

const DECLARED = 'xmlns:a="urn:a" xmlns:b="urn:b" xmlns:saml="urn:saml" xmlns:Xmlns="urn:x"';
const NAMES = ['Response', 'Assertion', 'a', 'NameID', '_', 'x.y-z', 'Status', 'xmlnsx', 'constructor', 'toString'];
const PREFIXES = ['', '', 'a', 'b', 'saml', 'xml', 'Xmlns'];
const URIS = ['urn:a', 'urn:b', 'urn:oasis:names:tc:SAML:2.0:assertion', ' urn:a', 'urn:&#97;', ''];
const TEXTS = [
  ...[
    '',
    'x',
    ' ',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '>',
    '"',
    "'",
    '=',
    '/',
    ']',
    ']]',
    '&lt;',
    '&amp;lt;',
    '&#13;',
    '&#10;',
    '&#9;',
  ],
  ...[
    '&#x20;',
    '&apos;',
    '&quot;',
    '&gt;',
    '\u0085',
    '\u2028',
    '\u2029',
    '\u00a0',
    '\u3000',
    '\ufeff',
    '\u{1f600}',
    '&#x1F600;',
    '\ufffd',
  ],
  ...[
    '&#x85;',
    '&#x2028;',
    '&#65279;',
    'e\u0301',
    '\u202e',
    '&#38;lt;',
    '&#60;',
    '&#x26;amp;',
    '\u007f',
    '&nbsp;',
    '&copy;',
    '&amp',
    '&#x0;',
  ],
];

const prefixed = fc
  .tuple(fc.constantFrom(...PREFIXES), fc.constantFrom(...NAMES))
  .map(([prefix, name]) => (prefix === '' ? name : `${prefix}:${name}`));
const text = fc.array(fc.constantFrom(...TEXTS), { maxLength: 4 }).map((parts) => parts.join(''));
const blank = fc.constantFrom(' ', ' ', ' ', '\n', '\t', '  ', '\r\n', '');
const attribute = fc
  .tuple(
    blank,
    fc.oneof(prefixed, fc.constantFrom('xmlns', 'xmlns:a', 'xmlns:b', 'xmlns:saml', 'ID', 'Id', 'xml:id', 'xml:space')),
    fc.constantFrom('=', '=', ' = ', '\n='),
    fc.constantFrom('"', "'"),
    fc.oneof(text, fc.constantFrom(...URIS)),
  )
  .map(
    ([before, name, equals, quote, value]) =>
      `${before || ' '}${name}${equals}${quote}${value.replaceAll(quote, '')}${quote}`,
  );
const { element } = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .tuple(
      prefixed,
      fc.array(attribute, { maxLength: 4 }),
      blank,
      fc.array(fc.oneof({ weight: 2, arbitrary: text }, { weight: 1, arbitrary: tie('element') }), {
        maxLength: 4,
        depthIdentifier: 'element',
      }),
      fc.boolean(),
      // Rare, because such a document is rejected.
      fc.oneof({ weight: 19, arbitrary: fc.constant('') }, { weight: 1, arbitrary: blank }),
    )
    .map(([name, attributes, end, content, isEmpty, closingEnd]) =>
      isEmpty
        ? `<${name}${attributes.join('')}${end}/>`
        : `<${name}${attributes.join('')}${end}>${content.join('')}</${name}${closingEnd}>`,
    ),
}));
const document = fc
  .tuple(
    fc.constantFrom('', '<?xml version="1.0"?>', "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n", '\n'),
    element,
    fc.constantFrom('', '\n', ' '),
  )
  .map(([before, root, after]) => before + root.replace(/<([\w:.-]+)/, `<$1 ${DECLARED}`) + after);

/** The two readings if they differ; undefined for a rejected document. */
function difference(xml: string, byOther: (xml: string) => Outline): unknown {
  const read = readXml(xml);
  if (isRejection(read)) return undefined;
  const [ours, theirs] = [byOurs(read), byOther(xml)];
  return isDeepStrictEqual(ours, theirs) ? undefined : { ours, theirs };
}

describe('a document that readXml accepts', () => {
  it('X13: has the same names, namespaces, attributes and text for the parser that verifies signatures', () => {
    fc.assert(
      fc.property(document, (xml) => {
        expect(difference(xml, byXmldom)).toBeUndefined();
      }),
      { numRuns: 4000 },
    );
  });

  it('X13: is the same for the parser that the library validates with, except for line ends and tabs', () => {
    fc.assert(
      fc.property(document, (xml) => {
        expect(difference(xml.replace(/[\r\n\t]/g, ' '), bySax)).toBeUndefined();
      }),
      { numRuns: 4000 },
    );
  });

  it('is at least a fifth of the generated documents', () => {
    const accepted = fc.sample(document, 1000).filter((xml) => !isRejection(readXml(xml)));

    expect(accepted.length).toBeGreaterThan(200);
  });

  it('X13: has no space in a closing tag, which makes one parser skip the next text', () => {
    const xml = '<a><b></b><b>text</b ></a>';

    expect(byXmldom(xml).children.map(({ text }) => text)).toEqual(['', '']);
    expect(readXml(xml)).toBe('markup');
  });

  it.each(['\u0085', '\u2028'])('X13: does not contain %j, which one parser reads as a line end', (character) => {
    expect(readXml(`<a b="${character}"/>`)).toBe('markup');
    expect(readXml(`<a>${character}</a>`)).toBe('markup');
  });
});
