import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider } from '../../../../test/support/saml/identity-provider.js';
import { fc } from '../../../../test/support/runner/property.js';
import type { ResponseOptions } from '../../../../test/support/saml/saml-response.js';
import type { SignatureOptions } from '../../../../test/support/saml/saml-signature.js';
import { part } from '../../../../test/support/saml/saml-xml.js';
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

describe('readDocument', () => {
  let idp: IdentityProvider;
  let honest: string;
  let assertion: string;
  let signature: string;
  /** An assertion for another user, without a signature. */
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
    ['both signatures', { signed: 'both' }],
    ['SHA-512', { signature: { algorithm: 'rsa-sha512', digest: 'sha512' } }],
    ['no KeyInfo', { signature: { keyInfo: null } }],
    ['attributes', { attributes: { groups: ['one', 'two'] } }],
    ['a status other than success', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
  ])('accepts a response with %s', (_, options) => {
    expect(readDocument(idp.response({ ...ANSWER, ...options }))).toMatchObject({ name: 'Response' });
  });

  it('accepts a response with a PrefixList of canonicalization', () => {
    const listed = withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="xs"/>`);

    expect(listed).not.toBe(honest);
    expect(isRejection(readDocument(listed))).toBe(false);
  });

  it('accepts a logout message or an assertion only where it is expected', () => {
    const request = `<samlp:LogoutRequest ${SAMLP} ID="_l"><saml:Issuer ${SAML}>i</saml:Issuer><saml:NameID ${SAML}>n</saml:NameID></samlp:LogoutRequest>`;

    expect(isRejection(readDocument(request, 'LogoutRequest'))).toBe(false);
    expect(isRejection(readDocument(assertion, 'Assertion'))).toBe(false);
    expect(readDocument(request)).toBe('structure');
    expect(readDocument(request, 'LogoutResponse')).toBe('structure');
    expect(readDocument(assertion)).toBe('structure');
    expect(readDocument(honest, 'Assertion')).toBe('structure');
  });

  // The eight attacks of "On Breaking SAML: Be Whoever You Want to Be", and more: the signature is valid in each.
  it.each<readonly [string, () => string]>([
    [
      'attack 1: the response in a forged response',
      () => honest.replace('_response', '_outer').replace('</saml:Issuer>', `</saml:Issuer>${honest}`),
    ],
    [
      'attack 2: a forged response beside the honest one',
      () => honest.replace('<samlp:Status>', `${honest}<samlp:Status>`),
    ],
    [
      'attack 3: a forged assertion before the genuine one',
      () => honest.replace('<saml:Assertion', `${forged}<saml:Assertion`),
    ],
    [
      'attack 4: the genuine assertion in a forged one',
      () => honest.replace(assertion, forged.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
    ],
    [
      'attack 5: a forged assertion with the signature of the genuine one, which follows',
      () => honest.replace(assertion, withSignature(forged, signature) + assertion.replace(signature, '')),
    ],
    [
      'attack 6: the genuine assertion in the signature of a forged one',
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
      'attack 7: the genuine assertion in Extensions',
      () =>
        honest
          .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`)
          .replace(/(<\/samlp:Status>).*/s, `$1${forged}</samlp:Response>`),
    ],
    [
      'attack 8: the genuine assertion in an Object of the signature',
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
      'a forged assertion after the genuine one',
      () => honest.replace('</samlp:Response>', `${forged}</samlp:Response>`),
    ],
    [
      'a forged assertion in Extensions',
      () => honest.replace('<samlp:Status>', `<samlp:Extensions>${forged}</samlp:Extensions><samlp:Status>`),
    ],
    [
      'a forged assertion in Advice',
      () => honest.replace('<saml:AuthnStatement', `<saml:Advice>${forged}</saml:Advice><saml:AuthnStatement`),
    ],
    [
      'a forged assertion in StatusDetail',
      () => honest.replace('</samlp:Status>', `<samlp:StatusDetail>${forged}</samlp:StatusDetail></samlp:Status>`),
    ],
    [
      'a forged assertion in an attribute value',
      () =>
        honest.replace(
          '</saml:Assertion>',
          `<saml:AttributeStatement><saml:Attribute Name="a"><saml:AttributeValue>${forged}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>`,
        ),
    ],
    [
      'a forged assertion in another namespace',
      () => honest.replace('</samlp:Response>', `${forged.replaceAll('SAML:2.0', 'SAML:9.0')}</samlp:Response>`),
    ],
    [
      'an encrypted assertion beside the genuine one',
      () => honest.replace('</samlp:Response>', `<saml:EncryptedAssertion ${SAML}/></samlp:Response>`),
    ],
    ['the honest assertion in an element of its own', () => honest.replace(assertion, `<x>${assertion}</x>`)],
  ])('X2: rejects wrapping: %s', (_, wrap) => {
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
      'a second signature with an Object',
      (xml) =>
        xml.replace(
          '</saml:Assertion>',
          `${signature.replace('</ds:Signature>', `<ds:Object>${forged}</ds:Object></ds:Signature>`)}</saml:Assertion>`,
        ),
    ],
    ['a signature with an Object', (xml) => xml.replace('</ds:Signature>', '<ds:Object/></ds:Signature>')],
    ['a signature with a Manifest', (xml) => xml.replace('</ds:Signature>', '<ds:Manifest/></ds:Signature>')],
    ['a signature of another element', (xml) => xml.replace('URI="#_honest"', 'URI="#_response"')],
    ['a signature of the whole document', (xml) => xml.replace('URI="#_honest"', 'URI=""')],
    ['a signature with an XPointer', (xml) => xml.replace('URI="#_honest"', `URI="#xpointer(id('_honest'))"`)],
    ['a signature of another document', (xml) => xml.replace('URI="#_honest"', 'URI="http://127.0.0.1/x"')],
    [
      'a second URI in another namespace',
      (xml) => xml.replace('<ds:Reference ', '<ds:Reference xmlns:x="x" x:URI="#_response" '),
    ],
    [
      'a signature after the assertion',
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
  ])('X3: rejects %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('structure');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['two SignedInfo', (xml) => xml.replace('<ds:SignedInfo>', `${part(xml, 'ds:SignedInfo')}<ds:SignedInfo>`)],
    [
      'a second SignedInfo in KeyInfo',
      (xml) => xml.replace('<ds:KeyInfo>', `${part(xml, 'ds:SignedInfo')}<ds:KeyInfo>`),
    ],
    ['two References', (xml) => xml.replace('</ds:SignedInfo>', `${part(xml, 'ds:Reference')}</ds:SignedInfo>`)],
    [
      'a DigestMethod in another namespace',
      (xml) => xml.replace(/<ds:DigestMethod ([^>]*)\/>/, '<x:DigestMethod xmlns:x="x" $1/>'),
    ],
    [
      'a DigestMethod with a parameter',
      (xml) => xml.replace(/<ds:DigestMethod ([^>]*)\/>/, '<ds:DigestMethod $1><x/></ds:DigestMethod>'),
    ],
    [
      'a parameter of the enveloped-signature transform',
      (xml) => xml.replace('#enveloped-signature"/>', '#enveloped-signature"><x/></ds:Transform>'),
    ],
    [
      'two DigestValues',
      (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue>AA==</ds:DigestValue><ds:DigestValue>'),
    ],
    ['an element in DigestValue', (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue><x/>')],
    ['an empty DigestValue', (xml) => xml.replace(part(xml, 'ds:DigestValue'), '<ds:DigestValue/>')],
    ['an element in SignatureValue', (xml) => xml.replace('<ds:SignatureValue>', '<ds:SignatureValue><x/>')],
    [
      'a SignatureMethod with a parameter',
      (xml) =>
        xml.replace(
          /<ds:SignatureMethod ([^>]*)\/>/,
          '<ds:SignatureMethod $1><ds:HMACOutputLength>1</ds:HMACOutputLength></ds:SignatureMethod>',
        ),
    ],
    [
      'a SignatureMethod outside SignedInfo',
      (xml) =>
        xml.replace(
          '<ds:SignedInfo>',
          '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:SignedInfo>',
        ),
    ],
  ])('X4: rejects %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('structure');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['DigestValue', (xml) => xml.replace('<ds:DigestValue>', '<ds:DigestValue><!-- AA== -->')],
    ['NameID', (xml) => xml.replace('staff-1', 'staff<!-- -->-1')],
  ])('X4: rejects a comment in %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('markup');
  });

  it.each<readonly [string, () => string]>([
    ['RSA with SHA-1', () => signed({ algorithm: 'rsa-sha1' })],
    ['a SHA-1 digest', () => signed({ digest: 'sha1' })],
    ['HMAC', () => signed({ algorithm: 'hmac-sha1' })],
    ['an unknown SignatureMethod', () => honest.replace('#rsa-sha256', '#rsa-sha257')],
    [
      'a second Algorithm in another namespace',
      () => honest.replace('<ds:SignatureMethod ', '<ds:SignatureMethod xmlns:x="x" x:Algorithm="y" '),
    ],
  ])('X5: rejects %s', (_, document) => {
    expect(readDocument(document())).toBe('algorithm');
  });

  it.each<readonly [string, () => string]>([
    [
      'InclusiveNamespaces in another namespace',
      () => withParameter('<InclusiveNamespaces xmlns="x" PrefixList="xs"/>'),
    ],
    [
      'InclusiveNamespaces with an element',
      () => withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="xs"><x/></InclusiveNamespaces>`),
    ],
    [
      'two InclusiveNamespaces',
      () => withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="xs"/>`.repeat(2)),
    ],
    [
      'a PrefixList of more than 255 characters',
      () => withParameter(`<InclusiveNamespaces xmlns="${C14N}" PrefixList="${'a '.repeat(128)}"/>`),
    ],
    ['an unknown parameter of a transform', () => withParameter('<x/>')],
    [
      'an XSLT transform',
      () =>
        honest.replace(C14N + '"/></ds:Transforms>', 'http://www.w3.org/TR/1999/REC-xslt-19991116"/></ds:Transforms>'),
    ],
    ['an XPath transform', () => honest.replace('xmldsig#enveloped-signature', 'REC-xpath-19991116')],
    [
      'a third transform',
      () => honest.replace('</ds:Transforms>', `<ds:Transform Algorithm="${C14N}"/></ds:Transforms>`),
    ],
    ['a single transform', () => honest.replace(`<ds:Transform Algorithm="${C14N}"/>`, '')],
    [
      'transforms in reverse order',
      () => signed({ transforms: [C14N, 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'] }),
    ],
    ['canonicalization with comments', () => signed({ canonicalization: 'exclusive-with-comments' })],
    ['inclusive canonicalization', () => signed({ canonicalization: 'inclusive' })],
  ])('X12: rejects %s', (_, document) => {
    expect(document()).not.toBe(honest);
    expect(readDocument(document())).toBe('algorithm');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['a duplicate ID', (xml) => xml.replace('_response', '_honest')],
    ['a duplicate ID written as Id', (xml) => xml.replace('<saml:Subject>', '<saml:Subject Id="_honest">')],
    ['a duplicate ID written as id', (xml) => xml.replace('<saml:Subject>', '<saml:Subject id="_honest">')],
    ['a duplicate ID written as xml:id', (xml) => xml.replace('<saml:Subject>', '<saml:Subject xml:id="_honest">')],
    [
      'a duplicate ID in another namespace',
      (xml) => xml.replace('<saml:Subject>', '<saml:Subject xmlns:w="w" w:Id="_honest">'),
    ],
    [
      'a duplicate ID written with a character reference',
      (xml) => xml.replace('<saml:Subject>', '<saml:Subject ID="&#95;honest">'),
    ],
    ['an element with two IDs', (xml) => xml.replace('ID="_honest"', 'ID="_honest" Id="_other"')],
    ['an ID with a quote', (xml) => xml.replaceAll('_honest', '_h&quot;')],
    ['an empty ID', (xml) => xml.replace('ID="_response"', 'ID=""')],
    ['the protocol namespace of another version', (xml) => xml.replaceAll('SAML:2.0:protocol', 'SAML:1.0:protocol')],
    ['the assertion namespace of another version', (xml) => xml.replaceAll('SAML:2.0:assertion', 'SAML:1.0:assertion')],
    [
      'only the root in another namespace',
      (xml) =>
        xml.replace('<samlp:Response ', '<x:Response xmlns:x="x" ').replace('</samlp:Response>', '</x:Response>'),
    ],
    ['a root with another name', (xml) => xml.replaceAll('samlp:Response', 'samlp:ArtifactResponse')],
    ['an unknown child of the response', (xml) => xml.replace('</samlp:Response>', '<samlp:Other/></samlp:Response>')],
    ['no status', (xml) => xml.replace(part(xml, 'samlp:Status'), '')],
    ['two Subjects', (xml) => xml.replace('<saml:Subject>', '<saml:Subject/><saml:Subject>')],
    [
      'a Subject in another namespace before the genuine one',
      (xml) => xml.replace('<saml:Subject>', '<Subject xmlns="x"/><saml:Subject>'),
    ],
  ])('X13: rejects %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(readDocument(bend(honest))).toBe('structure');
  });

  it('X11: rejects XInclude', () => {
    const include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>';

    expect(readDocument(honest.replace('staff-1', include))).toBe('structure');
  });

  it('X13: rejects another assertion or signature inserted at any position', () => {
    fc.assert(
      fc.property(fc.nat(honest.length), fc.nat(3), (at, which) => {
        const put = [assertion, forged, signature, `<saml:EncryptedAssertion ${SAML}/>`][which] ?? '';

        expect(isRejection(readDocument(honest.slice(0, at) + put + honest.slice(at)))).toBe(true);
      }),
    );
  });
});

