import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { type HttpClient, setCookie } from '../../support/http/http-client.js';
import { makeKeyPair } from '../../support/saml/identity-provider.js';
import { formOf, visit } from '../../support/pages/pages.js';
import { type AuthnRequest, readAuthnRequest } from '../../support/saml/saml-messages.js';
import { MFA_CLASS, PASSWORD_CLASS, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

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

onSqlite('SAML requests and responses', (engine) => {
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

  /** The request in the form of the page that posts it. */
  async function posted(client: HttpClient, idp: string): Promise<AuthnRequest> {
    const page = await visit(client, `/saml/${idp}/login`);
    return readAuthnRequest(formOf(client, page).fields, own.pem);
  }

  describe('authentication requests', () => {
    it('a request names issuer, ACS URL, binding and destination', async () => {
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

    it('a request asks for no class by default', async () => {
      const { requestedClasses, comparison } = await asked('corp');

      expect(requestedClasses).toEqual([]);
      expect(comparison).toBeUndefined();
    });

    it('a redirect request is signed in the query with the key of the bundle', async () => {
      expect(await asked('signing')).toMatchObject({
        isSigned: true,
        signatureAlgorithm: RSA_SHA256,
        isVerified: true,
      });
    });

    it('a posted request has an embedded signature', async () => {
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

    it('a request asks for the configured classes, comparison and forced authentication', async () => {
      expect(await asked('asking')).toMatchObject({
        isForced: true,
        requestedClasses: [PASSWORD_CLASS, REFEDS_MFA],
        comparison: 'minimum',
      });
    });

    it('a request asks for a persistent NameID unless an attribute names the account', async () => {
      expect((await asked('corp')).nameIdPolicyFormat).toBe(PERSISTENT);
      expect((await asked('naming')).nameIdPolicyFormat).toBeUndefined();
    });
  });

  it('account.attribute names the account regardless of the NameID', async () => {
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

  describe('encrypted assertions', () => {
    it.each(['aes128-gcm', 'aes256-gcm'] as const)('an assertion encrypted with %s is accepted', async (content) => {
      const bent = { nameId: 'eve', authnContextClassRef: MFA_CLASS, encryptFor: own.pem, encryption: { content } };

      const { client, answer } = await staff.signIn(bent, { idp: 'signing' });

      expect(answer.status).toBe(303);
      expect(decodeJwt(await staff.accessToken(client))).toMatchObject({ amr: ['pwd', 'otp'] });
    });

    it.each(['assertion', 'both'] as const)(
      'S1: an assertion encrypted like Keycloak with xmlenc11#rsa-oaep and SHA-256 is accepted, signed: %s',
      async (signed) => {
        const bent = { signed, encryptFor: own.pem, encryption: { key: 'rsa-oaep' } } as const;

        const { answer } = await staff.signIn(bent, { idp: 'signing' });

        expect(answer.status, (await staff.lastRejection()) ?? '').toBe(303);
      },
    );

    it.each([
      ['the assertion', 'assertion', 'aes256-gcm'],
      ['the response too, with AES-CBC', 'both', 'aes256-cbc'],
    ] as const)(
      'M1: an EncryptedKey beside the EncryptedData that refers to it is accepted, signed: %s',
      async (_, signed, content) => {
        const encryption = { content, keyPlacement: 'beside' } as const;

        const { answer } = await staff.signIn({ signed, encryptFor: own.pem, encryption }, { idp: 'signing' });

        expect(answer.status, (await staff.lastRejection()) ?? '').toBe(303);
      },
    );

    it('an encrypted assertion in a signed response is accepted', async () => {
      const { answer } = await staff.signIn({ signed: 'both', encryptFor: own.pem }, { idp: 'whole' });

      expect(answer.status).toBe(303);
    });

    it('M3: AES-CBC is accepted only in a signed response, and otherwise has a reason of its own', async () => {
      const bent = { encryptFor: own.pem, encryption: { content: 'aes256-cbc' } } as const;

      const { answer: covered } = await staff.signIn({ ...bent, signed: 'both' }, { idp: 'signing' });
      const { answer: bare } = await staff.signIn(bent, { idp: 'signing' });

      expect(covered.status).toBe(303);
      expect(bare).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('unsigned_cbc');
    });

    it('AES-CBC in a response with a foreign signature is rejected', async () => {
      const bent = { encryptFor: own.pem, encryption: { content: 'aes256-cbc' }, signed: 'both' } as const;

      const { answer } = await staff.signIn({ ...bent, signature: { keyPair: foreignKey } }, { idp: 'signing' });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('signature');
    });

    it.each([
      ['a key wrapped by RSA 1.5', 'signing', { encryptFor: own.pem, encryption: { key: 'rsa-1_5' } }, 'algorithm'],
      ['a foreign key', 'signing', { encryptFor: foreignKey.certificate }, 'decryption'],
      ['no key in this service', 'corp', { encryptFor: own.pem }, 'decryption'],
    ] as const)('an encrypted assertion with %s is rejected', async (_, idp, bent, reason) => {
      const { answer } = await staff.signIn(bent, { idp });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe(reason);
    });
  });

  describe('signed-response=true', () => {
    it('signed-response=true rejects a signed assertion in an unsigned response', async () => {
      const { answer } = await staff.signIn({ signed: 'assertion' }, { idp: 'whole' });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('signature');
    });

    it('signed-response=true accepts a signed assertion in a signed response', async () => {
      expect((await staff.signIn({ signed: 'both' }, { idp: 'whole' })).answer.status).toBe(303);
    });
  });

  it('a signed response without a signed assertion is rejected', async () => {
    const { answer } = await staff.signIn({ signed: 'response' });

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('signature');
  });

  describe('unsolicited responses', () => {
    it('X8: an unsolicited response is rejected', async () => {
      const bent = { inResponseTo: null };
      const request = await staff.depart(staff.client());

      const answer = await staff.arrive(
        staff.client(),
        staff.posted(staff.response(request, bent), { relayState: undefined }),
      );

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('unsolicited');
    });

    it('X9: idp-initiated=true accepts an unsolicited response once and redirects to the home page', async () => {
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

    it('X8: idp-initiated=true still binds a solicited response to the browser of its request', async () => {
      const request = await staff.depart(staff.client(), '', 'open');
      const form = staff.posted(staff.response(request, {}, 'open'), request);

      expect(await staff.arrive(staff.client(), form, 'open')).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(await staff.lastRejection()).toBe('other_browser');
    });
  });
});

onSqlite('a key change of an identity provider', (engine) => {
  const old = makeKeyPair('old');
  const staff = staffStoryOn(
    engine,
    { corp: { certificates: [old.certificate, newKey.certificate].join(',') } },
    { people: 0 },
  );

  it.each([
    ['old', old],
    ['new', newKey],
  ])('a signature with the %s of two configured keys is accepted', async (_, keyPair) => {
    expect((await staff.signIn({ signature: { keyPair } })).answer.status).toBe(303);
  });

  it('X5: a signature with a third key is rejected', async () => {
    const { answer } = await staff.signIn({ signature: { keyPair: foreignKey } });

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('signature');
  });
});

onSqlite('SAML below a context path with a public URL', (engine) => {
  const BASE = 'https://login.example.org/auth';
  const staff = staffStoryOn(
    engine,
    { corp: { 'on-missing-mfa': 'local-totp' } },
    { people: 0, args: ['--server.servlet.context-path=/auth', `--app.security.public-url=${BASE}`] },
  );

  it('issuer and ACS URL follow the public URL regardless of the Host header', async () => {
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

  it('a sign-in ends at return_to below the context path', async () => {
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

  it('X16: a return_to above the context path leads to the home page', async () => {
    const { answer } = await staff.signIn(
      { authnContextClassRef: MFA_CLASS },
      { query: '?return_to=/portal/accounts' },
    );

    expect(answer.headers.get('location')).toBe('/auth/');
  });

  it('a required enrolment is redirected below the context path', async () => {
    const { answer } = await staff.signIn({ nameId: 'new', authnContextClassRef: PASSWORD_CLASS });

    expect(answer.headers.get('location')).toBe('/auth/2fa/portal/setup?return_to=%2Fauth%2F');
  });
});

onSqlite('SAML behind a proxy with forwarded headers', (engine) => {
  const staff = staffStoryOn(engine, { corp: {} }, { people: 0, args: ['--server.forward-headers-strategy=native'] });

  it('X7: issuer and ACS URL ignore forwarded headers, because any client can send them', async () => {
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
