import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { IdentityProvider, makeKeyPair } from '../../support/saml/identity-provider.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { refresh } from '../../support/login/login-story.js';
import { formOf } from '../../support/pages/pages.js';
import type { LogoutRequestOptions } from '../../support/saml/saml-logout.js';
import {
  readAuthnRequest,
  readLogoutRequest,
  readLogoutResponse,
  type SentMessage,
} from '../../support/saml/saml-messages.js';
import { elementsOf, rootOf, SUCCESS } from '../../support/saml/saml-xml.js';
import { StaffStory, staffStoryOn } from '../../support/saml/staff-story.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

const SLO_URL = 'https://idp.test/slo';
const SIGN_IN_PAGE = '/portal/login';
const FROM_ELSEWHERE = { origin: 'https://idp.test', 'sec-fetch-site': 'cross-site' };

const own = makeCertificate({ key: 'rsa' });
const BUNDLE = [
  `--app.ssl.bundle.pem.sp.keystore.certificate=file:${own.certificate}`,
  `--app.ssl.bundle.pem.sp.keystore.private-key=file:${own.key}`,
];

/** Delivers a message like a browser that an identity provider has redirected. */
function bring(client: HttpClient, { url, fields }: SentMessage): Promise<Answer> {
  const path = url.slice(client.baseUrl.length);
  if (fields === undefined) return client.get(path, { headers: { 'sec-fetch-site': 'cross-site' } });
  return client.send('POST', path, { form: fields, headers: FROM_ELSEWHERE });
}

function leave(client: HttpClient, idp = 'corp', headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return client.send('POST', `/saml/${idp}/logout`, { form: {}, headers });
}

/** Options of a genuine logout request with some changes; `nameId` is required. */
function asked(
  staff: StaffStory,
  client: HttpClient,
  bent: Partial<LogoutRequestOptions> & { readonly nameId: string },
  idp = 'corp',
): LogoutRequestOptions {
  return { url: `${client.baseUrl}/saml/${idp}/slo`, now: staff.story.clock.millis, ...bent };
}

async function isLive(client: HttpClient): Promise<boolean> {
  return (await client.get('/me')).status === 200;
}

