import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider } from '../../../test/support/identity-provider.js';
import { fc } from '../../../test/support/property.js';
import type { ResponseOptions } from '../../../test/support/saml-response.js';
import type { SignatureOptions } from '../../../test/support/saml-signature.js';
import { part } from '../../../test/support/saml-xml.js';
import { decodeMessage, MAX_MESSAGE_LENGTH, readDocument, rejectedAlgorithm } from './document-allowlist.js';
import { isRejection } from '../login/rejection.js';

const ANSWER: ResponseOptions = {
  acsUrl: 'https://login.test/saml/staff/acs',
  audience: 'https://login.test/saml/staff/metadata',
  inResponseTo: '_request',
  id: '_response',
  assertionId: '_honest',
};
const SAML = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const SAMLP = 'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"';
const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

describe('the shape of a response', () => {
  let idp: IdentityProvider;
  let honest: string;
  let assertion: string;
  let signature: string;
  /** The assertion of somebody else, without a signature. */
  let forged: string;

  beforeAll(() => {
    idp = IdentityProvider.make();
    honest = idp.response(ANSWER);
    assertion = part(honest, 'saml:Assertion');
    signature = part(assertion, 'ds:Signature');
    forged = assertion.replace(signature, '').replace('_honest', '_forged').replace('staff-1', 'admin');
  });

  /** The honest response with something in its canonicalizing transform. */
  const withParameter = (parameter: string) => {
    const transform = `<ds:Transform Algorithm="${C14N}"`;
    return honest.replace(`${transform}/>`, `${transform}>${parameter}</ds:Transform>`);
  };
  const signed = (signature: SignatureOptions) => idp.response({ ...ANSWER, signature });

  it.each<readonly [string, Partial<ResponseOptions>]>([
    ['a signed assertion', {}],
    ['a signed response', { signed: 'response' }],
    ['both signed', { signed: 'both' }],
    ['SHA-512', { signature: { algorithm: 'rsa-sha512', digest: 'sha512' } }],
    ['no KeyInfo', { signature: { keyInfo: null } }],
    ['attributes', { attributes: { groups: ['one', 'two'] } }],
    ['a status other than success', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
  ])('is taken with %s', (_, options) => {
    expect(readDocument(idp.response({ ...ANSWER, ...options }))).toMatchObject({ name: 'Response' });
  });

  it('is taken with prefixes that canonicalization keeps', () => {
    const listed = withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="xs"/>`);

    expect(listed).not.toBe(honest);
    expect(isRejection(readDocument(listed))).toBe(false);
  });

  it('is that of a logout message or of an assertion alone, where one is asked for', () => {
    const request = `<samlp:LogoutRequest ${SAMLP} ID="_l"><saml:Issuer ${SAML}>i</saml:Issuer><saml:NameID ${SAML}>n</saml:NameID></samlp:LogoutRequest>`;

    expect(isRejection(readDocument(request, 'LogoutRequest'))).toBe(false);
    expect(isRejection(readDocument(assertion, 'Assertion'))).toBe(false);
    expect(readDocument(request)).toBe('structure');
    expect(readDocument(request, 'LogoutResponse')).toBe('structure');
    expect(readDocument(assertion)).toBe('structure');
    expect(readDocument(honest, 'Assertion')).toBe('structure');
  });

  // The eight of "On Breaking SAML: Be Whoever You Want to Be", and some more: the signature is good in each.
  it.each<readonly [string, () => string]>([
    [
      '1: the response around a forged one',
      () => honest.replace('_response', '_outer').replace('</saml:Issuer>', `</saml:Issuer>${honest}`),
    ],
    ['2: a forged response beside the honest one', () => honest.replace('<samlp:Status>', `${honest}<samlp:Status>`)],
    [
      '3: a forged assertion before the honest one',
      () => honest.replace('<saml:Assertion', `${forged}<saml:Assertion`),
    ],
    [
      '4: the honest assertion inside of a forged one',
      () => honest.replace(assertion, forged.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
    ],
    [
      '5: a forged assertion with the signature of the honest one, which follows',
      () => honest.replace(assertion, withSignature(forged, signature) + assertion.replace(signature, '')),
    ],
    [
      '6: the honest assertion in the signature of a forged one',
      () =>
        honest.replace(
          assertion,
          withSignature(
            forged,
            signature.replace('</ds:Signature>', `${assertion.replace(signature, '')}</ds:Signature>`),
          ),
        ),
    ],
    [
      '7: the honest assertion in extensions',
      () =>
        honest
          .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`)
          .replace(/(<\/samlp:Status>).*/s, `$1${forged}</samlp:Response>`),
    ],
    [
      '8: the honest assertion in an object of the signature',
      () =>
        honest.replace(
          assertion,
          withSignature(
            forged,
            signature.replace(
              '</ds:Signature>',
              `<ds:Object>${assertion.replace(signature, '')}</ds:Object></ds:Signature>`,
            ),
          ),
        ),
    ],
    [
      'a forged assertion behind the honest one',
      () => honest.replace('</samlp:Response>', `${forged}</samlp:Response>`),
    ],
    [
      'a forged assertion in extensions',
      () => honest.replace('<samlp:Status>', `<samlp:Extensions>${forged}</samlp:Extensions><samlp:Status>`),
    ],
    [
      'a forged assertion in advice',
      () => honest.replace('<saml:AuthnStatement', `<saml:Advice>${forged}</saml:Advice><saml:AuthnStatement`),
    ],
    [
      'a forged assertion in a detail of the status',
      () => honest.replace('</samlp:Status>', `<samlp:StatusDetail>${forged}</samlp:StatusDetail></samlp:Status>`),
    ],
    [
      'a forged assertion in the value of an attribute',
      () =>
        honest.replace(
          '</saml:Assertion>',
          `<saml:AttributeStatement><saml:Attribute Name="a"><saml:AttributeValue>${forged}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>`,
        ),
    ],
    [
      'a forged assertion of another namespace',
      () => honest.replace('</samlp:Response>', `${forged.replaceAll('SAML:2.0', 'SAML:9.0')}</samlp:Response>`),
    ],
    [
      'an encrypted assertion beside the honest one',
      () => honest.replace('</samlp:Response>', `<saml:EncryptedAssertion ${SAML}/></samlp:Response>`),
    ],
    ['the honest assertion in an element of its own', () => honest.replace(assertion, `<x>${assertion}</x>`)],
  ])('X2: refuses wrapping %s', (_, wrap) => {
    const wrapped = wrap();

    expect(wrapped).not.toBe(honest);
    expect(readDocument(wrapped)).toBe('structure');
  });

  it.each<readonly [string, (xml: string) => string]>([
    [
      'an empty signature',
      (xml) => xml.replace(signature, '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'),
    ],
    ['two signatures', (xml) => xml.replace(signature, signature + signature)],
    [
      'a second signature with an object',
      (xml) =>
        xml.replace(
          '</saml:Assertion>',
          `${signature.replace('</ds:Signature>', `<ds:Object>${forged}</ds:Object></ds:Signature>`)}</saml:Assertion>`,
        ),
    ],
    ['a signature with an object', (xml) => xml.replace('</ds:Signature>', '<ds:Object/></ds:Signature>')],
    ['a manifest', (xml) => xml.replace('</ds:Signature>', '<ds:Manifest/></ds:Signature>')],
    ['a signature of another element', (xml) => xml.replace('URI="#_honest"', 'URI="#_response"')],
    ['a signature of the document', (xml) => xml.replace('URI="#_honest"', 'URI=""')],
    ['a signature of what an XPointer says', (xml) => xml.replace('URI="#_honest"', `URI="#xpointer(id('_honest'))"`)],
    ['a signature of another document', (xml) => xml.replace('URI="#_honest"', 'URI="http://127.0.0.1/x"')],
    [
      'a second reference in another namespace',
      (xml) => xml.replace('<ds:Reference ', '<ds:Reference xmlns:x="x" x:URI="#_response" '),
    ],
    [
      'a signature behind the assertion',
      (xml) => xml.replace(signature, '').replace('</samlp:Response>', `${signature}</samlp:Response>`),
    ],
    [
      'a signature at the end of the assertion',
      (xml) => xml.replace(signature, '').replace('</saml:Assertion>', `${signature}</saml:Assertion>`),
    ],
    [
      'a signature in the subject',
      (xml) => xml.replace(signature, '').replace('</saml:Subject>', `${signature}</saml:Subject>`),
    ],
    [
      'a signature in another namespace',
      (xml) => xml.replace('xmlns:ds="http://www.w3.org/2000/09/xmldsig#"', 'xmlns:ds="x"'),
    ],
  ])('X3: refuses %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('structure');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['two SignedInfo', (xml) => xml.replace('<ds:SignedInfo>', `${part(xml, 'ds:SignedInfo')}<ds:SignedInfo>`)],
    [
      'a second SignedInfo in KeyInfo',
      (xml) => xml.replace('<ds:KeyInfo>', `${part(xml, 'ds:SignedInfo')}<ds:KeyInfo>`),
    ],
    ['two references', (xml) => xml.replace('</ds:SignedInfo>', `${part(xml, 'ds:Reference')}</ds:SignedInfo>`)],
    [
      'a method in another namespace',
      (xml) => xml.replace(/<ds:DigestMethod ([^>]*)\/>/, '<x:DigestMethod xmlns:x="x" $1/>'),
    ],
    [
      'a digest method with a parameter',
      (xml) => xml.replace(/<ds:DigestMethod ([^>]*)\/>/, '<ds:DigestMethod $1><x/></ds:DigestMethod>'),
    ],
    [
      'a parameter of the enveloped signature',
      (xml) => xml.replace('#enveloped-signature"/>', '#enveloped-signature"><x/></ds:Transform>'),
    ],
    [
      'two values of the digest',
      (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue>AA==</ds:DigestValue><ds:DigestValue>'),
    ],
    ['an element in the value of the digest', (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue><x/>')],
    ['no value of the digest', (xml) => xml.replace(part(xml, 'ds:DigestValue'), '<ds:DigestValue/>')],
    [
      'an element in the value of the signature',
      (xml) => xml.replace('<ds:SignatureValue>', '<ds:SignatureValue><x/>'),
    ],
    [
      'a method with a parameter',
      (xml) =>
        xml.replace(
          /<ds:SignatureMethod ([^>]*)\/>/,
          '<ds:SignatureMethod $1><ds:HMACOutputLength>1</ds:HMACOutputLength></ds:SignatureMethod>',
        ),
    ],
    [
      'a method outside of SignedInfo',
      (xml) =>
        xml.replace(
          '<ds:SignedInfo>',
          '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:SignedInfo>',
        ),
    ],
  ])('X4: refuses %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('structure');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['the value of the digest', (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue><!-- AA== -->')],
    ['the name of the person', (xml) => xml.replace('staff-1', 'staff<!-- -->-1')],
  ])('X4: refuses a comment in %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('markup');
  });

  it.each<readonly [string, () => string]>([
    ['RSA with SHA-1', () => signed({ algorithm: 'rsa-sha1' })],
    ['a digest of SHA-1', () => signed({ digest: 'sha1' })],
    ['an HMAC with the certificate for its key', () => signed({ algorithm: 'hmac-sha1' })],
    ['a method that nobody knows', () => honest.replace('#rsa-sha256', '#rsa-sha257')],
    [
      'a second algorithm in a namespace',
      () => honest.replace('<ds:SignatureMethod ', '<ds:SignatureMethod xmlns:x="x" x:Algorithm="y" '),
    ],
  ])('X5: refuses %s', (_, document) => {
    expect(readDocument(document())).toBe('algorithm');
  });

  it.each<readonly [string, () => string]>([
    [
      'a list of prefixes of another namespace',
      () => withParameter('<InclusiveNamespaces xmlns="x" PrefixList="xs"/>'),
    ],
    [
      'a list of prefixes with an element',
      () => withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="xs"><x/></InclusiveNamespaces>`),
    ],
    ['two lists of prefixes', () => withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="xs"/>`.repeat(2))],
    [
      'a list of prefixes that takes long to look through',
      () => withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="${'a '.repeat(128)}"/>`),
    ],
    ['a stylesheet in a transform', () => withParameter('<x/>')],
    [
      'XSLT',
      () =>
        honest.replace(C14N + '"/></ds:Transforms>', 'http://www.w3.org/TR/1999/REC-xslt-19991116"/></ds:Transforms>'),
    ],
    ['XPath', () => honest.replace('xmldsig#enveloped-signature', 'REC-xpath-19991116')],
    [
      'a third transform',
      () => honest.replace('</ds:Transforms>', `<ds:Transform Algorithm="${C14N}"/></ds:Transforms>`),
    ],
    ['one transform', () => honest.replace(`<ds:Transform Algorithm="${C14N}"/>`, '')],
    [
      'transforms in the other order',
      () => signed({ transforms: [C14N, 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'] }),
    ],
    ['canonicalization with comments', () => signed({ canonicalization: 'exclusive-with-comments' })],
    ['inclusive canonicalization', () => signed({ canonicalization: 'inclusive' })],
  ])('X12: refuses %s', (_, document) => {
    expect(document()).not.toBe(honest);
    expect(readDocument(document())).toBe('algorithm');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['an ID twice', (xml) => xml.replace('_response', '_honest')],
    ['an ID again as Id', (xml) => xml.replace('<saml:Subject>', '<saml:Subject Id="_honest">')],
    ['an ID again as id', (xml) => xml.replace('<saml:Subject>', '<saml:Subject id="_honest">')],
    ['an ID again as xml:id', (xml) => xml.replace('<saml:Subject>', '<saml:Subject xml:id="_honest">')],
    [
      'an ID again in some namespace',
      (xml) => xml.replace('<saml:Subject>', '<saml:Subject xmlns:w="w" w:Id="_honest">'),
    ],
    ['an ID again with a reference in it', (xml) => xml.replace('<saml:Subject>', '<saml:Subject ID="&#95;honest">')],
    ['an element of two IDs', (xml) => xml.replace('ID="_honest"', 'ID="_honest" Id="_other"')],
    ['an ID with quotes', (xml) => xml.replaceAll('_honest', '_h&quot;')],
    ['an empty ID', (xml) => xml.replace('ID="_response"', 'ID=""')],
    ['a root of another namespace', (xml) => xml.replaceAll('SAML:2.0:protocol', 'SAML:1.0:protocol')],
    ['an assertion of another namespace', (xml) => xml.replaceAll('SAML:2.0:assertion', 'SAML:1.0:assertion')],
    [
      'a root alone of another namespace',
      (xml) =>
        xml.replace('<samlp:Response ', '<x:Response xmlns:x="x" ').replace('</samlp:Response>', '</x:Response>'),
    ],
    ['a root of another name', (xml) => xml.replaceAll('samlp:Response', 'samlp:ArtifactResponse')],
    ['an unknown part of the response', (xml) => xml.replace('</samlp:Response>', '<samlp:Other/></samlp:Response>')],
    ['no status', (xml) => xml.replace(part(xml, 'samlp:Status'), '')],
    ['two subjects', (xml) => xml.replace('<saml:Subject>', '<saml:Subject/><saml:Subject>')],
    [
      'a subject of another namespace before the honest one',
      (xml) => xml.replace('<saml:Subject>', '<Subject xmlns="x"/><saml:Subject>'),
    ],
  ])('X13: refuses %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('structure');
  });

  it('X11: refuses XInclude', () => {
    const include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>';

    expect(readDocument(honest.replace('staff-1', include))).toBe('structure');
  });

  it('X13: never has two assertions or two signatures of one element, whatever is put where', () => {
    fc.assert(
      fc.property(fc.nat(honest.length), fc.nat(3), (at, which) => {
        const put = [assertion, forged, signature, `<saml:EncryptedAssertion ${SAML}/>`][which] ?? '';

        expect(isRejection(readDocument(honest.slice(0, at) + put + honest.slice(at)))).toBe(true);
      }),
    );
  });
});

describe('a message in base64', () => {
  const xml = `<a>ü\r\n${'b'.repeat(100)}</a>`;
  const base64 = Buffer.from(xml).toString('base64');

  it('is read with line breaks and without', () => {
    expect(decodeMessage(base64)).toBe(xml);
    expect(decodeMessage(`${base64.slice(0, 76)}\r\n${base64.slice(76)}\r\n`)).toBe(xml);
    expect(decodeMessage(`\n${base64.slice(0, 64)}\n${base64.slice(64)}`)).toBe(xml);
  });

  it.each([
    ['nothing', ''],
    ['XML itself', xml],
    ['blanks', base64.replace(/^..../, '$& ')],
    ['the alphabet for addresses', Buffer.from('<a>???>>></a>').toString('base64url')],
    ['no padding', Buffer.from('<a></a>').toString('base64').replace(/=+$/, '')],
    ['padding inside', `PGE+=${base64}`],
    ['text behind the padding', `${Buffer.from('<a/>').toString('base64')}PGE+`],
    ['bits that no bytes fill', 'PGE+PB=='],
    ['signs of another kind', `${base64.slice(0, 8)}%%%%${base64.slice(8)}`],
    ['a byte order mark', Buffer.from('\ufeff<a/>').toString('base64')],
    ['UTF-16', Buffer.from('\ufeff<a/>', 'utf16le').toString('base64')],
    ['bytes that are not UTF-8', Buffer.from('<a>\xfc</a>', 'latin1').toString('base64')],
    ['a character in more bytes than it needs', Buffer.from([0x3c, 0xc0, 0xbc]).toString('base64')],
    ['half a character', Buffer.from([0x3c, 0xed, 0xa0, 0x80]).toString('base64')],
  ])('is not read from %s', (_, text) => {
    expect(decodeMessage(text)).toBeUndefined();
  });

  it('X17: is not unpacked', () => {
    expect(decodeMessage(gzipSync(xml).toString('base64'))).toBeUndefined();
  });

  it('X11: may have 256 KB and no more', () => {
    const longest = Buffer.alloc((MAX_MESSAGE_LENGTH / 4) * 3, 'a').toString('base64');

    expect(longest).toHaveLength(MAX_MESSAGE_LENGTH);
    expect(decodeMessage(longest)).toHaveLength((MAX_MESSAGE_LENGTH / 4) * 3);
    expect(decodeMessage(`${longest}YQ==`)).toBeUndefined();
    expect(decodeMessage(`${longest}\n`)).toBeUndefined();
  });

  it('is what was encoded, for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        expect(decodeMessage(Buffer.from(text).toString('base64'))).toBe(text);
      }),
    );
  });
});

it('S1: names nothing where every algorithm is accepted, or nothing can be read', () => {
  expect(rejectedAlgorithm(IdentityProvider.make().response(ANSWER))).toBeUndefined();
  expect(rejectedAlgorithm('<a>')).toBeUndefined();
});

function withSignature(assertion: string, signature: string): string {
  return assertion.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
}
