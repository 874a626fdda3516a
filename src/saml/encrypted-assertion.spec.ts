import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider, makeKeyPair } from '../../test/support/identity-provider.js';
import type { ResponseOptions } from '../../test/support/saml-response.js';
import type { KeyPair } from '../../test/support/saml-xml.js';
import { readDocument } from './document-shape.js';
import { encryptedAssertionFault } from './encrypted-assertion.js';
import { isRejection } from './rejection.js';

const ANSWER: ResponseOptions = { acsUrl: 'https://login.test/acs', audience: 'a', assertionId: '_honest' };

describe('an encrypted assertion', () => {
  let idp: IdentityProvider;
  let service: KeyPair;
  let honest: string;

  beforeAll(() => {
    idp = IdentityProvider.make();
    service = makeKeyPair('login.test');
    honest = encrypted();
  });

  function encrypted(options: Partial<ResponseOptions> = {}): string {
    return idp.response({ ...ANSWER, encryptFor: service.certificate, ...options });
  }

  function fault(xml: string, isResponseSigned = false, pem = service.privateKey) {
    const document = readDocument(xml);
    return isRejection(document)
      ? `shape: ${document}`
      : encryptedAssertionFault(document, { privateKey: createPrivateKey(pem), isResponseSigned });
  }

  it.each(['aes256-gcm', 'aes128-gcm'] as const)('goes to the library with %s', (content) => {
    expect(fault(encrypted({ encryption: { content } }))).toBeUndefined();
  });

  it('is not looked for in a response that has none', () => {
    expect(fault(idp.response(ANSWER))).toBeUndefined();
  });

  it('X17: goes to the library with AES-CBC only under a signature of the response', () => {
    const xml = encrypted({ encryption: { content: 'aes256-cbc' }, signed: 'both' });

    expect(fault(xml, true)).toBeUndefined();
    expect(fault(xml, false)).toBe('algorithm');
  });

  it('X17: never goes there with RSA 1.5, which tells each sender of bent keys something', () => {
    expect(fault(encrypted({ encryption: { key: 'rsa-1_5' }, signed: 'both' }), true)).toBe('algorithm');
  });

  it('is not opened without a key, or with another one', () => {
    const document = readDocument(honest);

    expect(isRejection(document)).toBe(false);
    expect(fault(honest, false, makeKeyPair('other.test').privateKey)).toBe('decryption');
    expect(
      !isRejection(document) && encryptedAssertionFault(document, { privateKey: undefined, isResponseSigned: false }),
    ).toBe('decryption');
  });

  it.each<readonly [string, (xml: string) => string, string]>([
    [
      'a forged assertion around the honest one',
      (xml) =>
        xml.replace('</saml:Assertion>', '<saml:Advice><saml:Assertion ID="_forged"/></saml:Advice></saml:Assertion>'),
      'structure',
    ],
    ['the honest one inside of another root', (xml) => `<x>${xml}</x>`, 'structure'],
    ['two assertions', (xml) => xml + xml, 'structure'],
    ['a signature of another element', (xml) => xml.replace(' ID="_honest"', ' ID="_forged"'), 'structure'],
    [
      'a whole response',
      (xml) => `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${xml}</samlp:Response>`,
      'structure',
    ],
    [
      'another encrypted assertion',
      () => '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>',
      'structure',
    ],
    ['a DOCTYPE', (xml) => `<!DOCTYPE a [<!ENTITY b "c">]>${xml}`, 'doctype'],
    ['a comment', (xml) => xml.replace('staff-1', 'staff<!-- -->-1'), 'markup'],
    ['100 KB of unclosed tags', () => '<a>'.repeat(33_000), 'too_deep'],
    ['nothing', () => '', 'not_well_formed'],
  ])('X17: does not go to the library with %s inside', (_, bend, rejection) => {
    const assertion = idp.assertion(ANSWER);
    const bent = bend(assertion);
    expect(bent).not.toBe(assertion);
    const inner = encryptedText(bent);

    expect(fault(inner)).toBe(rejection);
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['a content that was bent', (xml) => bentValue(xml, 1)],
    ['a key that was bent', (xml) => bentValue(xml, 0)],
    ['an empty content', (xml) => xml.replace(/(.*<xenc:CipherValue>)[^<]*/s, '$1')],
    ['a content shorter than its tag', (xml) => xml.replace(/(.*<xenc:CipherValue>)[^<]*/s, '$1AAAA')],
    ['the key of another length', (xml) => xml.replace('aes256-gcm', 'aes128-gcm')],
  ])('is not opened with %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(fault(bend(honest))).toBe('decryption');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['two encrypted keys', (xml) => xml.replace(/(<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>)/s, '$1$1')],
    ['two contents', (xml) => xml.replace(/(<xenc:EncryptedData.*<\/xenc:EncryptedData>)/s, '$1$1')],
    [
      'a key elsewhere',
      (xml) => xml.replace(/<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>/s, '<ds:RetrievalMethod URI="#k"/>'),
    ],
    [
      'a content elsewhere',
      (xml) =>
        xml.replace(
          /(.*)<xenc:CipherValue>.*<\/xenc:CipherValue>/s,
          '$1<xenc:CipherReference URI="http://127.0.0.1/x"/>',
        ),
    ],
    [
      'a content before its key',
      (xml) =>
        xml.replace(
          /(<ds:KeyInfo.*<\/ds:KeyInfo>)(<xenc:CipherData>.*<\/xenc:CipherData>)(?=<\/xenc:EncryptedData>)/s,
          '$2$1',
        ),
    ],
    [
      'parts of another namespace',
      (xml) => xml.replace('xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"', 'xmlns:xenc="x"'),
    ],
    [
      'a digest method of another namespace',
      (xml) =>
        xml.replace(/(rsa-oaep-mgf1p")\/>/, '$1><DigestMethod xmlns="x" Algorithm="y"/></xenc:EncryptionMethod>'),
    ],
    ['no algorithm', (xml) => xml.replace(/<xenc:EncryptionMethod [^>]*>/, '<xenc:EncryptionMethod/>')],
    [
      'a second algorithm in a namespace',
      (xml) => xml.replace('<xenc:EncryptionMethod ', '<xenc:EncryptionMethod xmlns:x="x" x:Algorithm="y" '),
    ],
    ['no content', (xml) => xml.replace(/<xenc:EncryptedData.*<\/xenc:EncryptedData>/s, '')],
    [
      'a label for its key',
      (xml) =>
        xml.replace(/(rsa-oaep-mgf1p")\/>/, '$1><xenc:OAEPparams>AA==</xenc:OAEPparams></xenc:EncryptionMethod>'),
    ],
  ])('X17: is refused with %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(fault(bend(honest))).toBe('structure');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['triple DES', (xml) => xml.replace(/"[^"]*aes256-gcm"/, '"http://www.w3.org/2001/04/xmlenc#tripledes-cbc"')],
    ['an algorithm that nobody knows', (xml) => xml.replace('aes256-gcm', 'aes256-ecb')],
  ])('X17: is refused with %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(fault(bend(honest))).toBe('algorithm');
  });

  it('takes the digest of RSA-OAEP when it is the one that the library takes', () => {
    const digest = (uri: string) =>
      honest.replace(/(rsa-oaep-mgf1p")\/>/, `$1><ds:DigestMethod Algorithm="${uri}"/></xenc:EncryptionMethod>`);

    expect(fault(digest('http://www.w3.org/2000/09/xmldsig#sha1'))).toBeUndefined();
    expect(fault(digest('http://www.w3.org/2001/04/xmlenc#sha256'))).toBe('algorithm');
  });

  /** A response around any text at all, encrypted as an assertion would be. */
  function encryptedText(text: string): string {
    return encrypted({ bendAssertion: () => text, signed: 'none' });
  }

  function bentValue(xml: string, which: number): string {
    let at = -1;
    for (let n = 0; n <= which; n += 1) at = xml.indexOf('<xenc:CipherValue>', at + 1);
    const value = at + '<xenc:CipherValue>'.length + 40;
    return xml.slice(0, value) + (xml[value] === 'A' ? 'B' : 'A') + xml.slice(value + 1);
  }
});