onAnyEngine('logout requests of identity providers', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: { bundle: 'sp' }, partner: { bundle: 'sp' }, bare: { 'slo-url': SLO_URL } },
    { people: 0, args: BUNDLE },
  );

  async function request(
    client: HttpClient,
    bent: Partial<LogoutRequestOptions> & { readonly nameId: string },
    idp = 'corp',
  ): Promise<Answer> {
    return bring(client, staff.idp(idp).logoutRequest(asked(staff, client, bent, idp)));
  }

  it.each(['redirect', 'post'] as const)(
    'a logout request by %s ends the session and gets a response',
    async (binding) => {
      const nameId = `ada-${binding}`;
      const { client } = await staff.signIn({ nameId });
      const message = staff.idp().logoutRequest(asked(staff, client, { nameId, binding, relayState: 'state & more' }));

      const answer = await bring(client, message);

      expect(answer.status).toBe(303);
      const location = answer.headers.get('location') ?? '';
      expect(location.startsWith(`${SLO_URL}?SAMLResponse=`)).toBe(true);
      expect(readLogoutResponse(location, own.pem)).toMatchObject({
        isVerified: true,
        issuer: `${client.baseUrl}/saml/corp/metadata`,
        destination: SLO_URL,
        inResponseTo: message.id,
        status: SUCCESS,
        relayState: 'state & more',
      });
      expect(setCookie(answer, 'SESSION')?.value).toBe('');
      expect(setCookie(answer, 'refresh_token')?.value).toBe('');
      expect(await isLive(client)).toBe(false);
      const events = await staff.story.database.query<{ reason: string; idp: string }>(
        "SELECT * FROM security_event WHERE kind = 'SESSION_REVOKED' ORDER BY id",
      );
      expect(events.at(-1)).toMatchObject({ reason: 'idp_logout', idp: 'corp', result: 'ok' });
    },
  );

  it('a logout request ends the access and refresh tokens of the session', async () => {
    const { client } = await staff.signIn({ nameId: 'bob' });
    const bearer = await staff.accessToken(client);
    const copy = client.copy();

    // Another browser has none of these cookies, so none of its own is removed.
    const answer = await request(staff.client(), { nameId: 'bob' });

    expect(answer.cookies).toEqual([]);
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(copy)).toBeRefused(401, 'REFRESH_INVALID');
  });

  it('a logout request ends all sessions of the user, or only those of its SessionIndex', async () => {
    const [first, second, third] = [
      await staff.signIn({ nameId: 'carol', sessionIndex: 'one' }),
      await staff.signIn({ nameId: 'carol', sessionIndex: 'two' }),
      await staff.signIn({ nameId: 'carol', sessionIndex: 'three' }),
    ].map(({ client }) => client) as [HttpClient, HttpClient, HttpClient];

    await request(staff.client(), { nameId: 'carol', sessionIndexes: ['two', 'four'] });
    expect(await Promise.all([first, second, third].map(isLive))).toEqual([true, false, true]);

    await request(staff.client(), { nameId: 'carol' });
    expect(await Promise.all([first, second, third].map(isLive))).toEqual([false, false, false]);
  });

  it('a logout request does not end sessions of other users, indexes or identity providers', async () => {
    const { client } = await staff.signIn({ nameId: 'dave', sessionIndex: 'one' });

    for (const answer of [
      await request(staff.client(), { nameId: 'nobody' }),
      await request(staff.client(), { nameId: 'Dave' }),
      await request(staff.client(), { nameId: 'dave', sessionIndexes: ['two'] }),
      await request(staff.client(), { nameId: 'dave', nameIdFormat: 'urn:test:other' }),
      await request(staff.client(), { nameId: 'dave' }, 'partner'),
    ]) {
      // Without a matching session the request succeeds, because nothing is left to end.
      expect(answer.status).toBe(303);
      expect(readLogoutResponse(answer.headers.get('location') ?? '', own.pem).status).toBe(SUCCESS);
    }
    expect(await isLive(client)).toBe(true);
  });

  it('X17: a logout request is accepted once per ID and identity provider', async () => {
    const { client } = await staff.signIn({ nameId: 'erin' });
    const message = staff.idp().logoutRequest(asked(staff, client, { nameId: 'nobody', id: '_once' }));
    expect((await bring(staff.client(), message)).status).toBe(303);

    expect(await bring(staff.client(), message)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('replay');
    expect(await request(staff.client(), { nameId: 'erin', id: '_once' })).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('replay');
    expect(await isLive(client)).toBe(true);
    expect((await request(staff.client(), { nameId: 'nobody', id: '_once' }, 'partner')).status).toBe(303);
  });

  it('T20: a logout request may reuse the ID of an assertion', async () => {
    const { client } = await staff.signIn({ nameId: 'tess', assertionId: '_shared' });

    expect((await request(client, { nameId: 'tess', id: '_shared' })).status).toBe(303);
    expect(await isLive(client)).toBe(false);
  });

  it('X17: one of 20 concurrent copies of a logout request is accepted', async () => {
    const { client } = await staff.signIn({ nameId: 'frank' });
    const message = staff.idp().logoutRequest(asked(staff, client, { nameId: 'frank' }));

    const answers = await Promise.all(Array.from({ length: 20 }, () => bring(staff.client(), message)));

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
    expect(await isLive(client)).toBe(false);
  });

  it('a logout request also ends a half-authenticated session', async () => {
    const { client } = await staff.signIn({ nameId: 'gina' });
    // The row is that of a sign-in for which policy requires a second factor.
    await staff.story.database.query(
      "UPDATE session SET half_security_stamp = 0 WHERE user_id = (SELECT user_id FROM staff_identity WHERE person = 'gina')",
    );

    await request(client, { nameId: 'gina' });

    const rows = await staff.story.database.query(
      "SELECT * FROM session WHERE user_id = (SELECT user_id FROM staff_identity WHERE person = 'gina')",
    );
    expect(rows).toEqual([]);
  });

  it('the link to the identity provider session lasts as long as any session', async () => {
    await staff.signIn({ nameId: 'liam' });

    const [row] = await staff.story.database.query<{ readonly lasts: number }>(
      `SELECT idp_session.expires_at - session.created_at AS lasts FROM idp_session
       JOIN session ON session.idp_session = idp_session.id ORDER BY session.id DESC`,
    );

    // Twelve hours from the second factor, which may come up to ten minutes after the sign-in.
    expect(Number(row?.lasts)).toBe(12 * 3600 + 600);
  });

  it('a logout request without a signing key ends the session without a SAML response', async () => {
    const { client } = await staff.signIn({ nameId: 'hana' }, { idp: 'bare' });

    const answer = await request(client, { nameId: 'hana' }, 'bare');

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(SIGN_IN_PAGE);
    expect(await isLive(client)).toBe(false);
  });

  describe('X17: rejected logout requests', () => {
    const minutes = 60_000;
    const now = (): number => staff.story.clock.millis;
    const stranger = makeKeyPair('stranger');

    it.each([
      ['signature', 'unsigned', () => ({ isSigned: false })],
      ['signature', 'signed with an unknown key', () => ({ signature: { keyPair: stranger } })],
      ['signature', 'signed by another provider', () => ({ signature: { keyPair: staff.idp('partner').keyPair } })],
      ['algorithm', 'signed with SHA-1', () => ({ signature: { algorithm: 'rsa-sha1' as const } })],
      ['issuer', 'of another issuer', () => ({ issuer: 'https://partner.idp.test/metadata' })],
      ['destination', 'for another service', () => ({ destination: 'https://other.test/saml/corp/slo' })],
      ['destination', 'without a destination', () => ({ destination: null })],
      ['destination', 'for the path of another provider', (url: string) => ({ destination: url.replace('corp', 'x') })],
      ['too_old', 'issued long ago', () => ({ issueInstant: now() - 6 * minutes, notOnOrAfter: null })],
      ['not_yet_valid', 'issued in the future', () => ({ issueInstant: now() + 2 * minutes })],
      ['expired', 'that has expired', () => ({ notOnOrAfter: now() - 1 * minutes })],
      ['name_id', 'with an empty NameID', () => ({ bend: (xml: string) => xml.replace(/>ivan</, '> <') })],
      ['doctype', 'with a DOCTYPE', () => ({ bend: (xml: string) => `<!DOCTYPE x>${xml}` })],
    ])('the service rejects with the reason %s a logout request %s', async (reason, _, bent) => {
      const { client } = await staff.signIn({ nameId: 'ivan' });
      const url = `${client.baseUrl}/saml/corp/slo`;

      for (const binding of ['redirect', 'post'] as const) {
        if (binding === 'post' && reason === 'doctype') continue; // no signer makes one
        const answer = await request(client, { nameId: 'ivan', binding, ...bent(url) });

        expect(answer, binding).toBeRefused(401, 'SAML_RESPONSE_INVALID');
        expect(answer.cookies, binding).toEqual([]);
        expect(await staff.lastRejection(), binding).toBe(reason);
      }
      expect(await isLive(client)).toBe(true);
    });

    it('a logout request that was changed after signing is rejected', async () => {
      const { client } = await staff.signIn({ nameId: 'judy' });
      const { url, fields } = staff.idp().logoutRequest(asked(staff, client, { nameId: 'somebody', binding: 'post' }));
      const xml = Buffer.from(fields?.['SAMLRequest'] ?? '', 'base64').toString();
      const forged = Buffer.from(xml.replace('somebody', 'judy')).toString('base64');

      const answer = await bring(client, { id: '', xml: '', url, fields: { SAMLRequest: forged } });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('signature');
      expect(await isLive(client)).toBe(true);
    });

    it('a rejected logout request gets an HTML page for a browser', async () => {
      const { url } = staff.idp().logoutRequest(asked(staff, staff.client(), { nameId: 'x', isSigned: false }));

      const answer = await staff
        .client()
        .get(url.slice(staff.client().baseUrl.length), { headers: { accept: 'text/html' } });

      expect(answer.status).toBe(401);
      expect(answer.headers.get('content-type')).toContain('text/html');
      expect(answer.text).toContain('SAML_RESPONSE_INVALID');
    });

    it.each([
      ['no message', {}],
      ['two messages', { SAMLRequest: 'AAAA', SAMLResponse: 'AAAA' }],
      ['an empty text', { SAMLRequest: '' }],
      ['invalid base64', { SAMLRequest: '<samlp:LogoutRequest/>' }],
      ['a compressed message', { SAMLRequest: 'eJxLSU1OLgEABXYB8Q==' }],
    ])('a logout form with %s is rejected', async (_, form) => {
      const answer = await staff.client().send('POST', '/saml/corp/slo', { form, headers: FROM_ELSEWHERE });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('malformed');
    });
  });
});

