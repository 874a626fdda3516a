import { SAML, type SamlConfig } from '@node-saml/node-saml';
import { beforeAll, describe, expect, it } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { IdentityProvider, makeKeyPair } from './identity-provider.js';
import { encoded } from './saml-messages.js';
import type { ResponseOptions } from './saml-response.js';
import type { KeyPair } from './saml-xml.js';

const ACS_URL = 'https://login.test/saml/staff/acs';
const AUDIENCE = 'https://login.test/saml/staff/metadata';

describe('responses of the test identity provider', () => {
  let idp: IdentityProvider;
  let service: KeyPair;

  beforeAll(() => {
    idp = IdentityProvider.make();
    service = makeKeyPair('login.test');
  });

  function validated(xml: string, config: Partial<SamlConfig> = {}) {
    return new SAML({
      callbackUrl: ACS_URL,
      issuer: AUDIENCE,
      audience: AUDIENCE,
      idpIssuer: idp.entityId,
      idpCert: idp.certificate,
      decryptionPvk: service.privateKey,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      ...config,
    }).validatePostResponseAsync({ SAMLResponse: encoded(xml) });
  }

  const variants: readonly (readonly [string, Partial<ResponseOptions>, Partial<SamlConfig>])[] = [
    ['a signed assertion', {}, {}],
    ['a signed response', { signed: 'response' }, { wantAssertionsSigned: false, wantAuthnResponseSigned: true }],
    ['both signed', { signed: 'both' }, { wantAuthnResponseSigned: true }],
    ['RSA with SHA-512', { signed: 'both', signature: { algorithm: 'rsa-sha512', digest: 'sha512' } }, {}],
    ['no KeyInfo', { signature: { keyInfo: null } }, {}],
    ['inclusive canonicalization', { signature: { canonicalization: 'inclusive' } }, {}],
  ];

  it.each(variants)('node-saml accepts a response with %s', async (_name, options, config) => {
    const attributes = { mail: 'A & B <a@b.test>', groups: ['one', 'two'] };
    const xml = idp.response({ acsUrl: ACS_URL, audience: AUDIENCE, nameId: 'x"<&>', attributes, ...options });

    const { profile } = await validated(xml, config);

    expect(profile).toMatchObject({ nameID: 'x"<&>', mail: 'A & B <a@b.test>', groups: ['one', 'two'] });
    expect(profile?.getAssertionXml?.()).toContain('PasswordProtectedTransport');
  });

  it.each(['aes256-gcm', 'aes128-gcm', 'aes256-cbc'] as const)(
    'node-saml accepts a response encrypted with %s',
    async (content) => {
      const options = { acsUrl: ACS_URL, audience: AUDIENCE, encryptFor: service.certificate, encryption: { content } };

      const xml = idp.response({ ...options, signed: 'both', nameId: 'hidden' });

      expect(xml).not.toContain('hidden');
      expect((await validated(xml, { wantAuthnResponseSigned: true })).profile).toMatchObject({ nameID: 'hidden' });
    },
  );

  it.each(variants)('node-saml rejects an altered response with %s', async (_name, options, config) => {
    const xml = idp.response({ acsUrl: ACS_URL, audience: AUDIENCE, nameId: 'staff-1', ...options });

    await expect(validated(xml.replace('staff-1', 'staff-2'), config)).rejects.toThrow(
      /^Invalid (document )?signature/,
    );
  });

  it('node-saml rejects a response signed with a foreign key, even with the genuine KeyInfo', async () => {
    const keyPair = makeKeyPair('foreign.test');
    const signature = { keyPair, keyInfo: idp.certificate };

    const xml = idp.response({ acsUrl: ACS_URL, audience: AUDIENCE, signature });

    await expect(validated(xml)).rejects.toThrow('Invalid signature');
  });

  it('a response can be signed with SHA-1, which node-saml alone accepts', async () => {
    const signature = { algorithm: 'rsa-sha1', digest: 'sha1' } as const;

    const xml = idp.response({ acsUrl: ACS_URL, audience: AUDIENCE, signature });

    expect(xml).toContain('http://www.w3.org/2000/09/xmldsig#rsa-sha1');
    expect((await validated(xml)).profile?.nameID).toBe('staff-1');
  });

  it('a response can be signed with an HMAC keyed with the certificate', async () => {
    const xml = idp.response({ acsUrl: ACS_URL, audience: AUDIENCE, signature: { algorithm: 'hmac-sha1' } });

    const confused = new SignedXml({ privateKey: idp.certificate });
    confused.enableHMAC();
    confused.loadSignature(/<ds:Signature.*<\/ds:Signature>/s.exec(xml)?.[0] ?? '');
    expect(confused.checkSignature(xml)).toBe(true);
    await expect(validated(xml)).rejects.toThrow('Invalid signature');
  });

  it('bendAssertion and bendResponse alter the XML before it is signed', async () => {
    const xml = idp.response({
      acsUrl: ACS_URL,
      audience: AUDIENCE,
      signed: 'both',
      bendAssertion: (assertion) => assertion.replace('staff-1', 'staff-2'),
      bendResponse: (response) => response.replace('<samlp:Status>', '<samlp:Status><!-- bent -->'),
    });

    expect(xml).toContain('<!-- bent -->');
    expect((await validated(xml, { wantAuthnResponseSigned: true })).profile?.nameID).toBe('staff-2');
  });

  it('an error response is signed, and node-saml reports its status', async () => {
    const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder';

    const xml = idp.response({ acsUrl: ACS_URL, audience: AUDIENCE, status });

    expect(xml).toContain('<ds:Signature');
    await expect(validated(xml)).rejects.toThrow('SAML provider returned Responder error');
  });
});
