import { beforeAll, describe, expect, it } from 'vitest';
import {
  aggregateOf,
  ENTITY_ID,
  endpoint,
  base64,
  keyDescriptor,
  madeRsa,
  metadataOf,
  signedMetadata,
  SSO_URL,
} from '../../test/support/idp-metadata.js';
import { makeCertificate } from '../../test/support/certificates.js';
import { certificateFacts } from './idp-certificates.js';
import { readMetadata, type Wanted } from './idp-metadata.js';

const REDIRECT: Wanted = { binding: 'redirect' };
const certificates: { first: ReturnType<typeof madeRsa>; second: ReturnType<typeof madeRsa> } = {
  first: { pem: '', key: '' },
  second: { pem: '', key: '' },
};

beforeAll(() => {
  certificates.first = madeRsa('first');
  certificates.second = madeRsa('second');
});

function simple(parts: Parameters<typeof metadataOf>[0] = {}): string {
  return metadataOf({ certificates: [certificates.first.pem], ...parts });
}

function trustOf(xml: string, wanted: Wanted = REDIRECT) {
  const reading = readMetadata(xml, wanted);
  if ('fault' in reading) throw new Error(reading.fault);
  return reading.trust;
}

function names(pems: readonly string[]): readonly string[] {
  return pems.map((pem) => certificateFacts(pem).subject);
}