onAnyEngine('logout of staff started here', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: { bundle: 'sp' }, partner: { bundle: 'sp' }, bare: {}, mute: { bundle: 'sp', 'slo-url': '' } },
    { people: 1, args: BUNDLE },
  );

  it('a logout ends the local session first and then asks the identity provider', async () => {
    const { client } = await staff.signIn({ nameId: 'ada & "co"', sessionIndex: 's <1>' });
    const copy = client.copy();

    const answer = await leave(client);

    expect(answer.status).toBe(303);
    const location = answer.headers.get('location') ?? '';
    expect(location.startsWith(`${SLO_URL}?SAMLRequest=`)).toBe(true);
    expect(readLogoutRequest(location, own.pem)).toMatchObject({
      isVerified: true,
      issuer: `${client.baseUrl}/saml/corp/metadata`,
      destination: SLO_URL,
      issueInstant: new Date(staff.story.clock.millis).toISOString(),
      nameId: 'ada & "co"',
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      sessionIndexes: ['s <1>'],
    });
    expect(setCookie(answer, 'SESSION')?.value).toBe('');
    expect(setCookie(answer, 'refresh_token')?.value).toBe('');
    expect(await isLive(copy)).toBe(false);
    expect(await refresh(copy)).toBeRefused(401, 'REFRESH_INVALID');
  });

  it('a logout accepts an access token', async () => {
    const { client } = await staff.signIn({ nameId: 'bob' });
    const bearer = await staff.accessToken(client);

    const answer = await leave(staff.client(), 'corp', { authorization: `Bearer ${bearer}` });

    expect(readLogoutRequest(answer.headers.get('location') ?? '', own.pem)).toMatchObject({ nameId: 'bob' });
    expect(await isLive(client)).toBe(false);
    expect(await leave(client, 'corp', { authorization: `Bearer ${bearer}` })).toBeRefused(401, 'INVALID_TOKEN');
  });

  it.each([
    ['without a session', 'corp', false],
    ['at another identity provider', 'partner', true],
    ['without a signing key', 'bare', true],
    ['without a logout URL', 'mute', true],
  ])('a logout leads to the sign-in page: %s', async (title, idp, isSignedIn) => {
    const client = staff.client();
    const at = idp === 'partner' ? 'corp' : idp;
    if (isSignedIn) await staff.signIn({ nameId: title }, { client, idp: at });
    const copy = client.copy();

    const answer = await leave(client, idp);

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(SIGN_IN_PAGE);
    expect(await isLive(copy)).toBe(false);
  });

  it('a logout of a local session asks no identity provider', async () => {
    const person = staff.story.person();
    const client = staff.client();
    await client.post('/session', { id: person.id, pw: person.password });
    expect(await isLive(client)).toBe(true);

    const answer = await leave(client.copy());

    expect(answer.headers.get('location')).toBe(SIGN_IN_PAGE);
    expect(await isLive(client)).toBe(false);
  });

  it('S5: a cross-site logout is rejected', async () => {
    const { client } = await staff.signIn({ nameId: 'carol' });

    expect(await leave(client, 'corp', FROM_ELSEWHERE)).toBeRefused(403, 'CROSS_SITE');
    expect(await isLive(client)).toBe(true);
    // The browser sends no cookies, but it would obey a response that removes them.
    const bare = await leave(staff.client(), 'corp', FROM_ELSEWHERE);
    expect(bare).toBeRefused(403, 'CROSS_SITE');
    expect(bare.cookies).toEqual([]);
  });

  describe('logout responses of identity providers', () => {
    async function left(nameId: string): Promise<{ readonly client: HttpClient; readonly id: string }> {
      const { client } = await staff.signIn({ nameId });
      const { id = '' } = readLogoutRequest((await leave(client)).headers.get('location') ?? '');
      return { client, id };
    }

    it.each([
      ['redirect', SUCCESS],
      ['post', SUCCESS],
      ['redirect', 'urn:oasis:names:tc:SAML:2.0:status:Responder'],
    ] as const)('a logout response by %s with %s leads to the sign-in page', async (binding, status) => {
      const { client, id } = await left('dave');
      const url = `${client.baseUrl}/saml/corp/slo`;
      const now = staff.story.clock.millis;

      const answer = await bring(
        client,
        staff.idp().logoutResponse({ url, now, binding, status, inResponseTo: id, relayState: 'https://evil.test/' }),
      );

      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(SIGN_IN_PAGE);
      expect(answer.cookies).toEqual([]);
    });

    it.each([
      ['signature', 'unsigned', { isSigned: false }],
      ['in_response_to', 'without InResponseTo', { inResponseTo: null }],
      ['in_response_to', 'to an unknown request', { inResponseTo: `_${'0'.repeat(64)}` }],
      ['issuer', 'of another issuer', { issuer: 'https://other.test' }],
      ['destination', 'for another destination', { destination: 'https://other.test' }],
      ['too_old', 'that is too old', { issueInstant: 0 }],
    ])('X17: the service rejects with the reason %s a logout response %s', async (reason, _, bent) => {
      const { client, id } = await left('erin');
      const url = `${client.baseUrl}/saml/corp/slo`;

      const now = staff.story.clock.millis;
      const message = staff.idp().logoutResponse({ url, now, inResponseTo: id, ...bent });

      expect(await bring(client, message)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe(reason);
    });

    it('X17: a logout response of another identity provider is rejected', async () => {
      const { client, id } = await left('fred');
      const url = `${client.baseUrl}/saml/partner/slo`;
      const message = staff.idp('partner').logoutResponse({ url, now: staff.story.clock.millis, inResponseTo: id });

      expect(await bring(client, message)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('in_response_to');
    });
  });
});

