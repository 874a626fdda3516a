import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/certificates.js';
import { type HttpClient, setCookie } from '../support/http-client.js';
import { makeKeyPair } from '../support/identity-provider.js';
import { formOf, visit } from '../support/pages.js';
import { type AuthnRequest, readAuthnRequest } from '../support/saml-messages.js';
import { MFA_CLASS, PASSWORD_CLASS, staffStoryOn } from '../support/staff-story.js';
import { onSqlite } from '../support/story-database.js';

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const PERSON_ATTRIBUTE = 'urn:test:person';
const REFEDS_MFA = 'https://refeds.org/profile/mfa';
const MINUTE = 60;

const own = makeCertificate({ name: 'saml.test', key: 'rsa' });
const BUNDLE = [
  `--app.ssl.bundle.pem.saml.keystore.certificate=file:${own.certificate}`,
  `--app.ssl.bundle.pem.saml.keystore.private-key=file:${own.key}`,
];
const [newKey, foreignKey] = [makeKeyPair('new'), makeKeyPair('foreign')];

onSqlite('what goes to identity providers and comes back', (engine) => {
  const staff = staffStoryOn(
    engine,
    {
      corp: {},
      signing: { bundle: 'saml' },
      posting: { bundle: 'saml', 'sso-binding': 'post' },
      asking: {
        'force-authn': 'true',
        'authn-context.request': `${PASSWORD_CLASS},${REFEDS_MFA}`,
        'authn-context.comparison': 'minimum',
        'authn-context.presets': 'oasis,refeds',
      },
      naming: { 'account.attribute': PERSON_ATTRIBUTE },
      whole: { 'signed-response': 'true', bundle: 'saml' },
      open: { 'idp-initiated': 'true' },
    },
    { people: 0, args: BUNDLE },
  );

  async function asked(idp: string, query = ''): Promise<AuthnRequest> {
    const answer = await staff.client().get(`/saml/${idp}/login${query}`);
    return readAuthnRequest(answer.headers.get('location') ?? '', own.pem);
  }

  /** By the form of the page that posts it. */
  async function posted(client: HttpClient, idp: string): Promise<AuthnRequest> {
    const page = await visit(client, `/saml/${idp}/login`);
    return readAuthnRequest(formOf(client, page).fields, own.pem);
  }

  describe('a request for a login', () => {
    it('names us, where to answer and by which binding, and goes to single sign-on', async () => {
      const answer = await staff.client().get('/saml/corp/login');
      const request = readAuthnRequest(answer.headers.get('location') ?? '');

      const base = `${staff.story.service.url}/saml/corp`;
      expect(request).toMatchObject({
        binding: 'redirect',
        issuer: `${base}/metadata`,
        acsUrl: `${base}/acs`,
        protocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
        destination: 'https://idp.test/sso',
        isForced: false,
        isPassive: false,
        isSigned: false,
      });
      expect(answer.headers.get('location')).toMatch(/^https:\/\/idp\.test\/sso\?SAMLRequest=/);
      expect(answer.headers.get('cache-control')).toContain('no-store');
    });

    it('asks for no class of its own accord', async () => {
      const { requestedClasses, comparison } = await asked('corp');

      expect(requestedClasses).toEqual([]);
      expect(comparison).toBeUndefined();
    });

    it('is signed in the query with the key of the bundle', async () => {
      expect(await asked('signing')).toMatchObject({
        isSigned: true,
        signatureAlgorithm: RSA_SHA256,
        isVerified: true,
      });
    });

    it('is signed inside, where it is posted', async () => {
      const client = staff.client();

      const request = await posted(client, 'posting');

      expect(request).toMatchObject({ binding: 'post', isSigned: true, signatureAlgorithm: RSA_SHA256 });
      expect(request.isVerified).toBe(true);
      const answer = await staff.arrive(
        client,
        staff.posted(staff.response(request, {}, 'posting'), request),
        'posting',
      );
      expect(answer.status).toBe(303);
    });

    it('asks for classes with a comparison and for a new proof, as it is configured', async () => {
      expect(await asked('asking')).toMatchObject({
        isForced: true,
        requestedClasses: [PASSWORD_CLASS, REFEDS_MFA],
        comparison: 'minimum',
      });
    });

    it('asks for a persistent name, or for none where an attribute names the person', async () => {
      expect((await asked('corp')).nameIdPolicyFormat).toBe(PERSISTENT);
      expect((await asked('naming')).nameIdPolicyFormat).toBeUndefined();
    });
  });

  it('an attribute names the person, whatever the NameID', async () => {
    const first = await staff.signIn(
      { nameId: 'ada@one.test', nameIdFormat: EMAIL, attributes: { [PERSON_ATTRIBUTE]: 'ada' } },
      { idp: 'naming' },
    );
    const second = await staff.signIn(
      { nameId: 'ada@two.test', nameIdFormat: EMAIL, attributes: { [PERSON_ATTRIBUTE]: 'ada' } },
      { idp: 'naming' },
    );

    const subjects = await Promise.all(
      [first, second].map(async ({ client }) => (await client.get('/me')).body['sub']),
    );
    expect(subjects[0]).toEqual(expect.any(String));
    expect(subjects[1]).toBe(subjects[0]);
  });

  describe('an encrypted assertion', () => {
    it.each(['aes128-gcm', 'aes256-gcm'] as const)('counts under %s', async (content) => {
      const bent = { nameId: 'eve', authnContextClassRef: MFA_CLASS, encryptFor: own.pem, encryption: { content } };

      const { client, answer } = await staff.signIn(bent, { idp: 'signing' });

      expect(answer.status).toBe(303);
      expect(decodeJwt(await staff.accessToken(client))).toMatchObject({ amr: ['pwd', 'otp'] });
    });

    it.each(['assertion', 'both'] as const)(
      'S1: counts as Keycloak encrypts it, by xmlenc11#rsa-oaep with SHA-256, signed: %s',
      async (signed) => {
        const bent = { signed, encryptFor: own.pem, encryption: { key: 'rsa-oaep' } } as const;

        const { answer } = await staff.signIn(bent, { idp: 'signing' });

        expect(answer.status, (await staff.lastRejection()) ?? '').toBe(303);
      },
    );

    it('counts within a signed response, too', async () => {
      const { answer } = await staff.signIn({ signed: 'both', encryptFor: own.pem }, { idp: 'whole' });

      expect(answer.status).toBe(303);
    });

    it('of AES-CBC counts under a signature of the response alone', async () => {
      const bent = { encryptFor: own.pem, encryption: { content: 'aes256-cbc' } } as const;

      const { answer: covered } = await staff.signIn({ ...bent, signed: 'both' }, { idp: 'signing' });
      const { answer: bare } = await staff.signIn(bent, { idp: 'signing' });

      expect(covered.status).toBe(303);
      expect(bare).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('algorithm');
    });

    it('of AES-CBC in a response that somebody else signed is refused', async () => {
      const bent = { encryptFor: own.pem, encryption: { content: 'aes256-cbc' }, signed: 'both' } as const;

      const { answer } = await staff.signIn({ ...bent, signature: { keyPair: foreignKey } }, { idp: 'signing' });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('signature');
    });

    it.each([
      ['a key wrapped by RSA 1.5', 'signing', { encryptFor: own.pem, encryption: { key: 'rsa-1_5' } }, 'algorithm'],
      ['another one’s key', 'signing', { encryptFor: foreignKey.certificate }, 'decryption'],
      ['no key of ours', 'corp', { encryptFor: own.pem }, 'decryption'],
    ] as const)('with %s is refused', async (_, idp, bent, reason) => {
      const { answer } = await staff.signIn(bent, { idp });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe(reason);
    });
  });

  describe('where the response must be signed', () => {
    it('a signed assertion alone is refused', async () => {
      const { answer } = await staff.signIn({ signed: 'assertion' }, { idp: 'whole' });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('signature');
    });

    it('both signatures count', async () => {
      expect((await staff.signIn({ signed: 'both' }, { idp: 'whole' })).answer.status).toBe(303);
    });
  });

  it('a signed response without a signed assertion is refused', async () => {
    const { answer } = await staff.signIn({ signed: 'response' });

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('signature');
  });

  describe('a login that nobody asked for', () => {
    it('X8: is refused', async () => {
      const bent = { inResponseTo: null };
      const request = await staff.depart(staff.client());

      const answer = await staff.arrive(
        staff.client(),
        staff.posted(staff.response(request, bent), { relayState: undefined }),
      );

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('unsolicited');
    });

    it('X9: counts once where it is allowed, and ends on the start page', async () => {
      const request = await staff.depart(staff.client(), '', 'open');
      const form = staff.posted(staff.response(request, { inResponseTo: null }, 'open'), {
        relayState: 'https://elsewhere.test/',
      });
      const client = staff.client();

      const answer = await staff.arrive(client, form, 'open');

      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('/');
      expect(await client.get('/me')).toBeAnswered(200);
      expect(await staff.arrive(staff.client(), form, 'open')).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('replay');
    });

    it('X8: an answer to a request is still for the browser that asked, where it is allowed', async () => {
      const request = await staff.depart(staff.client(), '', 'open');
      const form = staff.posted(staff.response(request, {}, 'open'), request);

      expect(await staff.arrive(staff.client(), form, 'open')).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('other_browser');
    });
  });
});

