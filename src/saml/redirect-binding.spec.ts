import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { SAML } from '@node-saml/node-saml';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeKeyPair } from '../../test/support/identity-provider.js';
import { isQuerySignedBy, signQuery } from '../../test/support/saml-signature.js';
import type { KeyPair } from '../../test/support/saml-xml.js';
import { SystemClock } from '../clock/clock.js';
import { logoutRequestXml } from './logout/logout-xml.js';
import { readRedirect, redirectUrl } from './redirect-binding.js';

const XML = '<samlp:LogoutRequest>\u00e4 & more</samlp:LogoutRequest>';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const RSA_SHA384 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384';
const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

let idp: KeyPair;
let stranger: KeyPair;

beforeAll(() => {
  idp = makeKeyPair('idp.test');
  stranger = makeKeyPair('stranger.test');
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

describe('a message in a query', () => {
  it('is read where its certificate has signed it', () => {
    expect(read(query())).toEqual({ field: 'SAMLRequest', xml: XML, relayState: 'a b' });
    expect(read(query(`SAMLResponse=${packed(XML)}`))).toEqual({
      field: 'SAMLResponse',
      xml: XML,
      relayState: undefined,
    });
  });

  it('is read where the second of several certificates has signed it', () => {
    expect(readRedirect(query(), [stranger.certificate, idp.certificate])).toMatchObject({ xml: XML });
  });

  it.each([
    ['SHA-384', RSA_SHA384, 'sha384'],
    ['SHA-512', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
  ])('is read with %s', (_, uri, hash) => {
    const octets = `SAMLRequest=${packed(XML)}&SigAlg=${encodeURIComponent(uri)}`;

    expect(read(`${octets}&${signed(octets, { hash })}`)).toMatchObject({ xml: XML });
  });

  it('is verified over the octets that came: lower-case escapes and an empty RelayState count as they were signed', () => {
    const lower = (text: string): string => text.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase());
    const octets = `SAMLRequest=${lower(packed(XML))}&RelayState=&SigAlg=${lower(encodeURIComponent(RSA_SHA256))}`;

    expect(octets).toMatch(/%2f|%2b|%3d/);
    expect(read(`${octets}&${signed(octets)}`)).toMatchObject({ xml: XML, relayState: '' });
    // The same text, spelt otherwise than it was signed.
    expect(read(lower(query()))).toBe('signature');
  });

  it('may come in any order: what is signed has one', () => {
    const parts = query().split('&');

    expect(read(parts.toReversed().join('&'))).toMatchObject({ xml: XML, relayState: 'a b' });
  });

  it('may say that it is compressed as it is, and in no other way', () => {
    expect(read(`${query()}&SAMLEncoding=${encodeURIComponent(DEFLATE)}`)).toMatchObject({ xml: XML });
    expect(read(`${query()}&SAMLEncoding=urn%3Aother`)).toBe('malformed');
  });

  it.each([
    ['a message twice', (text: string) => `${text}&SAMLRequest=${packed('<other/>')}`],
    ['the same message twice', (text: string) => `${text}&${text.split('&')[0] ?? ''}`],
    ['both messages', (text: string) => `${text}&SAMLResponse=${packed(XML)}`],
    ['RelayState twice', (text: string) => `${text}&RelayState=other`],
    ['SigAlg twice', (text: string) => `${text}&SigAlg=${encodeURIComponent(RSA_SHA256)}`],
    ['Signature twice', (text: string) => `${text}&Signature=AAAA`],
    ['SAMLEncoding twice', (text: string) => `${text}${`&SAMLEncoding=${encodeURIComponent(DEFLATE)}`.repeat(2)}`],
    ['another parameter', (text: string) => `${text}&more=1`],
    ['a name in other letters', (text: string) => `${text}&samlrequest=${packed('<other/>')}`],
    ['an escaped name', (text: string) => `${text}&SAML%52equest=${packed('<other/>')}`],
    ['a name with brackets', (text: string) => `${text}&SAMLRequest[]=${packed('<other/>')}`],
    ['a name that stands in another', (text: string) => `x${text}`],
    ['no message', (text: string) => text.slice(text.indexOf('&') + 1)],
    ['nothing between two signs', (text: string) => text.replace('&', '&&')],
    ['a name alone', (text: string) => `${text}&RelayState`],
    ['broken escapes', (text: string) => text.replace('%20', '%2g')],
    ['escapes that are no text', (text: string) => text.replace('%20', '%ff')],
  ])('is refused with %s', (_, bend) => {
    expect(read(bend(query()))).toBe('malformed');
  });

  it('is refused where there is nothing at all', () => {
    expect(read('')).toBe('malformed');
  });

  it('is refused unsigned, whatever else of a signature is there', () => {
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
    ['a longer name', `${RSA_SHA256} `, 'sha256'],
    ['nothing', '', 'sha256'],
  ])('is refused signed with %s', (_, uri, hash) => {
    const octets = `SAMLRequest=${packed(XML)}&SigAlg=${encodeURIComponent(uri)}`;

    expect(read(`${octets}&${signed(octets, { hash })}`)).toBe('algorithm');
  });

  it('is refused under the signature of a stranger, of another message, of another state, and of another algorithm', () => {
    const [message = '', state = '', algorithm = '', signature = ''] = query().split('&');
    const other =
      query(`SAMLRequest=${packed('<other/>')}&RelayState=a%20b`)
        .split('&')
        .at(-1) ?? '';
    const byStranger = signQuery(`${message}&${state}`, stranger);

    expect(read(byStranger)).toBe('signature');
    expect(read([message, state, algorithm, other].join('&'))).toBe('signature');
    expect(read([message, 'RelayState=other', algorithm, signature].join('&'))).toBe('signature');
    expect(read([message, algorithm, signature].join('&'))).toBe('signature');
    const sha384 = `SigAlg=${encodeURIComponent(RSA_SHA384)}`;
    expect(read([message, state, sha384, signature].join('&'))).toBe('signature');
    // A request is not taken for an answer.
    expect(read([message.replace('Request', 'Response'), state, algorithm, signature].join('&'))).toBe('signature');
  });

  it('is refused where its signature is no base64', () => {
    const text = query();

    expect(read(`${text}!`)).toBe('signature');
    expect(read(`${text}%0A`)).toBe('signature');
  });

  it.each([
    ['what is not compressed', Buffer.from(XML).toString('base64')],
    ['half of it', deflateRawSync(XML).subarray(0, -5).toString('base64')],
    ['no base64', '<samlp:LogoutRequest/>'],
    ['base64 with line breaks', `${deflateRawSync(XML).toString('base64')}\n`],
    ['nothing', ''],
    ['a text that is not UTF-8', deflateRawSync(Buffer.from([0x3c, 0xff, 0x3e])).toString('base64')],
    ['UTF-16', deflateRawSync(Buffer.from(`\ufeff${XML}`, 'utf16le')).toString('base64')],
    ['65 KB', deflateRawSync('x'.repeat(64 * 1024 + 1)).toString('base64')],
  ])('is refused with %s, though it is signed', (_, message) => {
    expect(read(query(`SAMLRequest=${encodeURIComponent(message)}`))).toBe('malformed');
  });

  it('may have 64 KB, and not more than 1024 characters of RelayState', () => {
    const xml = 'x'.repeat(64 * 1024);

    expect(read(query(`SAMLRequest=${packed(xml)}`))).toMatchObject({ xml });
    const message = `SAMLRequest=${packed(XML)}`;
    expect(read(query(`${message}&RelayState=${'x'.repeat(1024)}`))).toMatchObject({ xml: XML });
    expect(read(query(`${message}&RelayState=${'x'.repeat(1025)}`))).toBe('malformed');
  });

  it('X11: a bomb is not even opened unsigned, and signed not beyond its 64 KB', () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000, 0x20)).toString('base64');
    const message = `SAMLRequest=${encodeURIComponent(bomb)}`;

    expect(read(message)).toBe('signature');
    expect(read(query(message))).toBe('malformed');
  });
});

