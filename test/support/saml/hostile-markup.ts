import { changed, type HostileResponse, honestXml, rebuilt, rowsOf, saying, type Scene } from './hostile-scene.js';
import { encoded } from './saml-messages.js';
import { replaced } from './saml-xml.js';

const BOMB = `<!DOCTYPE r [<!ENTITY a "${'a'.repeat(100)}">${Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY ${'bcdefghij'.charAt(level)} "${`&${'abcdefghi'.charAt(level)};`.repeat(10)}">`,
).join('')}]>`;

function inName(what: string): HostileResponse['bend'] {
  return changed('>mallory<', `>${what}<`);
}

function before(what: (scene: Scene) => string, entity?: string): HostileResponse['bend'] {
  return (scene) => {
    const honest = honestXml(scene);
    return what(scene) + (entity === undefined ? honest : replaced(honest, '>mallory<', `>${entity}<`));
  };
}

function inExtensions(what: (scene: Scene) => string): HostileResponse['bend'] {
  return (scene) =>
    replaced(honestXml(scene), '<samlp:Status>', `<samlp:Extensions>${what(scene)}</samlp:Extensions><samlp:Status>`);
}

/** A response of this length in base64, padded with spaces at its end, which XML ignores. */
function ofLength(length: number): HostileResponse['bend'] {
  return (scene) => {
    const honest = honestXml(scene);
    return honest + ' '.repeat((length / 4) * 3 - Buffer.byteLength(honest));
  };
}

const XINCLUDE = 'xmlns:xi="http://www.w3.org/2001/XInclude"';
const UNCLOSED = 180 * 1024;

const BOMBS = rowsOf('X11', [
  ['an entity expansion bomb', 'doctype', before(() => BOMB, '&j;')],
  [
    'an expansion bomb of one long entity',
    'doctype',
    before(() => `<!DOCTYPE r [<!ENTITY a "${'a'.repeat(50_000)}">]>`, '&a;'.repeat(10_000)),
  ],
  ['an entity of a file', 'doctype', before(() => '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>', '&a;')],
  ['an entity from elsewhere', 'doctype', before(({ lure }) => `<!DOCTYPE r [<!ENTITY a SYSTEM "${lure}">]>`, '&a;')],
  [
    'a parameter entity from elsewhere',
    'doctype',
    before(({ lure }) => `<!DOCTYPE r [<!ENTITY % a SYSTEM "${lure}"> %a;]>`),
  ],
  ['a DTD from elsewhere', 'doctype', before(({ lure }) => `<!DOCTYPE r SYSTEM "${lure}">`)],
  ['a DTD of a public name', 'doctype', before(({ lure }) => `<!DOCTYPE r PUBLIC "-//x//y" "${lure}">`)],
  ['a DTD in lower case', 'doctype', before(() => '<!doctype r [<!ENTITY a "b">]>', '&a;')],
  ['a DTD with a space before its name', 'doctype', before(() => '<! DOCTYPE r [<!ENTITY a "b">]>', '&a;')],
  ['a DTD after a declaration', 'doctype', before(() => '<?xml version="1.0"?><!DOCTYPE r>')],
  ['a DTD inside', 'doctype', changed('<samlp:Status>', '<!DOCTYPE r><samlp:Status>')],
  ['a declaration of an entity alone', 'markup', before(() => '<!ENTITY a "b">')],
  ['an undeclared entity', 'not_well_formed', inName('&mallory;')],
  ['a reference to no character', 'not_well_formed', inName('&#0;')],
  ['a reference beyond all characters', 'not_well_formed', inName('&#x110000;')],
  [
    'XInclude of a file',
    'structure',
    inExtensions(() => `<xi:include ${XINCLUDE} parse="text" href="file:///etc/passwd"/>`),
  ],
  ['XInclude from elsewhere', 'structure', inExtensions(({ lure }) => `<xi:include ${XINCLUDE} href="${lure}"/>`)],
  [
    'XInclude in the name',
    'structure',
    (scene) => replaced(honestXml(scene), '>mallory<', `><xi:include ${XINCLUDE} href="${scene.lure}"/><`),
  ],
  ['a style sheet from elsewhere', 'markup', before(({ lure }) => `<?xml-stylesheet type="text/xsl" href="${lure}"?>`)],
  [
    'a schema from elsewhere',
    'signature',
    (scene) =>
      replaced(
        honestXml(scene),
        '<saml:Subject>',
        `<saml:Subject xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x ${scene.lure}">`,
      ),
  ],
  ['10,000 levels', 'too_deep', inExtensions(() => `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`)],
  ['180 KB of unclosed tags', 'too_deep', () => '<a>'.repeat(UNCLOSED / 3)],
  [
    '180 KB of unclosed tags in a genuine response',
    'too_deep',
    (scene) => replaced(honestXml(scene), '</samlp:Response>', '<a>'.repeat(50_000)),
  ],
  ['180 KB of unterminated tags', 'not_well_formed', () => '<a '.repeat(UNCLOSED / 3)],
  ['180 KB of opening brackets', 'not_well_formed', () => '<'.repeat(UNCLOSED)],
  ['180 KB of references', 'not_well_formed', inName('&'.repeat(170_000))],
  ['180 KB of comments', 'markup', inExtensions(() => '<!---->'.repeat(25_000))],
  ['180 KB of beginnings of comments', 'markup', inExtensions(() => '<!--'.repeat(40_000))],
  [
    '5,000 attributes',
    'structure',
    inExtensions(() => `<a${Array.from({ length: 5_000 }, (_, index) => ` a${index}=""`).join('')}/>`),
  ],
  [
    '5,000 prefixes',
    'structure',
    inExtensions(() => `<a${Array.from({ length: 5_000 }, (_, index) => ` xmlns:a${index}="u"`).join('')}/>`),
  ],
  ['20,000 elements', 'structure', inExtensions(() => '<a/>'.repeat(20_000))],
  ['a name of 100,000 characters', 'name_id', saying({ nameId: 'a'.repeat(100_000) })],
  ['a name of an element of 10,000 characters', 'not_well_formed', inExtensions(() => `<${'a'.repeat(10_000)}/>`)],
  [
    '256 KB and one byte',
    'malformed',
    (scene) => ({ form: { ...scene.staff.posted('', scene.request), SAMLResponse: 'A'.repeat(256 * 1024 + 1) } }),
  ],
  ['a genuine response of more than 256 KB', 'malformed', ofLength(256 * 1024 + 4)],
]);