onSqlite('logout with an identity provider that supports only HTTP-POST', (engine) => {
  const idp = IdentityProvider.make({ entityId: 'https://posted.idp.test/metadata' });
  const file = join(temporaryFolder('metadata'), 'idp.xml');
  const urls = { ssoUrl: 'https://idp.test/sso', sloUrl: SLO_URL, sloResponseUrl: 'https://idp.test/answers' };
  writeFileSync(file, idp.metadata({ ...urls, bindings: ['post'] }));
  const keys = [`metadata=file:${file}`, 'bundle=sp'].map((key) => `--app.security.saml.idp.posted.${key}`);
  const { story } = staffStoryOn(engine, {}, { people: 0, args: [...BUNDLE, ...keys] });
  const staff = new StaffStory(story, new Map([['posted', idp]]));

  async function signIn(nameId: string): Promise<HttpClient> {
    const client = staff.client();
    const page = await client.get('/saml/posted/login');
    const { fields } = formOf(client, page);
    const request = readAuthnRequest(fields);
    await staff.arrive(client, staff.posted(staff.response(request, { nameId }, 'posted'), request), 'posted');
    return client;
  }

  it('a logout request is sent by a page with a form', async () => {
    const client = await signIn('ada');

    const answer = await leave(client, 'posted');

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self' https:;");
    const { path, fields } = formOf(client, answer);
    expect(path).toBe(SLO_URL);
    expect(readLogoutRequest(fields, own.pem)).toMatchObject({ isVerified: true, nameId: 'ada', destination: SLO_URL });
    expect(await isLive(client)).toBe(false);
  });

  it('a logout response is sent by a page to the ResponseLocation', async () => {
    const client = await signIn('bob');
    const message = idp.logoutRequest(
      asked(staff, client, { nameId: 'bob', binding: 'post', relayState: '<x>' }, 'posted'),
    );

    const answer = await bring(client, message);

    const { path, fields } = formOf(client, answer);
    expect(path).toBe(urls.sloResponseUrl);
    expect(fields['RelayState']).toBe('<x>');
    expect(readLogoutResponse(fields, own.pem)).toMatchObject({
      isVerified: true,
      destination: urls.sloResponseUrl,
      inResponseTo: message.id,
      status: SUCCESS,
    });
    expect(await isLive(client)).toBe(false);
  });
});

