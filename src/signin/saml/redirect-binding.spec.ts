import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { SAML } from '@node-saml/node-saml';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeKeyPair } from '../../../test/support/saml/identity-provider.js';
import { isQuerySignedBy, signQuery } from '../../../test/support/saml/saml-signature.js';
import type { KeyPair } from '../../../test/support/saml/saml-xml.js';
import { SystemClock } from '../../kernel/clock/clock.js';
import { logoutRequestXml } from './logout/logout-xml.js';
import { readRedirect, redirectUrl } from './redirect-binding.js';

const XML = '<samlp:LogoutRequest>\u00e4 & more</samlp:LogoutRequest>';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const RSA_SHA384 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384';
const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

let idp: KeyPair;
let otherKey: KeyPair;

beforeAll(() => {
  idp = makeKeyPair('idp.test');
  otherKey = makeKeyPair('other.test');
});

function packed(text: string | Buffer): string {
  return encodeURIComponent(deflateRawSync(text).toString('base64'));
}

/** An honest query, signed over what it says. */
function query(message = `SAMLRequest=${packed(XML)}&RelayState=a%20b`): string {
  return signQuery(message, idp);
}

function read(text: string) {
  return readRedirect(text, [idp.certificate]);
}

/** Signs as the binding says, with any spelling and algorithm, and puts the parameters in any order. */
function signed(octets: string, { hash = 'sha256', key = idp }: { hash?: string; key?: KeyPair } = {}): string {
  const signature = createSign(hash).update(octets).sign(key.privateKey, 'base64');
  return `Signature=${encodeURIComponent(signature)}`;
}

