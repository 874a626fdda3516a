import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../../test/support/http/certificates.js';
import { IdentityProvider, makeKeyPair } from '../../../../test/support/saml/identity-provider.js';
import {
  ASSURANCE,
  endpoint,
  entitiesDescriptor,
  keyDescriptor,
  type MetadataOptions,
} from '../../../../test/support/saml/saml-metadata.js';
import { type KeyPair, part, replaced } from '../../../../test/support/saml/saml-xml.js';
import { certificateFacts } from './idp-trust.js';
import { readMetadata } from './idp-metadata.js';

type MetadataKeys = Parameters<typeof readMetadata>[1];

const REDIRECT: MetadataKeys = { ssoBinding: 'redirect' };
const ENTITY_ID = 'https://idp.example/metadata';
const SSO_URL = 'https://idp.example/sso';
let first: KeyPair;
let second: KeyPair;

beforeAll(() => {
  [first, second] = [makeKeyPair('first'), makeKeyPair('second')];
});

function simple(options: MetadataOptions = {}): string {
  const idp = IdentityProvider.make({ entityId: ENTITY_ID, keyPair: first });
  return idp.metadata({ ssoUrl: SSO_URL, bindings: ['redirect'], ...options });
}

/** An endpoint by the end of the URI of its binding, such as HTTP-Redirect. */
function at(name: string, binding: string, url: string, responseUrl?: string): string {
  return endpoint(name, `urn:oasis:names:tc:SAML:2.0:bindings:${binding}`, url, responseUrl);
}

function trustOf(xml: string, keys: MetadataKeys = REDIRECT) {
  const reading = readMetadata(xml, keys);
  if ('problem' in reading) throw new Error(reading.problem);
  return reading.trust;
}

function names(pems: readonly string[]): readonly string[] {
  return pems.map((pem) => certificateFacts(pem).subject);
}