onSqlite('metadata of the service', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: { bundle: 'sp' }, bare: { 'account.attribute': 'urn:test:id', 'sp-entity-id': 'urn:test:sp?a&b' } },
    { people: 0, args: BUNDLE },
  );

  it('the metadata contains the URLs and the certificate of the service', async () => {
    const client = staff.client();

    const answer = await client.get('/saml/corp/metadata');

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/samlmetadata\+xml/);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    const root = rootOf(answer.text);
    expect(root.getAttribute('entityID')).toBe(`${client.baseUrl}/saml/corp/metadata`);
    const [consumer] = elementsOf(root, 'metadata', 'AssertionConsumerService');
    expect(consumer?.getAttribute('Location')).toBe(`${client.baseUrl}/saml/corp/acs`);
    const [certificate] = elementsOf(root, 'signature', 'X509Certificate');
    const pem = readFileSync(own.certificate, 'utf8').replaceAll(/-----[A-Z ]+-----|\s/g, '');
    expect(certificate?.textContent).toBe(pem);
    expect(elementsOf(root, 'metadata', 'SingleLogoutService')).toHaveLength(2);
  });

  it('each identity provider has its own metadata', async () => {
    const root = rootOf((await staff.client().get('/saml/bare/metadata')).text);

    expect(root.getAttribute('entityID')).toBe('urn:test:sp?a&b');
    expect(elementsOf(root, 'metadata', 'NameIDFormat')).toEqual([]);
    expect(elementsOf(root, 'metadata', 'SingleLogoutService')).toEqual([]);
    expect(await staff.client().get('/saml/none/metadata')).toBeRefused(404, 'NOT_FOUND');
  });
});