describe('decodeMessage', () => {
  const xml = `<a>ü\r\n${'b'.repeat(100)}</a>`;
  const base64 = Buffer.from(xml).toString('base64');

  it('reads base64 with and without line breaks', () => {
    expect(decodeMessage(base64)).toBe(xml);
    expect(decodeMessage(`${base64.slice(0, 76)}\r\n${base64.slice(76)}\r\n`)).toBe(xml);
    expect(decodeMessage(`\n${base64.slice(0, 64)}\n${base64.slice(64)}`)).toBe(xml);
  });

  it.each([
    ['an empty text', ''],
    ['XML', xml],
    ['spaces', base64.replace(/^..../, '$& ')],
    ['base64url', Buffer.from('<a>???>>></a>').toString('base64url')],
    ['missing padding', Buffer.from('<a></a>').toString('base64').replace(/=+$/, '')],
    ['padding inside', `PGE+=${base64}`],
    ['text after the padding', `${Buffer.from('<a/>').toString('base64')}PGE+`],
    ['unused bits that are not zero', 'PGE+PB=='],
    ['other characters', `${base64.slice(0, 8)}%%%%${base64.slice(8)}`],
    ['a byte order mark', Buffer.from('\ufeff<a/>').toString('base64')],
    ['UTF-16', Buffer.from('\ufeff<a/>', 'utf16le').toString('base64')],
    ['bytes that are not UTF-8', Buffer.from('<a>\xfc</a>', 'latin1').toString('base64')],
    ['an overlong UTF-8 sequence', Buffer.from([0x3c, 0xc0, 0xbc]).toString('base64')],
    ['a surrogate in UTF-8', Buffer.from([0x3c, 0xed, 0xa0, 0x80]).toString('base64')],
  ])('does not read %s', (_, text) => {
    expect(decodeMessage(text)).toBeUndefined();
  });

  it('X17: does not decompress gzip', () => {
    expect(decodeMessage(gzipSync(xml).toString('base64'))).toBeUndefined();
  });

  it('X11: reads at most 256 KB of base64', () => {
    const longest = Buffer.alloc((MAX_MESSAGE_LENGTH / 4) * 3, 'a').toString('base64');

    expect(longest).toHaveLength(MAX_MESSAGE_LENGTH);
    expect(decodeMessage(longest)).toHaveLength((MAX_MESSAGE_LENGTH / 4) * 3);
    expect(decodeMessage(`${longest}YQ==`)).toBeUndefined();
    expect(decodeMessage(`${longest}\n`)).toBeUndefined();
  });

  it('decodes every encoded text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        expect(decodeMessage(Buffer.from(text).toString('base64'))).toBe(text);
      }),
    );
  });
});

it('S1: rejectedAlgorithm is undefined for accepted algorithms and for text that is not XML', () => {
  expect(rejectedAlgorithm(IdentityProvider.make().response(ANSWER))).toBeUndefined();
  expect(rejectedAlgorithm('<a>')).toBeUndefined();
});

function withSignature(assertion: string, signature: string): string {
  return assertion.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
}
