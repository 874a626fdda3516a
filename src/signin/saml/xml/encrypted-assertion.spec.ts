import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider, makeKeyPair } from '../../../../test/support/saml/identity-provider.js';
import type { ResponseOptions } from '../../../../test/support/saml/saml-response.js';
import type { KeyPair } from '../../../../test/support/saml/saml-xml.js';
import { readDocument } from './document-allowlist.js';
import { decryptAssertion } from './encrypted-assertion.js';
import { isRejection } from '../login/rejection.js';

const ANSWER: ResponseOptions = { acsUrl: 'https://login.test/acs', audience: 'a', assertionId: '_honest' };

/** Encrypted by another program (see `about` there). */
const XMLSEC = JSON.parse(
  readFileSync(new URL('../../../../test/support/fixtures/encrypted-by-xmlsec.json', import.meta.url), 'utf8'),
) as {
  readonly privateKey: string;
  readonly plain: string;
  readonly vectors: readonly { readonly name: string; readonly xml: string }[];
};

describe('decryptAssertion', () => {
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

  function open(xml: string, isResponseSigned = false, pem: string | undefined = service.privateKey) {
    const document = readDocument(xml);
    if (isRejection(document)) throw new Error(`rejected: ${document}`);
    const privateKey = pem === '' ? undefined : createPrivateKey(pem);
    return decryptAssertion(document, { privateKey, isResponseSigned });
  }

  /** Undefined after decryption. */
  function problem(xml: string, isResponseSigned = false, pem?: string) {
    const opened = open(xml, isResponseSigned, pem);
    return 'rejection' in opened ? opened.rejection : undefined;
  }

  it.each(['aes256-gcm', 'aes128-gcm'] as const)('decrypts %s', (content) => {
    const opened = open(encrypted({ encryption: { content } }));

    expect('assertion' in opened && opened.assertion).toMatch(/^<saml:Assertion .* ID="_honest".*<\/saml:Assertion>$/s);
  });

  it('rejects a response without an encrypted assertion', () => {
    expect(problem(idp.response(ANSWER))).toBe('structure');
  });

  it('X17: decrypts AES-CBC only if the response is signed', () => {
    const xml = encrypted({ encryption: { content: 'aes256-cbc' }, signed: 'both' });

    expect(problem(xml, true)).toBeUndefined();
    expect(problem(xml, false)).toBe('unsigned_cbc');
  });

  it.each(XMLSEC.vectors.filter(({ name }) => !name.includes('SHA-512')))(
    'S1: decrypts what xmlsec encrypted with $name, and rejects a changed or wrong key',
    ({ name, xml }) => {
      const isCbc = name.endsWith('CBC');

      expect(open(around(xml), isCbc, XMLSEC.privateKey)).toEqual({ assertion: XMLSEC.plain });
      expect(problem(bentValue(around(xml), 0), isCbc, XMLSEC.privateKey)).toBe('decryption');
      expect(problem(around(xml), isCbc)).toBe('decryption');
    },
  );

  it.each([
    ['CBC', 'unsigned_cbc', 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'],
    ['SHA-512', 'algorithm', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  ])('S1: rejects %s in an unsigned response as %s and names the algorithm', (kind, rejection, algorithm) => {
    const vector = XMLSEC.vectors.find(({ name }) => name.includes(kind));

    const opened = open(around(vector?.xml ?? ''), false, XMLSEC.privateKey);

    expect(opened).toEqual({ rejection, algorithm });
  });

  it('S1: accepts only SHA-1 as the mask of rsa-oaep-mgf1p', () => {
    const mask = (hash: string) =>
      `<MGF xmlns="http://www.w3.org/2009/xmlenc11#" Algorithm="http://www.w3.org/2009/xmlenc11#mgf1${hash}"/>`;
    const named = (hash: string) => honest.replace(/(rsa-oaep-mgf1p")\/>/, `$1>${mask(hash)}</xenc:EncryptionMethod>`);

    expect(problem(named('sha1'))).toBeUndefined();
    expect(open(named('sha256'))).toEqual({
      rejection: 'algorithm',
      algorithm: 'http://www.w3.org/2009/xmlenc11#mgf1sha256',
    });
    expect(problem(named('sha1').replace('http://www.w3.org/2009/xmlenc11#"', 'x"'))).toBe('structure');
  });

  it('S1: replaces control characters in the name of a rejected algorithm and truncates it', () => {
    const bent = honest.replace(/"[^"]*aes256-gcm"/, `"urn:&#9;[31m\u202e${'x'.repeat(300)}"`);

    const opened = open(bent);

    expect('rejection' in opened && opened.algorithm).toBe(`urn:?[31m?${'x'.repeat(110)}`);
  });

  it.each([
    ['content', (xml: string, name: string) => xml.replace(/"[^"]*aes256-gcm"/, `"${name}"`)],
    ['key', (xml: string, name: string) => xml.replace(/"[^"]*rsa-oaep-mgf1p"/, `"${name}"`)],
    [
      'digest',
      (xml: string, name: string) =>
        xml.replace(
          /(rsa-oaep-mgf1p")\/>/,
          `$1><ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Algorithm="${name}"/></xenc:EncryptionMethod>`,
        ),
    ],
  ])('S1: rejects names of object members as the algorithm of the %s', (_, bend) => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(open(bend(honest, name))).toEqual({ rejection: 'algorithm', algorithm: name });
    }
  });

  it('S1: names the rejected algorithm of the signature of the decrypted assertion', () => {
    const xml = encrypted({ signature: { algorithm: 'rsa-sha1' } });

    expect(open(xml)).toEqual({ rejection: 'algorithm', algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' });
  });

  it('X17: rejects RSA 1.5, which allows padding oracle attacks', () => {
    expect(problem(encrypted({ encryption: { key: 'rsa-1_5' }, signed: 'both' }), true)).toBe('algorithm');
  });

  it('decrypts nothing without a private key or with another one', () => {
    expect(problem(honest, false, makeKeyPair('other.test').privateKey)).toBe('decryption');
    expect(problem(honest, false, '')).toBe('decryption');
  });

  it.each<readonly [string, (xml: string) => string, string]>([
    [
      'a forged assertion in Advice',
      (xml) =>
        xml.replace('</saml:Assertion>', '<saml:Advice><saml:Assertion ID="_forged"/></saml:Advice></saml:Assertion>'),
      'structure',
    ],
    ['the genuine assertion in another root', (xml) => `<x>${xml}</x>`, 'structure'],
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
    ['an empty text', () => '', 'not_well_formed'],
  ])('X17: rejects the decrypted content: %s', (_, bend, rejection) => {
    const assertion = idp.assertion(ANSWER);
    const bent = bend(assertion);
    expect(bent).not.toBe(assertion);
    const inner = encryptedText(bent);

    expect(problem(inner)).toBe(rejection);
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['changed content', (xml) => bentValue(xml, 1)],
    ['a changed key', (xml) => bentValue(xml, 0)],
    ['empty content', (xml) => xml.replace(/(.*<xenc:CipherValue>)[^<]*/s, '$1')],
    ['content shorter than its tag', (xml) => xml.replace(/(.*<xenc:CipherValue>)[^<]*/s, '$1AAAA')],
    ['a key of another length', (xml) => xml.replace('aes256-gcm', 'aes128-gcm')],
  ])('decrypts nothing with %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(problem(bend(honest))).toBe('decryption');
  });

  describe('with the key beside the data', () => {
    /** A valid second key, encrypted for this service. */
    const secondKey = (id: string) => {
      const [key = ''] = /<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s.exec(peer()) ?? [];
      return key.replace('"_key"', `"${id}"`);
    };
    const peer = () => encrypted({ encryption: { keyPlacement: 'beside' } });
    const reference = /<ds:RetrievalMethod [^>]*\/>/;
    const key = /<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s;
    const list = /<xenc:ReferenceList>.*<\/xenc:ReferenceList>/s;

    it.each<readonly [string, (xml: string) => string]>([
      ['as one program writes it', (xml) => xml],
      ['without the optional list of references', (xml) => xml.replace(list, '')],
      ['with blanks between the elements', (xml) => xml.replaceAll('><', '>\n<')],
      ['with the attributes in another order', (xml) => xml.replace(/( Type="[^"]*")( URI="#_key")/, '$2$1')],
    ])('M1: decrypts a response %s', (_, bend) => {
      expect(problem(bend(peer()))).toBeUndefined();
    });

    it.each<readonly [string, (xml: string) => string]>([
      ['no reference', (xml) => xml.replace(reference, '')],
      ['no KeyInfo', (xml) => xml.replace(/<ds:KeyInfo [^>]*><ds:RetrievalMethod.*?<\/ds:KeyInfo>/s, '')],
      ['two references', (xml) => xml.replace(reference, '$&$&')],
      ['another element beside the reference', (xml) => xml.replace(reference, '<ds:KeyName>k</ds:KeyName>$&')],
      ['a reference to another Id', (xml) => xml.replace('#_key', '#_other')],
      ['a reference to the data', (xml) => xml.replace('#_key', '#_data')],
      ['a reference to the whole document', (xml) => xml.replace('"#_key"', '""')],
      ['a reference without #', (xml) => xml.replace('#_key', '_key')],
      ['an empty Id', (xml) => xml.replace('"#_key"', '"#"').replace(' Id="_key"', '')],
      ['an XPointer', (xml) => xml.replace('#_key', '#xpointer(id(&apos;_key&apos;))')],
      ['a URL', (xml) => xml.replace('#_key', 'http://127.0.0.1/#_key')],
      [
        'a reference with transforms',
        (xml) => xml.replace(/(<ds:RetrievalMethod [^>]*)\/>/, '$1><ds:Transforms/></ds:RetrievalMethod>'),
      ],
      ['a reference without a type', (xml) => xml.replace(/ Type="[^"]*EncryptedKey"/, '')],
      ['a reference of another type', (xml) => xml.replace('xmlenc#EncryptedKey"', 'xmlenc#DerivedKey"')],
      ['a type in another namespace', (xml) => xml.replace(/ Type="([^"]*EncryptedKey)"/, ' xmlns:x="x" x:Type="$1"')],
      [
        'a second URI in another namespace',
        (xml) => xml.replace(' URI="#_key"', ' URI="#_key" xmlns:x="x" x:URI="#_key"'),
      ],
      ['a reference in another namespace', (xml) => xml.replace('<ds:RetrievalMethod ', '<RetrievalMethod xmlns="x" ')],
      [
        'a reference inside the key',
        (xml) => {
          const [found = ''] = reference.exec(xml) ?? [];
          return xml.replace(found, '').replace('<ds:X509Data>', `${found}<ds:X509Data>`);
        },
      ],
      ['a key without an Id', (xml) => xml.replace(' Id="_key"', '')],
      ['a key with another spelling of Id', (xml) => xml.replace(' Id="_key"', ' ID="_key"')],
      ['a key in another namespace', (xml) => xml.replace(/(<xenc:EncryptedKey xmlns:xenc=")[^"]*/, '$1x')],
      ['a second key beside it', (xml) => xml.replace('</saml:EncryptedAssertion>', `${secondKey('_second')}$&`)],
      ['a second key inside the KeyInfo', (xml) => xml.replace(reference, `$&${secondKey('_second')}`)],
      [
        'a key inside the KeyInfo in place of the one beside it',
        (xml) => xml.replace(key, '').replace(reference, `$&${secondKey('_key')}`),
      ],
      ['a key in another element', (xml) => xml.replace(key, '<x>$&</x>')],
      [
        'a key outside the EncryptedAssertion',
        (xml) => {
          const [found = ''] = key.exec(xml) ?? [];
          return xml
            .replace(found, '')
            .replace('</samlp:Status>', `<samlp:StatusDetail>${found}</samlp:StatusDetail>$&`);
        },
      ],
      [
        'a key before the data',
        (xml) =>
          xml.replace(
            /(<xenc:EncryptedData.*<\/xenc:EncryptedData>)(<xenc:EncryptedKey.*<\/xenc:EncryptedKey>)/s,
            '$2$1',
          ),
      ],
      ['an unknown element after the key', (xml) => xml.replace('</saml:EncryptedAssertion>', '<x/>$&')],
      ['a key for other data', (xml) => xml.replace('#_data', '#_other')],
      ['a key for its own element', (xml) => xml.replace('#_data', '#_key')],
      ['a key for data without an Id', (xml) => xml.replace(' Id="_data"', '')],
      ['a key for two parts', (xml) => xml.replace(/<xenc:DataReference [^>]*>/, '$&$&')],
      ['a key for data and a key', (xml) => xml.replace(/(<xenc:)Data(Reference [^>]*>)/, '$&$1Key$2')],
      ['a key for nothing', (xml) => xml.replace(/<xenc:DataReference [^>]*>/, '')],
      [
        'a key for transformed data',
        (xml) => xml.replace(/(<xenc:DataReference [^>]*)\/>/, '$1><ds:Transforms xmlns:ds="x"/></xenc:DataReference>'),
      ],
      ['two lists of references', (xml) => xml.replace(list, '$&$&')],
      [
        'a list of references in another namespace',
        (xml) =>
          xml
            .replace('<xenc:ReferenceList>', '<ReferenceList xmlns="x">')
            .replace('</xenc:ReferenceList>', '</ReferenceList>'),
      ],
      [
        'a list of references inside the KeyInfo of the key',
        (xml) => {
          const [found = ''] = list.exec(xml) ?? [];
          return xml.replace(found, '').replace('<ds:X509Data>', `${found}<ds:X509Data>`);
        },
      ],
    ])('M1: rejects %s', (_, bend) => {
      const xml = peer();
      const bent = bend(xml);
      expect(bent).not.toBe(xml);

      expect(problem(bent)).toBe('structure');
    });

    it('M1: rejects an Id that a second element has', () => {
      const bent = peer().replace('<ds:X509Data>', '<ds:X509Data Id="_key">');

      expect(readDocument(bent)).toBe('structure');
    });

    it('M1: rejects a reference with a key inside the KeyInfo', () => {
      const bent = honest.replace(
        '<xenc:EncryptedKey>',
        '<ds:RetrievalMethod Type="http://www.w3.org/2001/04/xmlenc#EncryptedKey" URI="#_key"/><xenc:EncryptedKey Id="_key">',
      );

      expect(problem(bent)).toBe('structure');
    });
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['two encrypted keys', (xml) => xml.replace(/(<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>)/s, '$1$1')],
    ['two EncryptedData', (xml) => xml.replace(/(<xenc:EncryptedData.*<\/xenc:EncryptedData>)/s, '$1$1')],
    [
      'a RetrievalMethod',
      (xml) => xml.replace(/<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>/s, '<ds:RetrievalMethod URI="#k"/>'),
    ],
    [
      'a CipherReference',
      (xml) =>
        xml.replace(
          /(.*)<xenc:CipherValue>.*<\/xenc:CipherValue>/s,
          '$1<xenc:CipherReference URI="http://127.0.0.1/x"/>',
        ),
    ],
    [
      'CipherData before KeyInfo',
      (xml) =>
        xml.replace(
          /(<ds:KeyInfo.*<\/ds:KeyInfo>)(<xenc:CipherData>.*<\/xenc:CipherData>)(?=<\/xenc:EncryptedData>)/s,
          '$2$1',
        ),
    ],
    [
      'elements in another namespace',
      (xml) => xml.replace('xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"', 'xmlns:xenc="x"'),
    ],
    [
      'a DigestMethod in another namespace',
      (xml) =>
        xml.replace(/(rsa-oaep-mgf1p")\/>/, '$1><DigestMethod xmlns="x" Algorithm="y"/></xenc:EncryptionMethod>'),
    ],
    ['no Algorithm', (xml) => xml.replace(/<xenc:EncryptionMethod [^>]*>/, '<xenc:EncryptionMethod/>')],
    [
      'a second Algorithm in another namespace',
      (xml) => xml.replace('<xenc:EncryptionMethod ', '<xenc:EncryptionMethod xmlns:x="x" x:Algorithm="y" '),
    ],
    ['no EncryptedData', (xml) => xml.replace(/<xenc:EncryptedData.*<\/xenc:EncryptedData>/s, '')],
    [
      'OAEPparams',
      (xml) =>
        xml.replace(/(rsa-oaep-mgf1p")\/>/, '$1><xenc:OAEPparams>AA==</xenc:OAEPparams></xenc:EncryptionMethod>'),
    ],
  ])('X17: rejects %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(problem(bend(honest))).toBe('structure');
  });

  it.each<readonly [string, (xml: string) => string]>([
    ['triple DES', (xml) => xml.replace(/"[^"]*aes256-gcm"/, '"http://www.w3.org/2001/04/xmlenc#tripledes-cbc"')],
    ['an unknown algorithm', (xml) => xml.replace('aes256-gcm', 'aes256-ecb')],
  ])('X17: rejects %s', (_, bend) => {
    expect(bend(honest)).not.toBe(honest);
    expect(problem(bend(honest))).toBe('algorithm');
  });

  function around(assertion: string): string {
    const namespace = 'urn:oasis:names:tc:SAML:2.0:protocol';
    return `<samlp:Response xmlns:samlp="${namespace}"><samlp:Status/>${assertion}</samlp:Response>`;
  }

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