describe('metadata of an identity provider', () => {
  it('say its name, its single sign-on and its certificate', () => {
    const trust = trustOf(simple());

    expect(trust).toEqual({
      entityId: ENTITY_ID,
      sso: { url: SSO_URL, binding: 'redirect' },
      certificates: [certificates.first.pem],
    });
  });

  it.each([
    ['redirect', { url: 'https://idp.example/r', binding: 'redirect' }],
    ['post', { url: 'https://idp.example/p', binding: 'post' }],
  ] as const)('offer single sign-on by the binding that is wanted: %s', (binding, sso) => {
    const services =
      endpoint('SingleSignOnService', 'SOAP', 'https://idp.example/s') +
      endpoint('SingleSignOnService', 'HTTP-POST', 'https://idp.example/p') +
      endpoint('SingleSignOnService', 'HTTP-Redirect', 'https://idp.example/r');

    expect(trustOf(simple({ services }), { binding }).sso).toEqual(sso);
  });

  it('serve with the other binding where the wanted one is not offered, and say so', () => {
    const reading = readMetadata(simple(), { binding: 'post' });

    expect(reading).toMatchObject({
      trust: { sso: { url: SSO_URL, binding: 'redirect' } },
      warnings: ['Single sign-on is offered by redirect alone, not by post'],
    });
  });

  it('name where logout messages and their answers go, by HTTP-Redirect', () => {
    const services =
      endpoint('SingleLogoutService', 'HTTP-POST', 'https://idp.example/p') +
      endpoint(
        'SingleLogoutService',
        'HTTP-Redirect',
        'https://idp.example/l',
        'ResponseLocation="https://idp.example/a"',
      ) +
      endpoint('SingleSignOnService', 'HTTP-Redirect', SSO_URL);

    expect(trustOf(simple({ services })).slo).toEqual({
      url: 'https://idp.example/l',
      binding: 'redirect',
      responseUrl: 'https://idp.example/a',
    });
  });

  it('name where logout messages go by HTTP-POST where that alone is offered, and nothing for other bindings', () => {
    const sso = endpoint('SingleSignOnService', 'HTTP-Redirect', SSO_URL);
    const soap = endpoint('SingleLogoutService', 'SOAP', 'https://idp.example/s');
    const post = endpoint('SingleLogoutService', 'HTTP-POST', 'https://idp.example/p');

    expect(trustOf(simple({ services: soap + post + sso })).slo).toEqual({
      url: 'https://idp.example/p',
      binding: 'post',
    });
    expect(trustOf(simple({ services: soap + sso })).slo).toBeUndefined();
  });

  it('give the certificates for signing and for everything, each once, and not those for encryption', () => {
    const { first, second } = certificates;
    const other = madeRsa('encryption');
    const keys =
      keyDescriptor(other.pem, 'use="encryption"') + keyDescriptor(second.pem, '') + keyDescriptor(first.pem);

    expect(names(trustOf(simple({ keys })).certificates)).toEqual(['CN=second', 'CN=first']);
  });

  it('leave out certificates that no signature can be checked with, and say so', () => {
    const keys =
      keyDescriptor(makeCertificate({ key: 'ec' }).pem) +
      keyDescriptor(makeCertificate({ key: 'short-rsa' }).pem) +
      keyDescriptor('AAAA');

    const reading = readMetadata(simple({ keys }), REDIRECT);

    expect(reading).toMatchObject({
      trust: { certificates: [certificates.first.pem] },
      warnings: [
        'A certificate is left out: the key of a certificate in it is of the kind ec, not RSA',
        'A certificate is left out: the RSA key of a certificate in it has 1024 bits, not at least 2048',
        'A certificate is left out: a certificate in it cannot be read',
      ],
    });
  });

  it('end at the earliest of all that they stand in, and are kept no longer than the shortest of them says', () => {
    const entity = simple({
      validUntil: '2027-01-01T00:00:00Z',
      cacheDuration: 'PT2H',
      roleAttributes: 'validUntil="2027-02-01T00:00:00+01:00" cacheDuration="P1D"',
    });

    const reading = readMetadata(aggregateOf([entity], 'validUntil="2026-12-24T18:00:00.5Z"'), REDIRECT);

    expect(reading).toMatchObject({
      trust: { validUntil: Date.UTC(2026, 11, 24, 18, 0, 0, 500) },
      cacheDurationSeconds: 7200,
    });
  });

  it('state assurance profiles by certification and by entity category', () => {
    const attribute = (name: string, ...values: readonly string[]): string =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue> ${value} </saml:AttributeValue>`).join('')}</saml:Attribute>`;
    const before =
      '<md:Extensions><mdattr:EntityAttributes>' +
      attribute('urn:oasis:names:tc:SAML:attribute:assurance-certification', 'https://refeds.org/sirtfi') +
      attribute(
        'http://macedir.org/entity-category-support',
        'http://refeds.org/category/research-and-scholarship',
        'https://refeds.org/profile/mfa',
      ) +
      attribute('urn:other', 'https://refeds.org/profile/sfa') +
      '</mdattr:EntityAttributes></md:Extensions>';

    const reading = readMetadata(simple({ before }), REDIRECT);

    expect(reading).toMatchObject({
      assuranceProfiles: ['https://refeds.org/sirtfi', 'https://refeds.org/profile/mfa'],
    });
  });

  it('of several are chosen by entity-id, however deep it stands', () => {
    const inner = aggregateOf([simple({ entityId: 'urn:b' }), simple({ entityId: 'urn:c' })]);

    const trust = trustOf(aggregateOf([simple({ entityId: 'urn:a' }), inner]), { ...REDIRECT, entityId: 'urn:c' });

    expect(trust.entityId).toBe('urn:c');
  });

  it('need no entity-id where only one of several entities is an identity provider', () => {
    const provider = simple().replaceAll('IDPSSODescriptor', 'SPSSODescriptor').replace(ENTITY_ID, 'urn:sp');

    expect(trustOf(aggregateOf([provider, simple()])).entityId).toBe(ENTITY_ID);
  });
});