describe('readMetadata', () => {
  it('reads entity id, single sign-on endpoint and certificate', () => {
    const trust = trustOf(simple());

    expect(trust).toEqual({
      entityId: ENTITY_ID,
      sso: { url: SSO_URL, binding: 'redirect' },
      certificates: [first.certificate],
    });
  });

  it.each([
    ['redirect', { url: 'https://idp.example/r', binding: 'redirect' }],
    ['post', { url: 'https://idp.example/p', binding: 'post' }],
  ] as const)('selects the single sign-on endpoint of the configured binding: %s', (binding, sso) => {
    const endpoints =
      at('SingleSignOnService', 'SOAP', 'https://idp.example/s') +
      at('SingleSignOnService', 'HTTP-POST', 'https://idp.example/p') +
      at('SingleSignOnService', 'HTTP-Redirect', 'https://idp.example/r');

    expect(trustOf(simple({ endpoints }), { ssoBinding: binding }).sso).toEqual(sso);
  });

  it('uses the other binding with a warning if the configured one is not offered', () => {
    const reading = readMetadata(simple(), { ssoBinding: 'post' });

    expect(reading).toMatchObject({
      trust: { sso: { url: SSO_URL, binding: 'redirect' } },
      warnings: ['Single sign-on is offered by redirect only, not by post'],
    });
  });

  it('reads Location and ResponseLocation of single logout, by HTTP-Redirect if offered', () => {
    const endpoints =
      at('SingleLogoutService', 'HTTP-POST', 'https://idp.example/p') +
      at('SingleLogoutService', 'HTTP-Redirect', 'https://idp.example/l', 'https://idp.example/a') +
      at('SingleSignOnService', 'HTTP-Redirect', SSO_URL);

    expect(trustOf(simple({ endpoints })).slo).toEqual({
      url: 'https://idp.example/l',
      binding: 'redirect',
      responseUrl: 'https://idp.example/a',
    });
  });

  it('reads single logout by HTTP-POST if that is all, and ignores other bindings', () => {
    const sso = at('SingleSignOnService', 'HTTP-Redirect', SSO_URL);
    const soap = at('SingleLogoutService', 'SOAP', 'https://idp.example/s');
    const post = at('SingleLogoutService', 'HTTP-POST', 'https://idp.example/p');

    expect(trustOf(simple({ endpoints: soap + post + sso })).slo).toEqual({
      url: 'https://idp.example/p',
      binding: 'post',
    });
    expect(trustOf(simple({ endpoints: soap + sso })).slo).toBeUndefined();
  });

  it('reads the certificates for signing and for any use, but not those for encryption', () => {
    const other = makeKeyPair('encryption');
    const keys =
      keyDescriptor(other.certificate, 'encryption') +
      keyDescriptor(second.certificate, null) +
      keyDescriptor(first.certificate);

    expect(names(trustOf(simple({ keys })).certificates)).toEqual(['CN=second', 'CN=first']);
  });

  it('reads a certificate whose names are all in its extension', () => {
    const nameless = makeCertificate({ key: 'rsa', subject: '/', names: 'DNS:idp.example' });

    const { certificates } = trustOf(simple({ keys: keyDescriptor(nameless.pem) }));

    expect(names(certificates)).toEqual(['DNS:idp.example', 'CN=first']);
  });

  it('M3: omits certificates that cannot verify signatures, with a warning that names them', () => {
    const keys =
      keyDescriptor(makeCertificate({ key: 'ec' }).pem) +
      keyDescriptor(makeCertificate({ key: 'short-rsa' }).pem) +
      keyDescriptor('AAAA');

    const reading = readMetadata(simple({ keys }), REDIRECT);

    expect(reading).toMatchObject({
      trust: { certificates: [first.certificate] },
      warnings: [
        'Signing certificate 1 is ignored: the certificate CN=login.test has a key of type ec, not RSA',
        'Signing certificate 2 is ignored: the certificate CN=login.test has an RSA key of 1024 bits, not at least 2048',
        'Signing certificate 3 is ignored: a certificate cannot be read',
      ],
    });
  });

  it.each([
    [
      'the lines of a PEM text',
      (base64: string) => `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    ],
    [
      'the lines of a PEM text without line breaks',
      (base64: string) => `-----BEGIN CERTIFICATE-----${base64}-----END CERTIFICATE-----`,
    ],
    ['line breaks and blanks', (base64: string) => `\n  ${base64.replaceAll(/.{64}/g, '$&\n    ')}\n`],
  ])('M3: reads a certificate with %s', (_, written) => {
    const xml = simple().replace(
      /(<ds:X509Certificate>)([^<]+)/,
      (__, tag: string, base64: string) => tag + written(base64),
    );

    expect(readMetadata(xml, REDIRECT)).toMatchObject({ trust: { certificates: [first.certificate] }, warnings: [] });
  });

  // A search for the end of the blanks from each of them took minutes.
  it.each([
    ['a certificate', /(<ds:X509Certificate>)([^<]+)/, `-----BEGIN CERTIFICATE-----${' '.repeat(5000)}-`],
    ['a URL', /( Location=")([^"]+)/, `https://idp.example/${' '.repeat(100_000)}x`],
  ])('C3: many blanks in %s of the metadata take little time', (_, place, written) => {
    const xml = simple().replace(place, (__, before: string) => before + written);
    // Processor time: other programs on the machine do not count.
    const before = process.cpuUsage();

    readMetadata(xml, REDIRECT);

    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });

  it('M3: blanks around URIs, dates and durations do not belong to them', () => {
    const endpoints =
      at('SingleSignOnService', 'HTTP-Redirect', ` ${SSO_URL}\n`) +
      at('SingleLogoutService', 'HTTP-Redirect', ' https://idp.example/l', 'https://idp.example/a ');
    const xml = simple({
      endpoints,
      entityId: ` ${ENTITY_ID} `,
      validUntil: ' 2027-01-01T00:00:00Z ',
      cacheDuration: ' PT2H ',
    });

    expect(readMetadata(xml, { ...REDIRECT, entityId: ENTITY_ID })).toMatchObject({
      trust: {
        entityId: ENTITY_ID,
        sso: { url: SSO_URL },
        slo: { url: 'https://idp.example/l', responseUrl: 'https://idp.example/a' },
        validUntil: Date.UTC(2027, 0, 1),
      },
      cacheDurationSeconds: 7200,
      warnings: [],
    });
  });

  it('takes the earliest validUntil and the shortest cacheDuration of all outer elements', () => {
    const entity = simple({
      validUntil: '2027-01-01T00:00:00Z',
      cacheDuration: 'PT2H',
      roleAttributes: 'validUntil="2027-02-01T00:00:00+01:00" cacheDuration="P1D"',
    });

    const reading = readMetadata(entitiesDescriptor([entity], { validUntil: '2026-12-24T18:00:00.5Z' }), REDIRECT);

    expect(reading).toMatchObject({
      trust: { validUntil: Date.UTC(2026, 11, 24, 18, 0, 0, 500) },
      cacheDurationSeconds: 7200,
    });
  });

  it('reads assurance profiles from certification and entity categories', () => {
    const entityAttributes = {
      [ASSURANCE]: [' https://refeds.org/sirtfi '],
      'http://macedir.org/entity-category-support': [
        'http://refeds.org/category/research-and-scholarship',
        ' https://refeds.org/profile/mfa ',
      ],
      'urn:other': ['https://refeds.org/profile/sfa'],
    };

    const reading = readMetadata(simple({ entityAttributes }), REDIRECT);

    expect(reading).toMatchObject({
      assuranceProfiles: ['https://refeds.org/sirtfi', 'https://refeds.org/profile/mfa'],
    });
  });

  it('selects one of several entities by entity-id, at any depth', () => {
    const inner = entitiesDescriptor([simple({ entityId: 'urn:b' }), simple({ entityId: 'urn:c' })]);

    const trust = trustOf(entitiesDescriptor([simple({ entityId: 'urn:a' }), inner]), {
      ...REDIRECT,
      entityId: 'urn:c',
    });

    expect(trust.entityId).toBe('urn:c');
  });

  it('needs no entity-id if only one of several entities is an identity provider', () => {
    const provider = simple().replaceAll('IDPSSODescriptor', 'SPSSODescriptor').replace(ENTITY_ID, 'urn:sp');

    expect(trustOf(entitiesDescriptor([provider, simple()])).entityId).toBe(ENTITY_ID);
  });
});

describe('readMetadata with unusable metadata', () => {
  it.each([
    ['not SAML metadata', () => '<html/>'],
    ['empty', () => ''],
    ['empty', () => '<!-- nothing -->'],
    ['not well-formed XML (line 1)', () => simple().slice(0, -3)],
    ['not well-formed XML (line 1)', () => '<a>'.repeat(50)],
    ['not well-formed XML (line 1)', () => simple().replace(ENTITY_ID, '&other;')],
    ['contains a DOCTYPE', () => `<!DOCTYPE a [<!ENTITY b "c">]>${simple()}`],
    ['elements are nested more than 100 levels deep', () => '<a>'.repeat(200) + '</a>'.repeat(200)],
    ['larger than 5 MB', () => simple() + ' '.repeat(5 * 1024 * 1024)],
    ['not in UTF-8', () => `<?xml version="1.0" encoding="ISO-8859-1"?>${simple()}`],
    ['not SAML metadata', () => entitiesDescriptor([])],
    ['contains no identity provider', () => simple().replaceAll('IDPSSODescriptor', 'SPSSODescriptor')],
    ['contains no SAML 2.0 identity provider', () => simple().replace('SAML:2.0:protocol', 'SAML:1.1:protocol')],
    ['contains no single sign-on URL for HTTP-Redirect or HTTP-POST', () => simple({ endpoints: '' })],
    ['contains no certificate that can verify signatures', () => simple({ certificates: [] })],
    ['validUntil is not a date and time', () => simple({ validUntil: 'tomorrow' })],
    [
      'contains 2 identity providers; set entity-id to select one',
      () => entitiesDescriptor([simple(), simple({ entityId: 'urn:b' })]),
    ],
  ])('rejects metadata with the problem: %s', (problem, xml) => {
    expect(readMetadata(xml(), REDIRECT)).toEqual({ problem });
  });

  it.each(['javascript:alert(1)', 'https://idp.example/a#b', 'ftp://idp.example', '/sso'])(
    'M3: rejects single sign-on at %s, which the problem names',
    (location) => {
      const endpoints = at('SingleSignOnService', 'HTTP-POST', location);

      expect(readMetadata(simple({ endpoints }), REDIRECT)).toEqual({
        problem:
          'contains no single sign-on URL for HTTP-Redirect or HTTP-POST; ' +
          `SingleSignOnService by post is ignored: it is not an http or https URL: ${location}`,
      });
    },
  );

  it('M3: rejects an empty Location, or a long one of control characters', () => {
    const problem = (location: string) =>
      readMetadata(simple({ endpoints: at('SingleSignOnService', 'HTTP-POST', location) }), REDIRECT);

    expect(problem(' ')).toMatchObject({ problem: expect.stringMatching(/ignored: its Location is empty$/) as string });
    expect(problem(`\u202e${'x'.repeat(200)}`)).toMatchObject({
      problem: expect.stringMatching(/https URL: \?x{119}$/) as string,
    });
  });

  it('M3: rejects metadata without a usable certificate, and names the first three that it ignores', () => {
    const { pem } = makeCertificate({ key: 'ec' });
    const keys = keyDescriptor(pem).repeat(4);

    expect(readMetadata(simple({ keys, certificates: [] }), REDIRECT)).toEqual({
      problem: [
        'contains no certificate that can verify signatures',
        ...[1, 2, 3].map(
          (at) => `Signing certificate ${at} is ignored: the certificate CN=login.test has a key of type ec, not RSA`,
        ),
      ].join('; '),
    });
  });

  it('rejects metadata without the entity of entity-id, or with two of them', () => {
    const wanted = { ...REDIRECT, entityId: 'urn:b' };
    const twice = entitiesDescriptor([simple({ entityId: 'urn:b' }), simple({ entityId: 'urn:b' })]);

    expect(readMetadata(simple(), wanted)).toEqual({ problem: 'contains no entity urn:b' });
    expect(readMetadata(twice, wanted)).toEqual({ problem: 'contains more than one entity urn:b' });
  });
});

describe('readMetadata with metadata-certificate', () => {
  const signedBy = (): MetadataKeys => ({ ...REDIRECT, metadataCertificate: first.certificate + second.certificate });
  const OTHER = { problem: 'its signature does not verify with metadata-certificate' };
  const UNSIGNED = { problem: 'its root element has no signature, or more than one' };

  it('reads metadata that one of the certificates verifies', () => {
    const signed = simple({ signedBy: second });

    expect(trustOf(signed, signedBy()).entityId).toBe(ENTITY_ID);
  });

  it('rejects metadata without a signature, or with one of an inner entity', () => {
    const inner = simple({ signedBy: first });

    expect(readMetadata(simple(), signedBy())).toEqual(UNSIGNED);
    expect(readMetadata(entitiesDescriptor([inner]), signedBy())).toEqual(UNSIGNED);
  });

  it('X5: rejects a signature by another key, whatever KeyInfo states', () => {
    const other = makeKeyPair('other');
    const withOwn = simple({ signedBy: other });
    const withOurs = simple({ signedBy: other, signature: { keyInfo: first.certificate } });

    expect(readMetadata(withOwn, signedBy())).toEqual(OTHER);
    expect(readMetadata(withOurs, signedBy())).toEqual(OTHER);
  });

  it('X1: rejects metadata that was changed after signing', () => {
    const signed = simple({ signedBy: first }).replace(SSO_URL, 'https://idp.example/sss');

    expect(readMetadata(signed, signedBy())).toEqual(OTHER);
  });

  it('X2: rejects a signature of another element than the root', () => {
    const honest = simple({ signedBy: first });
    const signature = part(honest, 'ds:Signature');
    const both = entitiesDescriptor([simple({ entityId: 'urn:evil' }), replaced(honest, signature, '')]);
    const signed = replaced(both, '<md:EntityDescriptor', `${signature}<md:EntityDescriptor`);

    expect(readMetadata(signed, { ...signedBy(), entityId: 'urn:evil' })).toEqual({
      problem: 'its signature does not cover the root element',
    });
  });

  it.each([
    ['signature', { algorithm: 'rsa-sha1' }],
    ['digest', { digest: 'sha1' }],
  ] as const)('X5: rejects SHA-1 in the %s', (_, signature) => {
    const signed = simple({ signedBy: first, signature });

    expect(readMetadata(signed, signedBy())).toEqual({
      problem: 'its signature uses an algorithm that is not accepted, such as SHA-1',
    });
  });

  it('X12: rejects additional transforms', () => {
    const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
    const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
    const signed = simple({ signedBy: first, signature: { transforms: [enveloped, exclusive, exclusive] } });

    expect(readMetadata(signed, signedBy())).toEqual({
      problem: 'its signature has transforms that are not allowed',
    });
  });
});
