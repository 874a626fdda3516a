import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../test/support/certificates.js';
import { IdentityProvider, makeKeyPair } from '../../../test/support/identity-provider.js';
import {
  ASSURANCE,
  endpoint,
  entitiesDescriptor,
  keyDescriptor,
  type MetadataOptions,
} from '../../../test/support/saml-metadata.js';
import { type KeyPair, part, replaced } from '../../../test/support/saml-xml.js';
import { certificateFacts } from './idp-trust.js';
import { readMetadata, type MetadataSelection } from './idp-metadata.js';

const REDIRECT: MetadataSelection = { binding: 'redirect' };
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

function trustOf(xml: string, wanted: MetadataSelection = REDIRECT) {
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
      certificates: [first.certificate],
    });
  });

  it.each([
    ['redirect', { url: 'https://idp.example/r', binding: 'redirect' }],
    ['post', { url: 'https://idp.example/p', binding: 'post' }],
  ] as const)('offer single sign-on by the binding that is wanted: %s', (binding, sso) => {
    const endpoints =
      at('SingleSignOnService', 'SOAP', 'https://idp.example/s') +
      at('SingleSignOnService', 'HTTP-POST', 'https://idp.example/p') +
      at('SingleSignOnService', 'HTTP-Redirect', 'https://idp.example/r');

    expect(trustOf(simple({ endpoints }), { binding }).sso).toEqual(sso);
  });

  it('serve with the other binding where the wanted one is not offered, and say so', () => {
    const reading = readMetadata(simple(), { binding: 'post' });

    expect(reading).toMatchObject({
      trust: { sso: { url: SSO_URL, binding: 'redirect' } },
      warnings: ['Single sign-on is offered by redirect only, not by post'],
    });
  });

  it('name where logout messages and their answers go, by HTTP-Redirect', () => {
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

  it('name where logout messages go by HTTP-POST where that alone is offered, and nothing for other bindings', () => {
    const sso = at('SingleSignOnService', 'HTTP-Redirect', SSO_URL);
    const soap = at('SingleLogoutService', 'SOAP', 'https://idp.example/s');
    const post = at('SingleLogoutService', 'HTTP-POST', 'https://idp.example/p');

    expect(trustOf(simple({ endpoints: soap + post + sso })).slo).toEqual({
      url: 'https://idp.example/p',
      binding: 'post',
    });
    expect(trustOf(simple({ endpoints: soap + sso })).slo).toBeUndefined();
  });

  it('give the certificates for signing and for everything, each once, and not those for encryption', () => {
    const other = makeKeyPair('encryption');
    const keys =
      keyDescriptor(other.certificate, 'encryption') +
      keyDescriptor(second.certificate, null) +
      keyDescriptor(first.certificate);

    expect(names(trustOf(simple({ keys })).certificates)).toEqual(['CN=second', 'CN=first']);
  });

  it('leave out certificates that no signature can be checked with, and say so', () => {
    const keys =
      keyDescriptor(makeCertificate({ key: 'ec' }).pem) +
      keyDescriptor(makeCertificate({ key: 'short-rsa' }).pem) +
      keyDescriptor('AAAA');

    const reading = readMetadata(simple({ keys }), REDIRECT);

    expect(reading).toMatchObject({
      trust: { certificates: [first.certificate] },
      warnings: [
        'A certificate is ignored: the key of a certificate in it is of the kind ec, not RSA',
        'A certificate is ignored: the RSA key of a certificate in it has 1024 bits, not at least 2048',
        'A certificate is ignored: a certificate in it cannot be read',
      ],
    });
  });

  it('end at the earliest of all that they stand in, and are kept no longer than the shortest of them says', () => {
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

  it('state assurance profiles by certification and by entity category', () => {
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

  it('of several are chosen by entity-id, however deep it stands', () => {
    const inner = entitiesDescriptor([simple({ entityId: 'urn:b' }), simple({ entityId: 'urn:c' })]);

    const trust = trustOf(entitiesDescriptor([simple({ entityId: 'urn:a' }), inner]), {
      ...REDIRECT,
      entityId: 'urn:c',
    });

    expect(trust.entityId).toBe('urn:c');
  });

  it('need no entity-id where only one of several entities is an identity provider', () => {
    const provider = simple().replaceAll('IDPSSODescriptor', 'SPSSODescriptor').replace(ENTITY_ID, 'urn:sp');

    expect(trustOf(entitiesDescriptor([provider, simple()])).entityId).toBe(ENTITY_ID);
  });
});

describe('metadata cannot be used', () => {
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
  ])('%s', (fault, xml) => {
    expect(readMetadata(xml(), REDIRECT)).toEqual({ fault });
  });

  it.each(['javascript:alert(1)', 'https://idp.example/a#b', 'ftp://idp.example', '/sso'])(
    'where single sign-on is at %s',
    (location) => {
      const endpoints = at('SingleSignOnService', 'HTTP-POST', location);

      expect(readMetadata(simple({ endpoints }), REDIRECT)).toEqual({
        fault: 'contains no single sign-on URL for HTTP-Redirect or HTTP-POST',
      });
    },
  );

  it('where entity-id names another one, or one that is there twice', () => {
    const wanted = { ...REDIRECT, entityId: 'urn:b' };
    const twice = entitiesDescriptor([simple({ entityId: 'urn:b' }), simple({ entityId: 'urn:b' })]);

    expect(readMetadata(simple(), wanted)).toEqual({ fault: 'contains no entity urn:b' });
    expect(readMetadata(twice, wanted)).toEqual({ fault: 'contains more than one entity urn:b' });
  });
});

describe('signed metadata', () => {
  const signedBy = (): MetadataSelection => ({ ...REDIRECT, signedBy: [first.certificate, second.certificate] });
  const OTHER = { fault: 'its signature does not verify with metadata-certificate' };
  const UNSIGNED = { fault: 'its root element has no signature, or more than one' };

  it('are read where one of the certificates has signed them', () => {
    const signed = simple({ signedBy: second });

    expect(trustOf(signed, signedBy()).entityId).toBe(ENTITY_ID);
  });

  it('are refused without a signature, and with one of an inner entity', () => {
    const inner = simple({ signedBy: first });

    expect(readMetadata(simple(), signedBy())).toEqual(UNSIGNED);
    expect(readMetadata(entitiesDescriptor([inner]), signedBy())).toEqual(UNSIGNED);
  });

  it('X5: are refused where another key has signed them, whatever KeyInfo says', () => {
    const other = makeKeyPair('other');
    const withOwn = simple({ signedBy: other });
    const withOurs = simple({ signedBy: other, signature: { keyInfo: first.certificate } });

    expect(readMetadata(withOwn, signedBy())).toEqual(OTHER);
    expect(readMetadata(withOurs, signedBy())).toEqual(OTHER);
  });

  it('X1: are refused where a letter was changed afterwards', () => {
    const signed = simple({ signedBy: first }).replace(SSO_URL, 'https://idp.example/sss');

    expect(readMetadata(signed, signedBy())).toEqual(OTHER);
  });

  it('X2: are refused where the signature is of another element than the root', () => {
    const honest = simple({ signedBy: first });
    const signature = part(honest, 'ds:Signature');
    const both = entitiesDescriptor([simple({ entityId: 'urn:evil' }), replaced(honest, signature, '')]);
    const signed = replaced(both, '<md:EntityDescriptor', `${signature}<md:EntityDescriptor`);

    expect(readMetadata(signed, { ...signedBy(), entityId: 'urn:evil' })).toEqual({
      fault: 'its signature does not cover the root element',
    });
  });

  it.each([
    ['signature', { algorithm: 'rsa-sha1' }],
    ['digest', { digest: 'sha1' }],
  ] as const)('X5: are refused with SHA-1 in the %s', (_, signature) => {
    const signed = simple({ signedBy: first, signature });

    expect(readMetadata(signed, signedBy())).toEqual({
      fault: 'its signature uses an algorithm that is not accepted, such as SHA-1',
    });
  });

  it('X12: are refused with transforms that no signature of metadata needs', () => {
    const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
    const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
    const signed = simple({ signedBy: first, signature: { transforms: [enveloped, exclusive, exclusive] } });

    expect(readMetadata(signed, signedBy())).toEqual({
      fault: 'its signature has transforms that are not allowed',
    });
  });
});
