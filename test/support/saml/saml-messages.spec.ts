import { type RacComparison, SAML, type SamlConfig } from '@node-saml/node-saml';
import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider, makeKeyPair } from './identity-provider.js';
import { readAuthnRequest, readLogoutRequest, readLogoutResponse } from './saml-messages.js';
import { ASSURANCE, entitiesDescriptor } from './saml-metadata.js';
import { isRootSignedBy } from './saml-signature.js';
import { elementsOf, type KeyPair, PERSISTENT, rootOf, valueOf } from './saml-xml.js';

const SSO_URL = 'https://idp.test/sso';
const SLO_URL = 'https://login.test/saml/staff/slo';
const ENTITY_ID = 'https://login.test/saml/staff/metadata';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const PERSON = { issuer: ENTITY_ID, nameID: 'staff-1', nameIDFormat: PERSISTENT, sessionIndex: 'session-1' };

let idp: IdentityProvider;
let service: KeyPair;
let foreign: KeyPair;

beforeAll(() => {
  idp = IdentityProvider.make();
  service = makeKeyPair('login.test');
  foreign = makeKeyPair('foreign.test');
});

function library(config: Partial<SamlConfig> = {}): SAML {
  return new SAML({
    callbackUrl: 'https://login.test/saml/staff/acs',
    entryPoint: SSO_URL,
    logoutUrl: 'https://idp.test/slo',
    issuer: ENTITY_ID,
    idpIssuer: idp.entityId,
    idpCert: idp.certificate,
    privateKey: service.privateKey,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    wantAuthnResponseSigned: false,
    ...config,
  });
}

