import { ServiceProvider as SamlifyServiceProvider } from 'samlify';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeKeyPair } from '../../../../test/support/saml/identity-provider.js';
import { encryptAssertion } from '../../../../test/support/saml/saml-encryption.js';
import {
  bare,
  BINDING_URI,
  elementsOf,
  type KeyPair,
  PERSISTENT,
  rootOf,
} from '../../../../test/support/saml/saml-xml.js';
import { readXml } from '../xml/xml-reader.js';
import { serviceProviderMetadata } from './sp-metadata.js';

const BARE = {
  entityId: 'https://login.test/saml/corp/metadata',
  acsUrl: 'https://login.test/saml/corp/acs',
  sloUrl: 'https://login.test/saml/corp/slo',
};

let keys: KeyPair;

beforeAll(() => {
  keys = makeKeyPair('login.test');
});

function attributesOf(xml: string, name: string): readonly Readonly<Record<string, string>>[] {
  return elementsOf(rootOf(xml), 'metadata', name).map(({ attributes }) =>
    Object.fromEntries(Array.from(attributes, ({ name: attribute, value }) => [attribute, value])),
  );
}

describe('serviceProviderMetadata', () => {
  it('states the entity id, the ACS URL and the NameID format', () => {
    const xml = serviceProviderMetadata(BARE, PERSISTENT);

    expect(rootOf(xml).getAttribute('entityID')).toBe(BARE.entityId);
    expect(attributesOf(xml, 'SPSSODescriptor')).toEqual([
      {
        protocolSupportEnumeration: 'urn:oasis:names:tc:SAML:2.0:protocol',
        AuthnRequestsSigned: 'false',
        WantAssertionsSigned: 'true',
      },
    ]);
    expect(attributesOf(xml, 'AssertionConsumerService')).toEqual([
      { Binding: BINDING_URI.post, Location: BARE.acsUrl, index: '0', isDefault: 'true' },
    ]);
    expect(elementsOf(rootOf(xml), 'metadata', 'NameIDFormat').map(({ textContent }) => textContent)).toEqual([
      PERSISTENT,
    ]);
  });

  it('has no KeyDescriptor and no SingleLogoutService without a key', () => {
    const xml = serviceProviderMetadata(BARE, null);

    for (const name of ['KeyDescriptor', 'SingleLogoutService', 'NameIDFormat']) {
      expect(attributesOf(xml, name), name).toEqual([]);
    }
  });

  it('states signed requests, the certificate for both uses, and single logout if there is a key', () => {
    const xml = serviceProviderMetadata({ ...BARE, keys }, PERSISTENT);

    expect(attributesOf(xml, 'SPSSODescriptor')).toMatchObject([{ AuthnRequestsSigned: 'true' }]);
    expect(attributesOf(xml, 'KeyDescriptor')).toEqual([{ use: 'signing' }, { use: 'encryption' }]);
    const certificates = elementsOf(rootOf(xml), 'signature', 'X509Certificate').map(({ textContent }) => textContent);
    expect(certificates).toEqual([bare(keys.certificate), bare(keys.certificate)]);
    expect(attributesOf(xml, 'SingleLogoutService')).toEqual([
      { Binding: BINDING_URI.redirect, Location: BARE.sloUrl },
      { Binding: BINDING_URI.post, Location: BARE.sloUrl },
    ]);
  });

  it('does not contain the private key', () => {
    expect(serviceProviderMetadata({ ...BARE, keys }, PERSISTENT)).not.toContain(bare(keys.privateKey).slice(-60, -10));
  });

  it('offers only AES-GCM with RSA-OAEP', () => {
    const offered = attributesOf(serviceProviderMetadata({ ...BARE, keys }, null), 'EncryptionMethod').map(
      ({ Algorithm }) => Algorithm ?? '',
    );

    expect(offered).toEqual([
      'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      'http://www.w3.org/2009/xmlenc11#aes128-gcm',
      'http://www.w3.org/2009/xmlenc11#rsa-oaep',
      'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    ]);
    const encrypted = encryptAssertion('<x/>', keys.certificate, { content: 'aes256-gcm' });
    expect(offered.filter((algorithm) => encrypted.includes(`"${algorithm}"`))).toHaveLength(2);
  });

  it('has its elements in the order of the schema', () => {
    const [role] = elementsOf(
      rootOf(serviceProviderMetadata({ ...BARE, keys }, PERSISTENT)),
      'metadata',
      'SPSSODescriptor',
    );
    const names = Array.from(role?.childNodes ?? [], ({ nodeName }) => nodeName).filter((name) => name !== '#text');

    expect(names).toEqual([
      ...['md:KeyDescriptor', 'md:KeyDescriptor', 'md:SingleLogoutService', 'md:SingleLogoutService'],
      ...['md:NameIDFormat', 'md:AssertionConsumerService'],
    ]);
  });

  it('escapes special characters in the entity id', () => {
    const entityId = 'https://login.test/?a=1&b="<>\'';

    const xml = serviceProviderMetadata({ ...BARE, entityId }, null);

    expect(rootOf(xml).getAttribute('entityID')).toBe(entityId);
    expect(readXml(xml)).toMatchObject({ name: 'EntityDescriptor', attributes: new Map([['entityID', entityId]]) });
  });

  it('is read correctly by samlify', () => {
    const sp = SamlifyServiceProvider({ metadata: serviceProviderMetadata({ ...BARE, keys }, PERSISTENT) });
    const { entityMeta } = sp;

    expect(entityMeta.getEntityID()).toBe(BARE.entityId);
    expect(entityMeta.getAssertionConsumerService('post')).toBe(BARE.acsUrl);
    expect(entityMeta.getSingleLogoutService('redirect')).toBe(BARE.sloUrl);
    expect(entityMeta.getSingleLogoutService('post')).toBe(BARE.sloUrl);
    expect(entityMeta.isWantAssertionsSigned()).toBe(true);
    expect(entityMeta.isAuthnRequestSigned()).toBe(true);
    expect(entityMeta.getX509Certificate('signing')).toBe(bare(keys.certificate));
    expect(entityMeta.getX509Certificate('encryption')).toBe(bare(keys.certificate));
    expect(entityMeta.getNameIDFormat()).toBe(PERSISTENT);
  });
});