describe('a URL with a message of ours', () => {
  const message = { field: 'SAMLRequest', xml: XML, relayState: 'a&b=c d+e' } as const;

  it('is one that the other side verifies, and reads as it was written', () => {
    const url = redirectUrl('https://idp.test/slo', message, idp.privateKey);

    expect(url.startsWith('https://idp.test/slo?SAMLRequest=')).toBe(true);
    const sent = url.slice(url.indexOf('?') + 1);
    expect(isQuerySignedBy(sent, idp.certificate)).toBe(true);
    expect(isQuerySignedBy(sent, stranger.certificate)).toBe(false);
    expect(read(sent)).toEqual(message);
  });

  it('keeps the query that the endpoint has', () => {
    const url = redirectUrl('https://idp.test/slo?tenant=1', { ...message, relayState: undefined }, idp.privateKey);

    expect(url.startsWith('https://idp.test/slo?tenant=1&SAMLRequest=')).toBe(true);
    expect(url).not.toContain('RelayState');
    expect(isQuerySignedBy(url.slice(url.indexOf('SAMLRequest')), idp.certificate)).toBe(true);
  });
});

describe('a library that nobody here wrote', () => {
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

  it('signs what is read here', async () => {
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

  it('takes what is signed here', async () => {
    // The library looks at the clock of the machine.
    const now = new SystemClock().millis();
    const head = { id: '_1', issuer: 'urn:idp', destination: 'https://login.test/slo', now };
    const nameId = { value: 'ada', format: undefined, nameQualifier: undefined, spNameQualifier: undefined };
    const xml = logoutRequestXml(head, { nameId });
    const url = redirectUrl(head.destination, { field: 'SAMLRequest', xml, relayState: 'x y' }, idp.privateKey);
    const text = url.slice(url.indexOf('?') + 1);
    const container = Object.fromEntries(new URLSearchParams(text));

    const { profile, loggedOut } = await library(stranger).validateRedirectAsync(container, text);

    expect({ loggedOut, nameID: profile?.nameID }).toEqual({ loggedOut: true, nameID: 'ada' });
    const forged = text.replace('x%20y', 'x%20z');
    await expect(library(stranger).validateRedirectAsync(container, forged)).rejects.toThrow('signature');
  });
});
