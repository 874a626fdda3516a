import { SAML } from '@node-saml/node-saml';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKeyPair } from './identity-provider.js';
import { IdpServer } from './identity-provider-server.js';
import { readAuthnRequest } from './saml-messages.js';
import { type KeyPair, PERSISTENT } from './saml-xml.js';

const ACS_URL = 'https://login.test/saml/staff/acs';
const SLO_URL = 'https://login.test/saml/staff/slo';
const ENTITY_ID = 'https://login.test/saml/staff/metadata';

describe('server of the test identity provider', () => {
  let service: KeyPair;
  let keyPair: KeyPair;
  let server: IdpServer;
  let library: SAML;

  beforeAll(() => {
    service = makeKeyPair('login.test');
    keyPair = makeKeyPair();
  });

  beforeEach(async () => {
    server = await IdpServer.start({ serviceCertificate: service.certificate }, { keyPair });
    library = new SAML({
      callbackUrl: ACS_URL,
      entryPoint: server.ssoUrl,
      logoutUrl: server.sloUrl,
      issuer: ENTITY_ID,
      idpIssuer: server.metadataUrl,
      idpCert: server.idp.certificate,
      privateKey: service.privateKey,
      signatureAlgorithm: 'sha256',
      wantAuthnResponseSigned: false,
    });
  });

  afterEach(() => server.stop());

  /** Action and fields of the form on a page. */
  function formOf(page: string): { action: string; fields: Record<string, string> } {
    const inputs = page.matchAll(/name="(\w+)" value="([^"]*)"/g);
    const fields = Object.fromEntries(Array.from(inputs, ([, name = '', value = '']) => [name, value]));
    return { action: /action="([^"]*)"/.exec(page)?.[1] ?? '', fields };
  }

  it('the test identity provider responds to an AuthnRequest with a form that node-saml accepts', async () => {
    server.settings.person = { nameId: 'staff-7' };

    const answer = await fetch(await library.getAuthorizeUrlAsync('state', undefined, {}));
    const page = await answer.text();

    const { action, fields } = formOf(page);
    expect([action, fields['RelayState']]).toEqual([ACS_URL, 'state']);
    expect(page).toContain('<button>Sign in</button>');
    expect(page).not.toContain('<script>');
    const { profile } = await library.validatePostResponseAsync({ SAMLResponse: fields['SAMLResponse'] ?? '' });
    expect(profile).toMatchObject({ nameID: 'staff-7', inResponseTo: server.authnRequests[0]?.id });
    expect(server.authnRequests).toMatchObject([{ issuer: ENTITY_ID, isVerified: true }]);
    expect(server.calls).toEqual(['GET /sso']);
  });

  it('the test identity provider accepts HTTP-POST and, if isAutomatic is set, submits its response by script', async () => {
    server.settings.isAutomatic = true;
    const { xml } = readAuthnRequest(await library.getAuthorizeUrlAsync('', undefined, {}));
    const body = new URLSearchParams({ SAMLRequest: Buffer.from(xml).toString('base64') });

    const answer = await fetch(server.ssoUrl, { method: 'POST', body });

    expect(await answer.text()).toContain('<script>document.forms[0].submit()</script>');
    expect(server.authnRequests).toMatchObject([{ binding: 'post', isSigned: false }]);
  });

  it('the test identity provider builds each response from its request and the configured time', async () => {
    server.settings.now = () => 0;
    server.settings.person = ({ requestedClasses }) => ({ nameId: requestedClasses.join() });
    const request = readAuthnRequest(await library.getAuthorizeUrlAsync('', undefined, {}));

    const { acsUrl, fields } = server.answerTo(request, { authnContextClassRef: 'bent' });

    const xml = Buffer.from(fields['SAMLResponse'] ?? '', 'base64').toString();
    expect(acsUrl).toBe(ACS_URL);
    expect(xml).toContain('IssueInstant="1970-01-01T00:00:00.000Z"');
    expect(xml).toContain('PasswordProtectedTransport</saml:NameID>');
    expect(xml).toContain('>bent</saml:AuthnContextClassRef>');
  });

  it('the test identity provider sends its LogoutResponse to the SLO URL of the service', async () => {
    server.settings.serviceSloUrl = SLO_URL;
    const person = { issuer: ENTITY_ID, nameID: 'staff-1', nameIDFormat: PERSISTENT };

    const answer = await fetch(await library.getLogoutUrlAsync(person, 'state', {}), { redirect: 'manual' });

    const { origin, pathname, search, searchParams } = new URL(answer.headers.get('location') ?? '');
    expect(`${origin}${pathname}`).toBe(SLO_URL);
    expect(searchParams.get('RelayState')).toBe('state');
    const fields = Object.fromEntries(searchParams);
    expect(await library.validateRedirectAsync(fields, search.slice(1))).toMatchObject({ loggedOut: true });
    expect(server.logoutRequests).toMatchObject([{ nameId: 'staff-1', isVerified: true }]);
  });

  it('the test identity provider records the LogoutResponse of the service', async () => {
    const person = { issuer: ENTITY_ID, nameID: 'staff-1', nameIDFormat: PERSISTENT, ID: '_asked' };

    const answer = await fetch(await library.getLogoutResponseUrlAsync(person, '', {}, true));

    expect(await answer.text()).toContain('Signed out');
    expect(server.logoutResponses).toMatchObject([{ inResponseTo: '_asked', isVerified: true }]);
  });

  it('the test identity provider serves its metadata or a text set by the test', async () => {
    const honest = await (await fetch(server.metadataUrl)).text();
    server.settings.metadata = '<none/>';
    const other = await (await fetch(server.metadataUrl)).text();

    expect(honest).toContain(`Location="${server.ssoUrl}"`);
    expect(honest).toContain(`entityID="${server.metadataUrl}"`);
    expect(other).toBe('<none/>');
    expect(server.calls).toEqual(['GET /metadata', 'GET /metadata']);
  });

  it('the test identity provider rejects a malformed message and an unknown path', async () => {
    expect((await fetch(`${server.ssoUrl}?SAMLRequest=AAAA`)).status).toBe(400);
    expect((await fetch(`${server.url}/other`)).status).toBe(404);
  });
});
