import { isDeepStrictEqual } from 'node:util';
import { DOMParser } from '@xmldom/xmldom';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/property.js';
import { MESSAGE_LIMITS, readXml, type XmlElement } from './xml-reader.js';
import { isRejection } from '../login/rejection.js';

const DOCUMENT =
  '<?xml version="1.0" encoding="UTF-8"?>\n<a:r xmlns:a="urn:a" xmlns="urn:d" ID="_1" a:x=\'"\'>t&amp;<b y="&#9;\n"/>&#x20ac;</a:r>';

describe('reading markup', () => {
  it('gives names, namespaces, attributes and the whole text', () => {
    expect(readXml(DOCUMENT)).toMatchObject({
      name: 'r',
      namespace: 'urn:a',
      attributes: new Map([
        ['ID', '_1'],
        ['{urn:a}x', '"'],
      ]),
      text: 't&€',
      children: [{ name: 'b', namespace: 'urn:d', attributes: new Map([['y', '\t ']]), children: [], text: '' }],
    });
  });

  it.each([
    ['an XML declaration without encoding', '<?xml version="1.0"?><a/>'],
    ['single quotes and standalone', "<?xml version='1.0' encoding='utf-8' standalone='yes' ?><a/>"],
    ['blanks around the root', ' \r\n<a/>\n'],
    ['a declaration that is taken back', '<a xmlns="urn:a"><b xmlns=""/></a>'],
    ['a prefix that is declared again', '<p:a xmlns:p="urn:a"><p:a xmlns:p="urn:b"/></p:a>'],
    ['the prefix that needs no declaration', '<a xml:lang="de"/>'],
    ['a greater-than sign', '<a b=">">></a>'],
  ])('takes %s', (_, xml) => {
    expect(isRejection(readXml(xml))).toBe(false);
  });

  it.each([
    ['a DOCTYPE', '<!DOCTYPE a><a/>'],
    ['one in lower case', '<!doctype a><a/>'],
    ['one of mixed case', '<!DocType a><a/>'],
    ['one after a blank', '<! DOCTYPE a><a/>'],
    ['one behind the XML declaration', '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "http://127.0.0.1/x"><a/>'],
    ['one inside of the root', '<a><!DOCTYPE a></a>'],
    ['one behind the root', '<a/><!DOCTYPE a>'],
    ['one in a comment', '<a><!-- <!DOCTYPE a> --></a>'],
    [
      'one with entities in entities',
      `<!DOCTYPE a [<!ENTITY l "${'l'.repeat(900)}"><!ENTITY m "&l;&l;&l;">]><a>&m;</a>`,
    ],
    ['one with a file as an entity', '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>'],
  ])('X11: refuses %s', (_, xml) => {
    expect(readXml(xml)).toBe('doctype');
  });

  it.each([
    ['a comment', '<a>b<!-- -->c</a>'],
    ['an empty comment', '<a>b<!---->c</a>'],
    ['a comment before the root', '<!-- --><a/>'],
    ['a comment behind the root', '<a/><!-- -->'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['CDATA of nothing', '<a>b<![CDATA[]]>c</a>'],
    ['a processing instruction', '<a><?b c?></a>'],
    ['one before the root', '<?xml-stylesheet href="http://127.0.0.1/x"?><a/>'],
    ['one behind the root', '<a/><?b?>'],
    ['a second XML declaration', '<?xml version="1.0"?><?xml version="1.0"?><a/>'],
    ['an XML declaration behind a blank', ' <?xml version="1.0"?><a/>'],
    ['XML 1.1', '<?xml version="1.1"?><a/>'],
    ['another encoding', '<?xml version="1.0" encoding="UTF-7"?><a/>'],
    ['UTF-16 that is none', '<?xml version="1.0" encoding="UTF-16"?><a/>'],
    ['an entity outside of a DOCTYPE', '<a/><!ENTITY b "c">'],
  ])('X6: refuses %s', (_, xml) => {
    expect(readXml(xml)).toBe('markup');
  });

  it.each([
    ['nothing', ''],
    ['blanks alone', ' \n'],
    ['text alone', 'a'],
    ['text before the root', 'a<b/>'],
    ['text behind the root', '<b/>a'],
    ['an unclosed tag', '<a><b></a>'],
    ['an unclosed root', '<a>'],
    ['an end without a begin', '</a>'],
    ['an end behind the root', '<a/></a>'],
    ['an end of another name', '<a></b>'],
    ['an end of another prefix', '<a xmlns="u" xmlns:p="u"></p:a>'],
    ['an end in other case', '<a></A>'],
    ['a blank before the name', '< a/>'],
    ['a blank before the name of an end', '<a>< /a>'],
    ['a slash before a blank', '<a/ >'],
    ['a tag that ends with the text', '<a'],
    ['an attribute that does', '<a b="c'],
    ['an attribute without a value', '<a b/>'],
    ['an attribute without quotes', '<a b=c/>'],
    ['attributes without a blank between', '<a b="c"d="e"/>'],
    ['a less-than sign in an attribute', '<a b="<"/>'],
    ['a less-than sign in text', '<a>1 < 2</a>'],
    ['the end of CDATA in text', '<a>]]></a>'],
    ['an ampersand alone', '<a>a & b</a>'],
    ['an entity that nobody declared', '<a>&lol;</a>'],
    ['one in an attribute', '<a b="&nbsp;"/>'],
    ['an entity in upper case', '<a>&AMP;</a>'],
    ['an entity without its end', '<a>&amp</a>'],
    ['a reference to no character', '<a>&#0;</a>'],
    ['a reference to half a character', '<a>&#xd800;</a>'],
    ['a reference beyond all characters', '<a>&#x110000;</a>'],
    ['a reference of many zeros', `<a>&#${'0'.repeat(100)}65;</a>`],
    ['a hexadecimal reference in upper case', '<a>&#X41;</a>'],
    ['a NUL', '<a>\0</a>'],
    ['a control character', '<a>\u0008</a>'],
    ['half a character', '<a>\ud800</a>'],
    ['a byte order mark', '\ufeff<a/>'],
    ['UTF-16 read as UTF-8', '<\0a\0/\0>\0'],
    ['a name of two colons', '<a:b:c xmlns:a="u"/>'],
    ['a name that begins with a digit', '<1a/>'],
    ['a name of another script', '<ä/>'],
    ['a name of 101 characters', `<${'a'.repeat(101)}/>`],
    ['an attribute name of 200 characters', `<a ${'b'.repeat(200)}="c"/>`],
  ])('X13: does not read %s', (_, xml) => {
    expect(readXml(xml)).toBe('not_well_formed');
  });

  it.each([
    ['a prefix that nothing declares', '<p:a/>'],
    ['a prefix that only the attribute of another element declares', '<a><b xmlns:p="u"/><p:c/></a>'],
    ['a prefix that every object of JavaScript has', '<constructor:a/>'],
    ['its prototype for a prefix', '<__proto__:a/>'],
    ['an attribute of a prefix that nothing declares', '<a p:b="c"/>'],
    ['a prefix that is taken back', '<a xmlns:p=""/>'],
    ['the prefix xmlns for an element', '<xmlns:a/>'],
    ['the prefix xml for another namespace', '<a xmlns:xml="u"/>'],
    ['the prefix xmlns declared', '<a xmlns:xmlns="u"/>'],
    ['the namespace of xml under another prefix', '<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>'],
    ['the namespace of xmlns as the default', '<a xmlns="http://www.w3.org/2000/xmlns/"/>'],
    ['an attribute twice', '<a b="c" b="d"/>'],
    ['an attribute twice under two prefixes of one namespace', '<a xmlns:p="u" xmlns:q="u" p:b="" q:b=""/>'],
    ['a declaration twice', '<a xmlns:p="u" xmlns:p="v"/>'],
    ['a default twice', '<a xmlns="u" xmlns="v"/>'],
  ])('X13: does not read %s', (_, xml) => {
    expect(readXml(xml)).toBe('not_well_formed');
  });

  it('X13: refuses several roots', () => {
    expect(readXml('<a/><a/>')).toBe('structure');
    expect(readXml('<a></a>\n<b></b>')).toBe('structure');
  });

  it('X11: takes as many levels as it says and none more', () => {
    const nested = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels);

    expect(isRejection(readXml(nested(MESSAGE_LIMITS.depth)))).toBe(false);
    expect(readXml(nested(MESSAGE_LIMITS.depth + 1))).toBe('too_deep');
  });

  it('X11: takes as many elements, attributes and prefixes as it says and none more', () => {
    const elements = (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`;
    const numbered = (count: number, text: string) =>
      Array.from({ length: count }, (_, n) => `${text}${n}="u"`).join(' ');

    expect(isRejection(readXml(elements(MESSAGE_LIMITS.elements)))).toBe(false);
    expect(readXml(elements(MESSAGE_LIMITS.elements + 1))).toBe('structure');
    expect(isRejection(readXml(`<a ${numbered(40, 'b')}/>`))).toBe(false);
    expect(readXml(`<a ${numbered(41, 'b')}/>`)).toBe('structure');
    expect(readXml(`<a ${numbered(40, 'xmlns:p')}><b ${numbered(40, 'xmlns:q')}/></a>`)).toBe('structure');
    const attributes = (count: number) => `<a>${`<b ${numbered(35, 'c')}/>`.repeat(count / 35)}</a>`;
    expect(isRejection(readXml(attributes(MESSAGE_LIMITS.attributes)))).toBe(false);
    expect(readXml(attributes(MESSAGE_LIMITS.attributes + 35))).toBe('structure');
  });

  const LENGTH = 256 * 1024;
  const filled = (part: string) => part.repeat(Math.ceil(LENGTH / part.length));

  it.each([
    ['unclosed tags', filled('<a>'), 'too_deep'],
    ['beginnings of tags', `<a>${filled('<')}`, 'not_well_formed'],
    ['ends of tags', `<a>${filled('</b>')}`, 'not_well_formed'],
    ['attributes', `<a ${Array.from({ length: 30_000 }, (_, n) => `a${n}=""`).join(' ')}/>`, 'structure'],
    ['one attribute again and again', `<a ${filled('b="" ')}/>`, 'structure'],
    ['declarations', `<a ${Array.from({ length: 12_000 }, (_, n) => `xmlns:a${n}="u"`).join(' ')}/>`, 'structure'],
    ['an unclosed attribute', `<a b="${filled('c')}`, 'not_well_formed'],
    ['blanks in a tag', `<a${filled(' ')}`, 'not_well_formed'],
    ['blanks behind the name of an attribute', `<a b${filled(' ')}`, 'not_well_formed'],
    ['blanks behind the name of an end', `<a></a${filled(' ')}`, 'not_well_formed'],
    ['blanks before the root', filled(' '), 'not_well_formed'],
    ['one long name', `<${filled('a')}/>`, 'not_well_formed'],
    ['one long name with points', `<${filled('a.')}/>`, 'not_well_formed'],
    ['colons', `<${filled('a:')}/>`, 'not_well_formed'],
    ['undeclared entities', `<a>${filled('&lol;')}</a>`, 'not_well_formed'],
    ['ampersands', `<a>${filled('&')}</a>`, 'not_well_formed'],
    ['references without an end', `<a>${filled('&#1')}</a>`, 'not_well_formed'],
    ['closed elements', `<a>${filled('<b/>')}</a>`, 'structure'],
    ['unfinished declarations', filled('<! '), 'markup'],
    ['declarations before a DOCTYPE', `${filled('<! ')}<!DOCTYPE a>`, 'doctype'],
    ['unclosed instructions', filled('<?a '), 'markup'],
  ])('X11: refuses 256 KB of %s', (_, xml, rejection) => {
    expect(readXml(xml)).toBe(rejection);
  });

  it.each([
    ['text', `<a>${filled('b')}</a>`],
    ['references', `<a>${filled('&#9;')}</a>`],
    ['an attribute', `<a b="${filled('&lt;')}"/>`],
  ])('X11: reads 256 KB of %s', (_, xml) => {
    expect(isRejection(readXml(xml))).toBe(false);
  });

  const snippet = fc.constantFrom(
    ...[
      '<',
      '>',
      '/',
      '"',
      "'",
      '&',
      ';',
      '=',
      ' ',
      ':',
      '\n',
      '\r',
      '\t',
      '!',
      '?',
      '-',
      '[',
      ']',
      '#',
      'x',
      '\0',
      '€',
    ],
    ...[
      '<b>',
      '</b>',
      '<b/>',
      '<a:b/>',
      '</a:r>',
      ' ID="_1"',
      ' xmlns=""',
      ' xmlns:a="urn:b"',
      ' a:x="1"',
      '&lt;',
      '&#13;',
    ],
    ...[
      '<!-- -->',
      '<!---->',
      '<![CDATA[x]]>',
      ']]>',
      '<?x?>',
      '<!DOCTYPE a>',
      '&lol;',
      '&AMP;',
      '\ufeff',
      '\ud800',
      'xmlns',
    ],
  );
  const bentDocument = fc
    .array(fc.tuple(fc.nat(DOCUMENT.length), fc.nat(3), fc.oneof(snippet, fc.string({ maxLength: 3 }))), {
      maxLength: 4,
    })
    .map((changes) =>
      changes.reduce((xml, [at, gone, put]) => xml.slice(0, at) + put + xml.slice(at + gone), DOCUMENT),
    );

  it('X13: what it reads of bent documents, the parser of the library reads alike and without a warning', () => {
    fc.assert(
      fc.property(bentDocument, (xml) => {
        const read = readXml(xml);
        expect(isRejection(read) || isDeepStrictEqual(outline(read), outlineByLibrary(xml))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('answers every text', () => {
    fc.assert(
      fc.property(fc.array(snippet, { maxLength: 60 }), (parts) => {
        const read = readXml(parts.join(''));

        expect(typeof read === 'object' || isRejection(read)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

interface Outline {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Outline[];
}

function outline({ name, namespace, attributes, text, children }: XmlElement): Outline {
  return {
    name: `{${namespace}}${name}`,
    attributes: Object.fromEntries(attributes),
    text,
    children: children.map(outline),
  };
}

function outlineByLibrary(xml: string): Outline {
  const errorHandler = (level: string, message: unknown) => {
    throw new Error(`${level}: ${String(message)}`);
  };
  return outlineOf(new DOMParser({ errorHandler }).parseFromString(xml, 'text/xml').documentElement);
}

function outlineOf(element: Element): Outline {
  const attributes = Array.from(element.attributes).filter(({ namespaceURI }) => !namespaceURI?.endsWith('/xmlns/'));
  const nodes = Array.from(element.childNodes);
  return {
    name: `{${element.namespaceURI ?? ''}}${element.localName}`,
    attributes: Object.fromEntries(
      attributes.map(({ namespaceURI, localName, value }) => [
        namespaceURI ? `{${namespaceURI}}${localName}` : localName,
        value,
      ]),
    ),
    text: nodes
      .filter(({ nodeType }) => nodeType === 3)
      .map((node) => node.nodeValue ?? '')
      .join(''),
    children: nodes.filter(({ nodeType }) => nodeType === 1).map((node) => outlineOf(node as Element)),
  };
}