/** Fields of the page with which node-saml posts a request. */
function fieldsOf(page: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

describe('requests of node-saml', () => {
  const asked = { forceAuthn: true, authnContext: ['one', 'two'], racComparison: 'minimum' as RacComparison };

  it('readAuthnRequest reads a redirect and verifies its signature with the certificate of the service only', async () => {
    const url = await library({ ...asked, identifierFormat: PERSISTENT }).getAuthorizeUrlAsync(
      'state&=',
      undefined,
      {},
    );

    expect(readAuthnRequest(url, service.certificate)).toMatchObject({
      binding: 'redirect',
      id: expect.stringMatching(/^_/) as string,
      issuer: ENTITY_ID,
      acsUrl: 'https://login.test/saml/staff/acs',
      destination: SSO_URL,
      isForced: true,
      isPassive: false,
      nameIdPolicyFormat: PERSISTENT,
      requestedClasses: ['one', 'two'],
      comparison: 'minimum',
      relayState: 'state&=',
      isSigned: true,
      signatureAlgorithm: RSA_SHA256,
      isVerified: true,
    });
    expect(readAuthnRequest(url, foreign.certificate)).toMatchObject({ isSigned: true, isVerified: false });
    expect(readAuthnRequest(url.replace('state', 'other'), service.certificate)).toMatchObject({ isVerified: false });
  });

  it('readAuthnRequest reads a form and verifies its signature with the certificate of the service only', async () => {
    const page = await library({
      authnRequestBinding: 'HTTP-POST',
      skipRequestCompression: true,
    }).getAuthorizeFormAsync('state');
    const fields = fieldsOf(page);

    const request = readAuthnRequest(fields, service.certificate);

    expect(request).toMatchObject({
      binding: 'post',
      relayState: 'state',
      isForced: false,
      isVerified: true,
      signatureAlgorithm: RSA_SHA256,
    });
    expect(readAuthnRequest(fields, foreign.certificate)).toMatchObject({ isSigned: true, isVerified: false });
    const SAMLRequest = Buffer.from(request.xml.replace(SSO_URL, 'https://other.test')).toString('base64');
    expect(readAuthnRequest({ SAMLRequest }, service.certificate)).toMatchObject({ isVerified: false });
  });

  it('readAuthnRequest does not verify a request without a signature', async () => {
    const url = await library().getAuthorizeUrlAsync('', undefined, {});
    const [unsigned = ''] = url.split('&SigAlg=');

    expect(readAuthnRequest(unsigned, service.certificate)).toMatchObject({ isSigned: false, isVerified: false });
  });

  it('readLogoutRequest and readLogoutResponse read and verify signed messages', async () => {
    const request = await library().getLogoutUrlAsync({ ...PERSON, nameQualifier: '', spNameQualifier: '' }, '', {});
    const answer = await library().getLogoutResponseUrlAsync({ ...PERSON, ID: 'asked' }, '', {}, true);

    expect(readLogoutRequest(request, service.certificate)).toMatchObject({
      nameId: 'staff-1',
      nameIdFormat: PERSISTENT,
      sessionIndexes: ['session-1'],
      isVerified: true,
    });
    expect(readLogoutResponse(answer, service.certificate)).toMatchObject({ isVerified: true });
  });
});

describe('logout messages of the test identity provider', () => {
  it('node-saml accepts a LogoutRequest by redirect and rejects an altered one', async () => {
    const { url } = idp.logoutRequest({
      url: SLO_URL,
      nameId: 'staff-1',
      sessionIndexes: ['s-1'],
      relayState: 'state',
    });
    const validated = (text: string) => {
      const { search, searchParams } = new URL(text);
      return library().validateRedirectAsync(Object.fromEntries(searchParams), search.slice(1));
    };

    expect((await validated(url)).profile).toMatchObject({ nameID: 'staff-1', sessionIndex: 's-1' });
    await expect(validated(url.replace('=state', '=other'))).rejects.toThrow('Invalid query signature');
  });

  it('node-saml accepts a LogoutRequest by form and rejects an altered one', async () => {
    const { fields, xml } = idp.logoutRequest({ url: SLO_URL, nameId: 'staff-1', binding: 'post' });
    const bent = Buffer.from(xml.replace('staff-1', 'staff-2')).toString('base64');

    expect((await library().validatePostRequestAsync({ ...fields })).profile).toMatchObject({ nameID: 'staff-1' });
    await expect(library().validatePostRequestAsync({ SAMLRequest: bent })).rejects.toThrow('Invalid signature');
  });

  it('node-saml accepts a LogoutResponse', async () => {
    const { url } = idp.logoutResponse({ url: SLO_URL, inResponseTo: '_asked' });
    const { search, searchParams } = new URL(url);

    const result = await library().validateRedirectAsync(Object.fromEntries(searchParams), search.slice(1));

    expect(result).toEqual({ profile: null, loggedOut: true });
  });
});

describe('metadata of the test identity provider', () => {
  it('metadata contain endpoints and certificates and are signed with the chosen key', () => {
    const xml = idp.metadata({
      ssoUrl: SSO_URL,
      sloUrl: 'https://idp.test/slo',
      validUntil: 0,
      cacheDuration: 'PT1H',
      extraCertificates: [foreign.certificate],
      entityAttributes: { [ASSURANCE]: ['https://refeds.org/profile/mfa'] },
      signedBy: foreign,
    });
    const root = rootOf(xml);

    expect(isRootSignedBy(xml, foreign.certificate)).toBe(true);
    expect(isRootSignedBy(xml, idp.certificate)).toBe(false);
    expect(valueOf(root, 'entityID')).toBe(idp.entityId);
    expect(valueOf(root, 'validUntil')).toBe('1970-01-01T00:00:00.000Z');
    expect(elementsOf(root, 'metadata', 'KeyDescriptor')).toHaveLength(2);
    expect(elementsOf(root, 'metadata', 'SingleSignOnService')).toHaveLength(2);
    expect(elementsOf(root, 'metadata', 'SingleLogoutService')).toHaveLength(2);
  });

  it('an EntitiesDescriptor contains several entities and is signed as a whole', () => {
    const other = idp.metadata({ ssoUrl: SSO_URL, entityId: 'https://other.test' });

    const xml = entitiesDescriptor([other, idp.metadata({ ssoUrl: SSO_URL })], { signedBy: idp.keyPair });

    expect(isRootSignedBy(xml, idp.certificate)).toBe(true);
    expect(elementsOf(rootOf(xml), 'metadata', 'EntityDescriptor')).toHaveLength(2);
    expect(isRootSignedBy(xml.replace('other.test', 'third.test'), idp.certificate)).toBe(false);
  });
});