describe('readRedirect', () => {
  it('reads a LogoutRequest and a LogoutResponse that the certificate verifies', () => {
    expect(read(query())).toEqual({ field: 'SAMLRequest', xml: XML, relayState: 'a b' });
    expect(read(query(`SAMLResponse=${packed(XML)}`))).toEqual({
      field: 'SAMLResponse',
      xml: XML,
      relayState: undefined,
    });
  });

  it('reads a message that the second of several certificates verifies', () => {
    expect(readRedirect(query(), [otherKey.certificate, idp.certificate])).toMatchObject({ xml: XML });
  });

  it.each([
    ['SHA-384', RSA_SHA384, 'sha384'],
    ['SHA-512', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
  ])('reads a message signed with %s', (_, uri, hash) => {
    const octets = `SAMLRequest=${packed(XML)}&SigAlg=${encodeURIComponent(uri)}`;

    expect(read(`${octets}&${signed(octets, { hash })}`)).toMatchObject({ xml: XML });
  });

  it('verifies the octets as received, with lower-case escapes and an empty RelayState', () => {
    const lower = (text: string): string => text.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase());
    const octets = `SAMLRequest=${lower(packed(XML))}&RelayState=&SigAlg=${lower(encodeURIComponent(RSA_SHA256))}`;

    expect(octets).toMatch(/%2f|%2b|%3d/);
    expect(read(`${octets}&${signed(octets)}`)).toMatchObject({ xml: XML, relayState: '' });
    // The same text, but with other escapes than those that were signed.
    expect(read(lower(query()))).toBe('signature');
  });

  it('accepts the parameters in any order', () => {
    const parts = query().split('&');

    expect(read(parts.toReversed().join('&'))).toMatchObject({ xml: XML, relayState: 'a b' });
  });

  it('accepts only DEFLATE as SAMLEncoding', () => {
    expect(read(`${query()}&SAMLEncoding=${encodeURIComponent(DEFLATE)}`)).toMatchObject({ xml: XML });
    expect(read(`${query()}&SAMLEncoding=urn%3Aother`)).toBe('malformed');
  });

  it.each([
    ['two SAMLRequest parameters', (text: string) => `${text}&SAMLRequest=${packed('<other/>')}`],
    ['a repeated SAMLRequest', (text: string) => `${text}&${text.split('&')[0] ?? ''}`],
    ['SAMLRequest and SAMLResponse', (text: string) => `${text}&SAMLResponse=${packed(XML)}`],
    ['two RelayState parameters', (text: string) => `${text}&RelayState=other`],
    ['two SigAlg parameters', (text: string) => `${text}&SigAlg=${encodeURIComponent(RSA_SHA256)}`],
    ['two Signature parameters', (text: string) => `${text}&Signature=AAAA`],
    [
      'two SAMLEncoding parameters',
      (text: string) => `${text}${`&SAMLEncoding=${encodeURIComponent(DEFLATE)}`.repeat(2)}`,
    ],
    ['an unknown parameter', (text: string) => `${text}&more=1`],
    ['a name in another case', (text: string) => `${text}&samlrequest=${packed('<other/>')}`],
    ['an escaped name', (text: string) => `${text}&SAML%52equest=${packed('<other/>')}`],
    ['a name with brackets', (text: string) => `${text}&SAMLRequest[]=${packed('<other/>')}`],
    ['a name with a prefix', (text: string) => `x${text}`],
    ['no message', (text: string) => text.slice(text.indexOf('&') + 1)],
    ['an empty parameter', (text: string) => text.replace('&', '&&')],
    ['a name without a value', (text: string) => `${text}&RelayState`],
    ['broken escapes', (text: string) => text.replace('%20', '%2g')],
    ['escapes that are not UTF-8', (text: string) => text.replace('%20', '%ff')],
  ])('rejects a query with %s', (_, bend) => {
    expect(read(bend(query()))).toBe('malformed');
  });

  it('rejects an empty query', () => {
    expect(read('')).toBe('malformed');
  });

  it('rejects a message with an incomplete signature, or without certificates', () => {
    const message = `SAMLRequest=${packed(XML)}`;

    expect(read(message)).toBe('signature');
    expect(read(`${message}&SigAlg=${encodeURIComponent(RSA_SHA256)}`)).toBe('signature');
    expect(read(`${message}&SigAlg=${encodeURIComponent(RSA_SHA256)}&Signature=`)).toBe('signature');
    expect(read(`${message}&Signature=AAAA`)).toBe('signature');
    expect(readRedirect(query(), [])).toBe('signature');
  });

  it.each([
    ['SHA-1', 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'sha1'],
    ['DSA', 'http://www.w3.org/2000/09/xmldsig#dsa-sha1', 'sha1'],
    ['HMAC', 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256', 'sha256'],
    ['a SigAlg with a trailing space', `${RSA_SHA256} `, 'sha256'],
    ['an empty SigAlg', '', 'sha256'],
  ])('rejects the signature algorithm: %s', (_, uri, hash) => {
    const octets = `SAMLRequest=${packed(XML)}&SigAlg=${encodeURIComponent(uri)}`;

    expect(read(`${octets}&${signed(octets, { hash })}`)).toBe('algorithm');
  });

  it('rejects a signature by another key, or over another message, RelayState, algorithm or parameter name', () => {
    const [message = '', state = '', algorithm = '', signature = ''] = query().split('&');
    const other =
      query(`SAMLRequest=${packed('<other/>')}&RelayState=a%20b`)
        .split('&')
        .at(-1) ?? '';
    const byOtherKey = signQuery(`${message}&${state}`, otherKey);

    expect(read(byOtherKey)).toBe('signature');
    expect(read([message, state, algorithm, other].join('&'))).toBe('signature');
    expect(read([message, 'RelayState=other', algorithm, signature].join('&'))).toBe('signature');
    expect(read([message, algorithm, signature].join('&'))).toBe('signature');
    const sha384 = `SigAlg=${encodeURIComponent(RSA_SHA384)}`;
    expect(read([message, state, sha384, signature].join('&'))).toBe('signature');
    // A SAMLRequest is not accepted as a SAMLResponse.
    expect(read([message.replace('Request', 'Response'), state, algorithm, signature].join('&'))).toBe('signature');
  });

  it('rejects a signature that is not base64', () => {
    const text = query();

    expect(read(`${text}!`)).toBe('signature');
    expect(read(`${text}%0A`)).toBe('signature');
  });

  it.each([
    ['no compression', Buffer.from(XML).toString('base64')],
    ['truncated data', deflateRawSync(XML).subarray(0, -5).toString('base64')],
    ['XML in place of base64', '<samlp:LogoutRequest/>'],
    ['base64 with line breaks', `${deflateRawSync(XML).toString('base64')}\n`],
    ['an empty message', ''],
    ['a text that is not UTF-8', deflateRawSync(Buffer.from([0x3c, 0xff, 0x3e])).toString('base64')],
    ['UTF-16', deflateRawSync(Buffer.from(`\ufeff${XML}`, 'utf16le')).toString('base64')],
    ['more than 64 KB of XML', deflateRawSync('x'.repeat(64 * 1024 + 1)).toString('base64')],
  ])('rejects a signed message with %s', (_, message) => {
    expect(read(query(`SAMLRequest=${encodeURIComponent(message)}`))).toBe('malformed');
  });

  it('accepts 64 KB of XML and 1024 characters of RelayState, and rejects a longer RelayState', () => {
    const xml = 'x'.repeat(64 * 1024);

    expect(read(query(`SAMLRequest=${packed(xml)}`))).toMatchObject({ xml });
    const message = `SAMLRequest=${packed(XML)}`;
    expect(read(query(`${message}&RelayState=${'x'.repeat(1024)}`))).toMatchObject({ xml: XML });
    expect(read(query(`${message}&RelayState=${'x'.repeat(1025)}`))).toBe('malformed');
  });

  it('X11: does not inflate an unsigned message, and a signed one only up to 64 KB', () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000, 0x20)).toString('base64');
    const message = `SAMLRequest=${encodeURIComponent(bomb)}`;

    expect(read(message)).toBe('signature');
    expect(read(query(message))).toBe('malformed');
  });
});

