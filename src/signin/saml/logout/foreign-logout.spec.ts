import { IdentityProvider as SamlifyIdp, ServiceProvider as SamlifySp, setSchemaValidator } from 'samlify';
import { beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../kernel/clock/clock.js';
import { IdentityProvider, makeKeyPair } from '../../../../test/support/saml/identity-provider.js';
import type { KeyPair } from '../../../../test/support/saml/saml-xml.js';
import { isRejection } from '../login/rejection.js';
import { readDocument } from '../xml/document-allowlist.js';
import { logoutRejection, readLogoutRequest } from './logout-message.js';
import { logoutResponseXml } from './logout-xml.js';
import { readPost, signForPost } from '../post-binding.js';
import { readRedirect, redirectUrl } from '../redirect-binding.js';
import { serviceProviderMetadata } from '../sp/sp-metadata.js';

const SP = {
  entityId: 'https://login.test/saml/corp/metadata',
  acsUrl: 'https://login.test/saml/corp/acs',
  sloUrl: 'https://login.test/saml/corp/slo',
};
const SLO_URL = 'https://idp.test/slo';

/** samlify needs a schema validator, but does not contain one. */
setSchemaValidator({ validate: () => Promise.resolve('not looked at') });

describe('interoperability with samlify as the identity provider', () => {
  let keys: KeyPair;
  let own: KeyPair;
  let idp: ReturnType<typeof SamlifyIdp>;
  let sp: ReturnType<typeof SamlifySp>;

  beforeAll(() => {
    [keys, own] = [makeKeyPair('idp.test'), makeKeyPair('login.test')];
    const metadata = IdentityProvider.make({ keyPair: keys }).metadata({
      ssoUrl: 'https://idp.test/sso',
      sloUrl: SLO_URL,
    });
    idp = SamlifyIdp({
      metadata,
      privateKey: keys.privateKey,
      requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      wantLogoutResponseSigned: true,
      wantLogoutRequestSigned: true,
    });
    sp = SamlifySp({ metadata: serviceProviderMetadata({ ...SP, keys: own }, null), wantLogoutRequestSigned: true });
  });

  function factsOf(xml: string) {
    const document = readDocument(xml, 'LogoutRequest');
    return isRejection(document) ? document : readLogoutRequest(document);
  }

  it('the LogoutRequest of samlify by HTTP-Redirect is valid', () => {
    const { context } = idp.createLogoutRequest(sp, 'redirect', { logoutNameID: 'ada', sessionIndex: 's' }, 'a b');

    const message = readRedirect(context.slice(context.indexOf('?') + 1), [keys.certificate]);

    if (isRejection(message)) throw new Error(message);
    const facts = factsOf(message.xml);
    if (isRejection(facts)) throw new Error(facts);
    expect(facts).toMatchObject({ nameId: { value: 'ada' } });
    const expected = {
      issuer: 'https://idp.test/metadata',
      destination: SP.sloUrl,
      skewMillis: 60_000,
      maxAgeMillis: 60_000,
    };
    expect(logoutRejection(facts, expected, new SystemClock().millis())).toBeUndefined();
  });

  it('the LogoutRequest of samlify by HTTP-POST is valid', async () => {
    const { context } = idp.createLogoutRequest(sp, 'post', { logoutNameID: 'ada' });

    const posted = await readPost(context, 'LogoutRequest', [keys.certificate]);

    if (isRejection(posted)) throw new Error(posted);
    expect(factsOf(posted.xml)).toMatchObject({ nameId: { value: 'ada' }, destination: SP.sloUrl });
  });

  it('samlify accepts a LogoutResponse of this service by HTTP-Redirect and by HTTP-POST', async () => {
    const head = { id: '_1', issuer: SP.entityId, destination: SLO_URL, now: new SystemClock().millis() };
    const xml = logoutResponseXml(head, '_request');
    const url = redirectUrl(SLO_URL, { field: 'SAMLResponse', xml, relayState: 'a b' }, own.privateKey);
    const text = url.slice(url.indexOf('?') + 1);
    const query = Object.fromEntries(new URLSearchParams(text));
    const octetString = text.slice(0, text.indexOf('&Signature='));

    const byRedirect = await idp.parseLogoutResponse(sp, 'redirect', { query, octetString });
    const byPost = await idp.parseLogoutResponse(sp, 'post', { body: { SAMLResponse: await signForPost(xml, own) } });

    const forged = { query, octetString: octetString.replace('RelayState=a', 'RelayState=b') };
    await expect(idp.parseLogoutResponse(sp, 'redirect', forged)).rejects.toThrow('ERR_FAILED_MESSAGE_SIGNATURE');
    expect(byRedirect.extract).toMatchObject({ response: { inResponseTo: '_request' }, issuer: SP.entityId });
    expect(byPost.extract).toMatchObject({ response: { inResponseTo: '_request' }, issuer: SP.entityId });
  });
});
