import { isDeepStrictEqual } from 'node:util';
import { DOMParser } from '@xmldom/xmldom';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { readXml, type XmlElement } from './xml-reader.js';
import { isRejection } from '../login/rejection.js';

const DOCUMENT =
  '<?xml version="1.0" encoding="UTF-8"?>\n<a:r xmlns:a="urn:a" xmlns="urn:d" ID="_1" a:x=\'"\'>t&amp;<b y="&#9;\n"/>&#x20ac;</a:r>';

describe('readXml', () => {
  it('returns names, namespaces, attributes and the whole text', () => {
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
    ['white space around the root', ' \r\n<a/>\n'],
    ['a default namespace that is undeclared again', '<a xmlns="urn:a"><b xmlns=""/></a>'],
    ['a prefix that is redeclared', '<p:a xmlns:p="urn:a"><p:a xmlns:p="urn:b"/></p:a>'],
    ['the prefix xml', '<a xml:lang="de"/>'],
    ['a greater-than sign', '<a b=">">></a>'],
  ])('reads %s', (_, xml) => {
    expect(isRejection(readXml(xml))).toBe(false);
  });

  it.each([
    ['a DOCTYPE', '<!DOCTYPE a><a/>'],
    ['a DOCTYPE in lower case', '<!doctype a><a/>'],
    ['a DOCTYPE in mixed case', '<!DocType a><a/>'],
    ['a DOCTYPE after a space', '<! DOCTYPE a><a/>'],
    ['a DOCTYPE after the XML declaration', '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "http://127.0.0.1/x"><a/>'],
    ['a DOCTYPE in the root', '<a><!DOCTYPE a></a>'],
    ['a DOCTYPE after the root', '<a/><!DOCTYPE a>'],
    ['a DOCTYPE in a comment', '<a><!-- <!DOCTYPE a> --></a>'],
    [
      'a DOCTYPE with nested entities',
      `<!DOCTYPE a [<!ENTITY l "${'l'.repeat(900)}"><!ENTITY m "&l;&l;&l;">]><a>&m;</a>`,
    ],
    ['a DOCTYPE with an external entity', '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>'],
  ])('X11: rejects %s', (_, xml) => {
    expect(readXml(xml)).toBe('doctype');
  });

  it.each([
    ['a comment', '<a>b<!-- -->c</a>'],
    ['an empty comment', '<a>b<!---->c</a>'],
    ['a comment before the root', '<!-- --><a/>'],
    ['a comment after the root', '<a/><!-- -->'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['empty CDATA', '<a>b<![CDATA[]]>c</a>'],
    ['a processing instruction', '<a><?b c?></a>'],
    ['a processing instruction before the root', '<?xml-stylesheet href="http://127.0.0.1/x"?><a/>'],
    ['a processing instruction after the root', '<a/><?b?>'],
    ['a second XML declaration', '<?xml version="1.0"?><?xml version="1.0"?><a/>'],
    ['an XML declaration after a space', ' <?xml version="1.0"?><a/>'],
    ['XML 1.1', '<?xml version="1.1"?><a/>'],
    ['another encoding', '<?xml version="1.0" encoding="UTF-7"?><a/>'],
    ['the encoding UTF-16 in UTF-8 text', '<?xml version="1.0" encoding="UTF-16"?><a/>'],
    ['an entity declaration without a DOCTYPE', '<a/><!ENTITY b "c">'],
  ])('X6: rejects %s', (_, xml) => {
    expect(readXml(xml)).toBe('markup');
  });

  it.each([
    ['an empty text', ''],
    ['only white space', ' \n'],
    ['only text', 'a'],
    ['text before the root', 'a<b/>'],
    ['text after the root', '<b/>a'],
    ['an unclosed tag', '<a><b></a>'],
    ['an unclosed root', '<a>'],
    ['a closing tag without an opening tag', '</a>'],
    ['a closing tag after the root', '<a/></a>'],
    ['a closing tag with another name', '<a></b>'],
    ['a closing tag with another prefix', '<a xmlns="u" xmlns:p="u"></p:a>'],
    ['a closing tag in another case', '<a></A>'],
    ['a space before the name', '< a/>'],
    ['a space before the name of a closing tag', '<a>< /a>'],
    ['a space after the slash', '<a/ >'],
    ['an unfinished tag', '<a'],
    ['an unfinished attribute', '<a b="c'],
    ['an attribute without a value', '<a b/>'],
    ['an attribute without quotes', '<a b=c/>'],
    ['attributes without a space between them', '<a b="c"d="e"/>'],
    ['a less-than sign in an attribute', '<a b="<"/>'],
    ['a less-than sign in text', '<a>1 < 2</a>'],
    ['the end of CDATA in text', '<a>]]></a>'],
    ['a lone ampersand', '<a>a & b</a>'],
    ['an undeclared entity', '<a>&lol;</a>'],
    ['an undeclared entity in an attribute', '<a b="&nbsp;"/>'],
    ['an entity in upper case', '<a>&AMP;</a>'],
    ['an entity without a semicolon', '<a>&amp</a>'],
    ['a reference to U+0000', '<a>&#0;</a>'],
    ['a reference to a surrogate', '<a>&#xd800;</a>'],
    ['a reference beyond U+10FFFF', '<a>&#x110000;</a>'],
    ['a reference with many leading zeros', `<a>&#${'0'.repeat(100)}65;</a>`],
    ['a hexadecimal reference in upper case', '<a>&#X41;</a>'],
    ['a NUL', '<a>\0</a>'],
    ['a control character', '<a>\u0008</a>'],
    ['a lone surrogate', '<a>\ud800</a>'],
    ['a byte order mark', '\ufeff<a/>'],
    ['UTF-16 read as UTF-8', '<\0a\0/\0>\0'],
    ['a name with two colons', '<a:b:c xmlns:a="u"/>'],
    ['a name that starts with a digit', '<1a/>'],
    ['a name that is not ASCII', '<ä/>'],
    ['a name of 101 characters', `<${'a'.repeat(101)}/>`],
    ['an attribute name of 200 characters', `<a ${'b'.repeat(200)}="c"/>`],
  ])('X13: rejects %s', (_, xml) => {
    expect(readXml(xml)).toBe('not_well_formed');
  });

  it.each([
    ['an undeclared prefix', '<p:a/>'],
    ['a prefix that only a sibling declares', '<a><b xmlns:p="u"/><p:c/></a>'],
    ['the undeclared prefix constructor', '<constructor:a/>'],
    ['the undeclared prefix __proto__', '<__proto__:a/>'],
    ['an attribute with an undeclared prefix', '<a p:b="c"/>'],
    ['a prefix that is undeclared', '<a xmlns:p=""/>'],
    ['the prefix xmlns for an element', '<xmlns:a/>'],
    ['the prefix xml for another namespace', '<a xmlns:xml="u"/>'],
    ['a declaration of the prefix xmlns', '<a xmlns:xmlns="u"/>'],
    ['the namespace of xml under another prefix', '<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>'],
    ['the namespace of xmlns as the default', '<a xmlns="http://www.w3.org/2000/xmlns/"/>'],
    ['a duplicate attribute', '<a b="c" b="d"/>'],
    ['a duplicate attribute under two prefixes of one namespace', '<a xmlns:p="u" xmlns:q="u" p:b="" q:b=""/>'],
    ['a duplicate declaration', '<a xmlns:p="u" xmlns:p="v"/>'],
    ['a duplicate default namespace', '<a xmlns="u" xmlns="v"/>'],
  ])('X13: rejects %s', (_, xml) => {
    expect(readXml(xml)).toBe('not_well_formed');
  });

  it('X13: rejects several roots', () => {
    expect(readXml('<a/><a/>')).toBe('structure');
    expect(readXml('<a></a>\n<b></b>')).toBe('structure');
  });

  it('X11: reads up to the maximum depth', () => {
    const nested = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels);

    expect(isRejection(readXml(nested(32)))).toBe(false);
    expect(readXml(nested(33))).toBe('too_deep');
  });

  it('X11: reads up to the maximum number of elements, attributes and prefixes', () => {
    const elements = (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`;
    const numbered = (count: number, text: string) =>
      Array.from({ length: count }, (_, n) => `${text}${n}="u"`).join(' ');

    expect(isRejection(readXml(elements(1100)))).toBe(false);
    expect(readXml(elements(1101))).toBe('structure');
    expect(isRejection(readXml(`<a ${numbered(40, 'b')}/>`))).toBe(false);
    expect(readXml(`<a ${numbered(41, 'b')}/>`)).toBe('structure');
    expect(readXml(`<a ${numbered(40, 'xmlns:p')}><b ${numbered(40, 'xmlns:q')}/></a>`)).toBe('structure');
    const attributes = (count: number) => `<a>${`<b ${numbered(35, 'c')}/>`.repeat(count / 35)}</a>`;
    expect(isRejection(readXml(attributes(3500)))).toBe(false);
    expect(readXml(attributes(3535))).toBe('structure');
  });

  const LENGTH = 256 * 1024;
  const filled = (part: string) => part.repeat(Math.ceil(LENGTH / part.length));

  it.each([
    ['unclosed tags', filled('<a>'), 'too_deep'],
    ['less-than signs', `<a>${filled('<')}`, 'not_well_formed'],
    ['closing tags', `<a>${filled('</b>')}`, 'not_well_formed'],
    ['attributes', `<a ${Array.from({ length: 30_000 }, (_, n) => `a${n}=""`).join(' ')}/>`, 'structure'],
    ['a repeated attribute', `<a ${filled('b="" ')}/>`, 'structure'],
    [
      'namespace declarations',
      `<a ${Array.from({ length: 12_000 }, (_, n) => `xmlns:a${n}="u"`).join(' ')}/>`,
      'structure',
    ],
    ['an unclosed attribute', `<a b="${filled('c')}`, 'not_well_formed'],
    ['spaces in a tag', `<a${filled(' ')}`, 'not_well_formed'],
    ['spaces after the name of an attribute', `<a b${filled(' ')}`, 'not_well_formed'],
    ['spaces after the name of a closing tag', `<a></a${filled(' ')}`, 'not_well_formed'],
    ['spaces before the root', filled(' '), 'not_well_formed'],
    ['one long name', `<${filled('a')}/>`, 'not_well_formed'],
    ['one long name with dots', `<${filled('a.')}/>`, 'not_well_formed'],
    ['colons', `<${filled('a:')}/>`, 'not_well_formed'],
    ['undeclared entities', `<a>${filled('&lol;')}</a>`, 'not_well_formed'],
    ['ampersands', `<a>${filled('&')}</a>`, 'not_well_formed'],
    ['references without a semicolon', `<a>${filled('&#1')}</a>`, 'not_well_formed'],
    ['closed elements', `<a>${filled('<b/>')}</a>`, 'structure'],
    ['unfinished declarations', filled('<! '), 'markup'],
    ['declarations before a DOCTYPE', `${filled('<! ')}<!DOCTYPE a>`, 'doctype'],
    ['unclosed processing instructions', filled('<?a '), 'markup'],
  ])('X11: rejects 256 KB of %s', (_, xml, rejection) => {
    expect(readXml(xml)).toBe(rejection);
  });

  it.each([
    ['text', `<a>${filled('b')}</a>`],
    ['references', `<a>${filled('&#9;')}</a>`],
    ['an attribute value', `<a b="${filled('&lt;')}"/>`],
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

  it('X13: reads every changed document that it accepts as the parser of the library does, without warnings', () => {
    fc.assert(
      fc.property(bentDocument, (xml) => {
        const read = readXml(xml);
        expect(isRejection(read) || isDeepStrictEqual(outline(read), outlineByLibrary(xml))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('returns an element or a rejection for every text', () => {
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