function raw(bytes: (xml: string) => Buffer): HostileResponse['bend'] {
  return (scene) => {
    const SAMLResponse = bytes(honestXml(scene)).toString('base64');
    return { form: { ...scene.staff.posted('', scene.request), SAMLResponse } };
  };
}

const ONE_PARSER = rowsOf('X13', [
  ['two roots', 'structure', rebuilt(({ response }) => response + response)],
  [
    'a forged root before',
    'structure',
    rebuilt(({ response, assertion, forged }) => replaced(response, assertion, forged) + response),
  ],
  ['a second root that is empty', 'structure', rebuilt(({ response }) => `${response}<a/>`)],
  ['a text after the root', 'not_well_formed', rebuilt(({ response }) => `${response}x`)],
  ['a text before the root', 'not_well_formed', rebuilt(({ response }) => `x${response}`)],
  ['an ID twice', 'structure', inExtensions(() => '<a ID="_assertion"/>')],
  ['an ID twice, once as Id', 'structure', inExtensions(() => '<a Id="_assertion"/>')],
  ['an ID twice, once as id', 'structure', inExtensions(() => '<a id="_assertion"/>')],
  ['an ID twice, once as xml:id', 'structure', inExtensions(() => '<a xml:id="_assertion"/>')],
  ['an ID twice, once in a namespace', 'structure', inExtensions(() => '<a xmlns:x="urn:x" x:ID="_assertion"/>')],
  ['ID and Id of one element', 'structure', changed('ID="_assertion"', 'ID="_assertion" Id="_other"')],
  ['ID and xml:id of one element', 'structure', changed('ID="_assertion"', 'xml:id="_assertion" ID="_other"')],
  ['an assertion with Id alone', 'structure', changed('ID="_assertion"', 'Id="_assertion"')],
  ['a quote in an ID', 'structure', changed('ID="_assertion"', `ID="_assertion'"`)],
  ['an attribute twice', 'not_well_formed', changed('ID="_assertion"', 'ID="_assertion" ID="_forged"')],
  [
    'an attribute twice, under two prefixes',
    'not_well_formed',
    inExtensions(() => '<a xmlns:x="u" xmlns:y="u" x:b="" y:b=""/>'),
  ],
  [
    'an assertion of another namespace',
    'structure',
    changed('xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID=', 'xmlns:saml="urn:evil" ID='),
  ],
  [
    'a second assertion of another namespace',
    'structure',
    rebuilt(({ response, assertion }) =>
      replaced(response, assertion, `<x:Assertion xmlns:x="urn:evil"/>${assertion}`),
    ),
  ],
  ['an assertion of another namespace inside', 'structure', inExtensions(() => '<x:Assertion xmlns:x="urn:evil"/>')],
  [
    'a response of another namespace',
    'structure',
    changed('xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"', 'xmlns:samlp="urn:evil"'),
  ],
  [
    'a response of SAML 1.1',
    'structure',
    changed('xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"', 'xmlns:samlp="urn:oasis:names:tc:SAML:1.0:protocol"'),
  ],
  [
    'a prefix that means something else inside',
    'signature',
    changed('<saml:NameID', '<saml:NameID xmlns:saml="urn:evil"'),
  ],
  [
    'a prefix that means something else between',
    'structure',
    changed('<saml:Subject>', '<saml:Subject xmlns:saml="urn:evil">'),
  ],
  [
    'a prefix that means something else in the signature',
    'structure',
    changed('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="urn:evil">'),
  ],
  [
    'another prefix for the same',
    'signature',
    rebuilt(({ response }) =>
      response
        .replace('<saml:Subject>', '<s:Subject xmlns:s="urn:oasis:names:tc:SAML:2.0:assertion">')
        .replace('</saml:Subject>', '</s:Subject>'),
    ),
  ],
  [
    'a default namespace for the name',
    'signature',
    rebuilt(({ response }) =>
      response
        .replace('<saml:NameID', '<NameID xmlns="urn:oasis:names:tc:SAML:2.0:assertion"')
        .replace('</saml:NameID>', '</NameID>'),
    ),
  ],
  ['a prefix that nobody declared', 'not_well_formed', inExtensions(() => '<x:a/>')],
  [
    'the prefix of all prefixes',
    'not_well_formed',
    inExtensions(() => '<xmlns:a xmlns:xmlns="http://www.w3.org/2000/xmlns/"/>'),
  ],
  ['a prefix that is taken back', 'not_well_formed', inExtensions(() => '<a xmlns:samlp=""/>')],
  ['two colons', 'not_well_formed', inExtensions(() => '<samlp:a:b/>')],
  ['tags that cross', 'not_well_formed', inExtensions(() => '<a><b></a></b>')],
  [
    'a name in other case',
    'structure',
    rebuilt(({ response }) => response.replaceAll('saml:Assertion', 'saml:assertion')),
  ],
  ['an attribute without quotes', 'not_well_formed', changed('Version="2.0"', 'Version=2.0')],
  ['an attribute without a value', 'not_well_formed', changed('Version="2.0"', 'Version')],
  ['CDATA that ends nowhere', 'markup', inExtensions(() => '<![CDATA[')],
  ['the end of CDATA in a text', 'not_well_formed', inName('mall]]>ory')],
  ['a control character', 'not_well_formed', inName('mallory\u0001')],
  ['the line end of Latin-1', 'markup', inName('mallory\u0085')],
  ['a line end of Unicode', 'markup', inName('mallory\u2028')],
  ['NUL', 'not_well_formed', inName('mallory\0')],
  ['another encoding', 'markup', before(() => '<?xml version="1.0" encoding="UTF-7"?>')],
  ['XML 1.1', 'markup', before(() => '<?xml version="1.1"?>')],
  ['two declarations', 'markup', before(() => '<?xml version="1.0"?><?xml version="1.0"?>')],
  ['UTF-16', 'malformed', raw((xml) => Buffer.from(`\ufeff${xml}`, 'utf16le'))],
  ['a byte order mark', 'malformed', raw((xml) => Buffer.from(`\ufeff${xml}`))],
  ['no UTF-8', 'malformed', raw((xml) => Buffer.from(xml.replace('mallory', 'mall\xf6ry'), 'latin1'))],
  ['an overlong slash', 'malformed', raw((xml) => Buffer.from(xml.replace('mallory', '\xc0\xaf'), 'latin1'))],
  [
    'base64 that goes on after its end',
    'malformed',
    (scene) => ({
      form: { ...scene.staff.posted('', scene.request), SAMLResponse: `${encoded(`${honestXml(scene)} `)}==AAAA` },
    }),
  ],
  [
    'base64 of URLs',
    'malformed',
    (scene) => ({
      form: {
        ...scene.staff.posted('', scene.request),
        SAMLResponse: `${encoded(honestXml(scene)).replace(/=+$/, '')}-_`,
      },
    }),
  ],
  [
    'no base64',
    'malformed',
    (scene) => ({ form: { ...scene.staff.posted('', scene.request), SAMLResponse: honestXml(scene) } }),
  ],
]);

export const HOSTILE_MARKUP: readonly HostileResponse[] = [...BOMBS, ...ONE_PARSER];