onSqlite('logout below a context path with a public URL', (engine) => {
  const base = 'https://login.example.com/auth';
  const staff = staffStoryOn(
    engine,
    { corp: { bundle: 'sp' } },
    { people: 0, args: [...BUNDLE, '--server.servlet.context-path=/auth', `--app.security.public-url=${base}`] },
  );

  it('a logout request must have the public URL as its destination', async () => {
    const { client } = await staff.signIn({ nameId: 'ada' });
    const now = staff.story.clock.millis;
    const here = asked(staff, client, { nameId: 'ada' });
    expect(await bring(client, staff.idp().logoutRequest(here))).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('destination');

    const message = staff.idp().logoutRequest({ nameId: 'ada', now, url: `${base}/saml/corp/slo` });
    const answer = await client.get(message.url.slice(base.length));

    const location = answer.headers.get('location') ?? '';
    expect(readLogoutResponse(location, own.pem)).toMatchObject({
      issuer: `${base}/saml/corp/metadata`,
      isVerified: true,
    });
    expect(setCookie(answer, 'SESSION')?.attributes).toMatchObject({ path: '/auth/' });
    expect(await isLive(client)).toBe(false);
  });

  it('a logout ends on the sign-in page below the context path', async () => {
    expect((await leave(staff.client())).headers.get('location')).toBe('/auth/portal/login');
  });
});

const server = await IdpServer.start({ serviceCertificate: own.pem });
afterAll(() => server.stop());

onSqlite('logout with a running identity provider', (engine) => {
  const folder = temporaryFolder('idp');
  const certificate = join(folder, 'idp.crt');
  writeFileSync(certificate, server.idp.certificate);
  const keys = [
    ...[`entity-id=${server.idp.entityId}`, `sso-url=${server.ssoUrl}`, `slo-url=${server.sloUrl}`],
    ...[`certificates=file:${certificate}`, 'bundle=sp'],
  ].map((key) => `--app.security.saml.idp.corp.${key}`);
  const { story } = staffStoryOn(engine, {}, { people: 0, args: [...BUNDLE, ...keys] });
  const staff = new StaffStory(story, new Map([['corp', server.idp]]));

  it.each(['redirect', 'post'] as const)('a logout goes to the identity provider and back by %s', async (binding) => {
    const { client } = await staff.signIn({ nameId: 'ada' });
    const url = `${client.baseUrl}/saml/corp/slo`;
    Object.assign(server.settings, { serviceSloUrl: url, serviceSloBinding: binding, now: () => story.clock.millis });

    const there = await fetch((await leave(client)).headers.get('location') ?? '', { redirect: 'manual' });
    const back = {
      redirect: async () => client.get((there.headers.get('location') ?? '').slice(client.baseUrl.length)),
      post: async () => bring(client, { id: '', xml: '', url, fields: formIn(client, await there.text()) }),
    };
    const answer = await back[binding]();

    expect(server.logoutRequests.at(-1)).toMatchObject({ isVerified: true, nameId: 'ada' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(SIGN_IN_PAGE);
  });

  it('a logout started by the identity provider gets a signed response', async () => {
    const { client } = await staff.signIn({ nameId: 'bob' });
    const message = server.idp.logoutRequest(asked(staff, client, { nameId: 'bob' }));

    await fetch((await bring(client, message)).headers.get('location') ?? '');

    expect(server.logoutResponses.at(-1)).toMatchObject({
      isVerified: true,
      inResponseTo: message.id,
      status: SUCCESS,
    });
  });
});

function formIn(client: HttpClient, text: string): Readonly<Record<string, string>> {
  const page = { text, request: 'the page of the identity provider', status: 200, headers: new Headers() };
  const { SAMLResponse = '' } = formOf(client, { ...page, cookies: [], body: {} }).fields;
  return { SAMLResponse };
}