describe('redirectUrl', () => {
  const message = { field: 'SAMLRequest', xml: XML, relayState: 'a&b=c d+e' } as const;

  it('signs a message that the receiver verifies and reads unchanged', () => {
    const url = redirectUrl('https://idp.test/slo', message, idp.privateKey);

    expect(url.startsWith('https://idp.test/slo?SAMLRequest=')).toBe(true);
    const sent = url.slice(url.indexOf('?') + 1);
    expect(isQuerySignedBy(sent, idp.certificate)).toBe(true);
    expect(isQuerySignedBy(sent, otherKey.certificate)).toBe(false);
    expect(read(sent)).toEqual(message);
  });

  it('keeps the query of the endpoint', () => {
    const url = redirectUrl('https://idp.test/slo?tenant=1', { ...message, relayState: undefined }, idp.privateKey);

    expect(url.startsWith('https://idp.test/slo?tenant=1&SAMLRequest=')).toBe(true);
    expect(url).not.toContain('RelayState');
    expect(isQuerySignedBy(url.slice(url.indexOf('SAMLRequest')), idp.certificate)).toBe(true);
  });
});

describe('interoperability of HTTP-Redirect with node-saml', () => {
  const library = (own: KeyPair): SAML =>
    new SAML({
      callbackUrl: 'https://login.test/acs',
      entryPoint: 'https://idp.test/sso',
      logoutUrl: 'https://idp.test/slo',
      issuer: 'https://login.test/metadata',
      idpCert: idp.certificate,
      privateKey: own.privateKey,
      signatureAlgorithm: 'sha512',
    });

  it('readRedirect accepts a LogoutRequest of node-saml', async () => {
    const person = { issuer: 'sp', nameID: 'ada', nameIDFormat: 'urn:x' };

    const url = await library(idp).getLogoutUrlAsync(person, 'a&b=c', {});

    const text = url.slice(url.indexOf('?') + 1);
    expect(read(text)).toMatchObject({
      field: 'SAMLRequest',
      xml: expect.stringContaining('ada') as string,
      relayState: 'a&b=c',
    });
    expect(read(text.replace('a%26b', 'a%26c'))).toBe('signature');
  });

  it('node-saml accepts a LogoutRequest of redirectUrl', async () => {
    // The library uses the system clock.
    const now = new SystemClock().millis();
    const head = { id: '_1', issuer: 'urn:idp', destination: 'https://login.test/slo', now };
    const nameId = { value: 'ada', format: undefined, nameQualifier: undefined, spNameQualifier: undefined };
    const xml = logoutRequestXml(head, { nameId });
    const url = redirectUrl(head.destination, { field: 'SAMLRequest', xml, relayState: 'x y' }, idp.privateKey);
    const text = url.slice(url.indexOf('?') + 1);
    const container = Object.fromEntries(new URLSearchParams(text));

    const { profile, loggedOut } = await library(otherKey).validateRedirectAsync(container, text);

    expect({ loggedOut, nameID: profile?.nameID }).toEqual({ loggedOut: true, nameID: 'ada' });
    const forged = text.replace('x%20y', 'x%20z');
    await expect(library(otherKey).validateRedirectAsync(container, forged)).rejects.toThrow('signature');
  });
});