describe('metadata cannot be used', () => {
  it.each([
    ['they are no SAML metadata', () => '<html/>'],
    ['they are empty', () => ''],
    ['they are empty', () => '<!-- nothing -->'],
    ['they are not well-formed XML (line 1)', () => simple().slice(0, -3)],
    ['they are not well-formed XML (line 1)', () => '<a>'.repeat(50)],
    ['they are not well-formed XML (line 1)', () => simple({ entityId: '&other;' })],
    ['they have a DOCTYPE', () => `<!DOCTYPE a [<!ENTITY b "c">]>${simple()}`],
    ['their elements stand more than 100 deep in each other', () => '<a>'.repeat(200) + '</a>'.repeat(200)],
    ['they are larger than 5 MB', () => simple() + ' '.repeat(5 * 1024 * 1024)],
    ['they are not in UTF-8', () => `<?xml version="1.0" encoding="ISO-8859-1"?>${simple()}`],
    ['they are no SAML metadata', () => aggregateOf([])],
    ['they describe no identity provider', () => simple().replaceAll('IDPSSODescriptor', 'SPSSODescriptor')],
    [
      'they describe no identity provider of SAML 2.0',
      () => simple().replace('SAML:2.0:protocol', 'SAML:1.1:protocol'),
    ],
    ['they name no single sign-on by HTTP-Redirect or HTTP-POST at a URL', () => simple({ services: '' })],
    ['they hold no certificate that signatures can be checked with', () => metadataOf({})],
    ['their validUntil is no instant', () => simple({ validUntil: 'tomorrow' })],
    [
      'they describe 2 identity providers; entity-id says which one is meant',
      () => aggregateOf([simple(), simple({ entityId: 'urn:b' })]),
    ],
  ])('%s', (fault, xml) => {
    expect(readMetadata(xml(), REDIRECT)).toEqual({ fault });
  });

  it.each(['javascript:alert(1)', 'https://idp.example/a#b', 'ftp://idp.example', '/sso'])(
    'where single sign-on is at %s',
    (location) => {
      const services = endpoint('SingleSignOnService', 'HTTP-POST', location);

      expect(readMetadata(simple({ services }), REDIRECT)).toEqual({
        fault: 'they name no single sign-on by HTTP-Redirect or HTTP-POST at a URL',
      });
    },
  );

  it('where entity-id names another one, or one that is there twice', () => {
    const wanted = { ...REDIRECT, entityId: 'urn:b' };
    const twice = aggregateOf([simple({ entityId: 'urn:b' }), simple({ entityId: 'urn:b' })]);

    expect(readMetadata(simple(), wanted)).toEqual({ fault: 'they describe no entity urn:b' });
    expect(readMetadata(twice, wanted)).toEqual({ fault: 'they describe more than one entity urn:b' });
  });
});

describe('signed metadata', () => {
  const signedBy = (): Wanted => ({ ...REDIRECT, signedBy: [certificates.first.pem, certificates.second.pem] });
  const OTHER = { fault: 'their signature is not one by metadata-certificate of what they say' };
  const UNSIGNED = { fault: 'their root is not signed, or more than once' };

  it('are read where one of the certificates has signed them', () => {
    const signed = signedMetadata(simple(), certificates.second.key);

    expect(trustOf(signed, signedBy()).entityId).toBe(ENTITY_ID);
  });

  it('are refused without a signature, and with one of an inner entity', () => {
    const inner = signedMetadata(simple(), certificates.first.key);

    expect(readMetadata(simple(), signedBy())).toEqual(UNSIGNED);
    expect(readMetadata(aggregateOf([inner]), signedBy())).toEqual(UNSIGNED);
  });

  it('X5: are refused where another key has signed them, whatever KeyInfo says', () => {
    const { key, pem } = madeRsa('other');
    const signed = signedMetadata(simple(), key).replace(
      '</SignatureValue>',
      `</SignatureValue><KeyInfo><X509Data><X509Certificate>${base64(pem)}</X509Certificate></X509Data></KeyInfo>`,
    );

    expect(readMetadata(signed, signedBy())).toEqual(OTHER);
  });

  it('X1: are refused where a letter was changed afterwards', () => {
    const signed = signedMetadata(simple(), certificates.first.key).replace(SSO_URL, 'https://idp.example/sss');

    expect(readMetadata(signed, signedBy())).toEqual(OTHER);
  });

  it('X2: are refused where the signature is of another element than the root', () => {
    const both = aggregateOf([simple({ entityId: 'urn:evil' }), simple()]);
    const signed = signedMetadata(both.replace('"_entity"', '"_evil"'), certificates.first.key, {
      xpath: '//*[@ID="_entity"]',
    });

    expect(readMetadata(signed, { ...signedBy(), entityId: 'urn:evil' })).toEqual({
      fault: 'their signature is not of their root',
    });
  });

  it.each([
    ['signature', { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }],
    ['digest', { digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' }],
  ])('X5: are refused with SHA-1 in the %s', (_, options) => {
    const signed = signedMetadata(simple(), certificates.first.key, options);

    expect(readMetadata(signed, signedBy())).toEqual({
      fault: 'their signature has an algorithm that is refused, such as SHA-1',
    });
  });

  it('X12: are refused with transforms that no signature of metadata needs', () => {
    const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
    const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
    const signed = signedMetadata(simple(), certificates.first.key, {
      transforms: [enveloped, exclusive, exclusive],
    });

    expect(readMetadata(signed, signedBy())).toEqual({
      fault: 'their signature has transforms that no signature of metadata needs',
    });
  });
});