onSqlite('while an identity provider changes its key', (engine) => {
  const old = makeKeyPair('old');
  const staff = staffStoryOn(
    engine,
    { corp: { certificates: [old.certificate, newKey.certificate].join(',') } },
    { people: 0 },
  );

  it.each([
    ['the old', old],
    ['the new', newKey],
  ])('%s one counts', async (_, keyPair) => {
    expect((await staff.signIn({ signature: { keyPair } })).answer.status).toBe(303);
  });

  it('X5: a third one does not', async () => {
    const { answer } = await staff.signIn({ signature: { keyPair: foreignKey } });

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('signature');
  });
});

onSqlite('below a context path, known under another name', (engine) => {
  const BASE = 'https://login.example.org/auth';
  const staff = staffStoryOn(
    engine,
    { corp: { 'on-missing-mfa': 'local-totp' } },
    { people: 0, args: ['--server.servlet.context-path=/auth', `--app.security.public-url=${BASE}`] },
  );

  it('who we are and where to answer is what the world calls us, whatever the request says', async () => {
    const headers = { host: 'elsewhere.test', 'x-forwarded-host': 'elsewhere.test', 'x-forwarded-proto': 'http' };

    const answer = await staff.client().get('/saml/corp/login', { headers });

    expect(readAuthnRequest(answer.headers.get('location') ?? '')).toMatchObject({
      issuer: `${BASE}/saml/corp/metadata`,
      acsUrl: `${BASE}/saml/corp/acs`,
    });
    expect(setCookie(answer, 'saml_request')?.attributes).toEqual({
      path: '/auth/saml',
      'max-age': String(5 * MINUTE),
      httponly: true,
      secure: true,
      samesite: 'None',
    });
  });

  it('they end on the page below it that they wanted', async () => {
    const there = '/auth/portal/accounts';
    const { client, answer } = await staff.signIn(
      { authnContextClassRef: MFA_CLASS },
      { query: `?return_to=${encodeURIComponent(there)}` },
    );

    expect(answer.headers.get('location')).toBe(there);
    expect(setCookie(answer, 'SESSION')?.attributes['path']).toBe('/auth/');
    expect(setCookie(answer, 'refresh_token')?.attributes['path']).toBe('/auth/token');
    expect(setCookie(answer, 'saml_request')?.attributes).toMatchObject({ path: '/auth/saml' });
    expect(client.cookie('saml_request')).toBeUndefined();
    expect(await client.get('/me')).toBeAnswered(200);
  });

  it('X16: a page above it is not theirs', async () => {
    const { answer } = await staff.signIn(
      { authnContextClassRef: MFA_CLASS },
      { query: '?return_to=/portal/accounts' },
    );

    expect(answer.headers.get('location')).toBe('/auth/');
  });

  it('a code that is due here is asked for below it', async () => {
    const { answer } = await staff.signIn({ nameId: 'new', authnContextClassRef: PASSWORD_CLASS });

    expect(answer.headers.get('location')).toBe('/auth/2fa/portal/setup?return_to=%2Fauth%2F');
  });
});

onSqlite('behind a proxy that says under which name it was called', (engine) => {
  const staff = staffStoryOn(engine, { corp: {} }, { people: 0, args: ['--server.forward-headers-strategy=native'] });

  it('X7: that name is not ours, as whoever asks can write it', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'login.test',
      'x-forwarded-proto': 'https',
    };

    const answer = await staff.client().get('/saml/corp/login', { headers });

    const { acsUrl, issuer } = readAuthnRequest(answer.headers.get('location') ?? '');
    expect(acsUrl).toMatch(/^http:\/\/localhost:\d+\/saml\/corp\/acs$/);
    expect(issuer).toMatch(/^http:\/\/localhost:\d+\/saml\/corp\/metadata$/);
  });
});
