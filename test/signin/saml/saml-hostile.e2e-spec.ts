import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { EDGES } from '../../support/saml/hostile-answers.js';
import { HOSTILE_RESPONSES } from '../../support/saml/hostile-responses.js';
import { type Bent, type HostileResponse, honestXml, type Scene } from '../../support/saml/hostile-scene.js';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { type Lure, openLure } from '../../support/login/lure.js';
import { replaced } from '../../support/saml/saml-xml.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const CROSS_SITE = { origin: 'https://idp.test', 'sec-fetch-site': 'cross-site' };
/** Milliseconds within which hostile responses are rejected. */
const LIMIT = 5_000;
/** Milliseconds after which a request is aborted: more than the limit, since the machine may stall. */
const DEADLINE = 4 * LIMIT;
/** The same body for every reason, so that a caller cannot learn which check failed. */
const SAME = {
  type: 'urn:login:error:saml-response-invalid',
  title: 'The response of the identity provider is not accepted',
  status: 401,
  code: 'SAML_RESPONSE_INVALID',
  instance: '/saml/corp/acs',
};

onSqlite('hostile SAML responses', (engine) => {
  const service = makeCertificate({ name: 'service', key: 'rsa' });
  const bundle = 'app.ssl.bundle.pem.saml.keystore';
  const people = {
    'roles.attribute': ROLES,
    'roles.map[Admins]': 'ROLE_ADMIN',
    'roles.map[Treasury]': 'ROLE_TREASURY',
  };
  const staff = staffStoryOn(
    engine,
    { corp: { ...people, bundle: 'saml' }, other: {} },
    { args: [`--${bundle}.certificate=${service.certificate}`, `--${bundle}.private-key=${service.key}`], people: 1 },
  );
  let lure: Lure;
  const durations: { readonly title: string; readonly millis: number }[] = [];

  beforeAll(async () => {
    lure = await openLure();
  });
  afterAll(async () => {
    await lure[Symbol.asyncDispose]();
    const [slowest] = durations.toSorted((one, other) => other.millis - one.millis);
    if (slowest)
      process.stdout.write(
        `${durations.length} hostile answers, slowest ${slowest.millis.toFixed(0)} ms: ${slowest.title}\n`,
      );
  });

  async function scene(): Promise<Scene> {
    const client = staff.client();
    return { staff, client, request: await staff.depart(client), lure: lure.url, certificate: service.pem };
  }

  function post(client: HttpClient, form: Exclude<Bent, string>): Promise<Answer> {
    const headers = { ...CROSS_SITE, ...form.headers };
    return client.send('POST', '/saml/corp/acs', { ...form, headers, signal: AbortSignal.timeout(DEADLINE) });
  }

  async function countOf(table: 'session' | 'account'): Promise<number> {
    const [row] = await staff.story.database.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    return row?.count ?? 0;
  }

  async function stateOf(): Promise<readonly number[]> {
    return Promise.all([countOf('session'), countOf('account')]);
  }

  /** Duration of the same response again, after one was late: the machine may have stalled. */
  async function millisOf(bend: HostileResponse['bend']): Promise<number> {
    const here = await scene();
    const bent = await bend(here);
    const begun = performance.now();
    await post(here.client, typeof bent === 'string' ? { form: staff.posted(bent, here.request) } : bent);
    return performance.now() - begun;
  }

  it.each(HOSTILE_RESPONSES.map((row) => [row.title, row.reason, row] as const))(
    '%s is rejected with the reason %s',
    async (title, reason, { bend }) => {
      const here = await scene();
      const bent = await bend(here);
      const form = typeof bent === 'string' ? { form: staff.posted(bent, here.request) } : bent;
      const [before, events] = [await stateOf(), (await staff.samlEvents()).length];

      const begun = performance.now();
      const answer = await post(here.client, form);
      const millis = performance.now() - begun;
      durations.push({ title, millis });

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect(answer.cookies).toEqual([]);
      expect((await staff.samlEvents()).slice(events)).toMatchObject([
        { kind: 'SAML_REJECTED', idp: 'corp', result: 'refused', reason, user_id: null },
      ]);
      expect(await stateOf()).toEqual(before);
      expect(answer.body).toEqual({
        ...SAME,
        timestamp: answer.body['timestamp'],
        request_id: answer.body['request_id'],
      });
      expect(lure.calls).toBe(0);
      expect((await staff.signIn({}, { client: here.client })).answer.status).toBe(303);
      expect(millis < LIMIT || (await millisOf(bend)) < LIMIT).toBe(true);
    },
  );

  it('X13: a form with two responses is rejected', async () => {
    const { client, request } = await scene();
    const form = new URLSearchParams(staff.posted(staff.response(request), request));
    form.append('SAMLResponse', form.get('SAMLResponse') ?? '');
    const before = await stateOf();

    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await post(client, { raw: form.toString(), headers });

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
    expect(await stateOf()).toEqual(before);
  });

  it.each(EDGES.map((edge) => [edge.what, edge] as const))(
    'X10: a genuine response is accepted at the last millisecond of its %s',
    async (_, { at, last }) => {
      const { answer } = await staff.signIn(at(staff.story.clock.millis + last));

      expect(answer.status).toBe(303);
    },
  );

  it('a KeyInfo that refers to a URL is ignored', async () => {
    const here = await scene();
    const pointing = `<ds:KeyInfo><ds:RetrievalMethod URI="${here.lure}"/></ds:KeyInfo>`;
    const xml = replaced(honestXml(here, { assertionId: '_key' }), /<ds:KeyInfo>.*<\/ds:KeyInfo>/s, pointing);

    expect((await post(here.client, { form: staff.posted(xml, here.request) })).status).toBe(303);
    expect(lure.calls).toBe(0);
  });

  const OASIS = 'urn:oasis:names:tc:SAML:2.0:ac:classes';
  it.each([
    `${OASIS}:PasswordProtectedTransport`,
    `${MFA_CLASS}2`,
    `${MFA_CLASS} `,
    ` ${MFA_CLASS}`,
    MFA_CLASS.toLowerCase(),
    MFA_CLASS.replace('MultiFactor', 'Multi\u0424actor'),
    MFA_CLASS.replace('MultiFactor', 'Password/MultiFactor'),
    `urn:evil:${MFA_CLASS}`,
    `${OASIS}:MultiFactor#x`,
    `${OASIS}:SmartcardPKI`,
    'urn:login:acr:mfa',
    'constructor',
    '__proto__',
  ])('X14: the class %j gives amr pwd', async (authnContextClassRef) => {
    const { client } = await staff.signIn({ authnContextClassRef });

    const { amr, acr } = decodeJwt(await staff.accessToken(client));
    expect([amr, acr]).toEqual([['pwd'], 'urn:login:acr:pwd']);
  });

  it.each<readonly [string, (xml: string) => string]>([
    [
      'an AuthnContextDecl',
      (xml) =>
        replaced(
          xml,
          '</saml:AuthnContext>',
          `<saml:AuthnContextDecl>${MFA_CLASS}</saml:AuthnContextDecl></saml:AuthnContext>`,
        ),
    ],
    [
      'an AuthenticatingAuthority',
      (xml) =>
        replaced(
          xml,
          '</saml:AuthnContext>',
          `<saml:AuthenticatingAuthority>${MFA_CLASS}</saml:AuthenticatingAuthority></saml:AuthnContext>`,
        ),
    ],
    [
      'an Advice',
      (xml) =>
        replaced(
          xml,
          '</saml:Conditions>',
          `</saml:Conditions><saml:Advice><saml:AuthnContextClassRef>${MFA_CLASS}</saml:AuthnContextClassRef></saml:Advice>`,
        ),
    ],
    [
      'a class of another namespace',
      (xml) =>
        replaced(
          xml,
          '</saml:AuthnContext>',
          `<x:AuthnContextClassRef xmlns:x="urn:x">${MFA_CLASS}</x:AuthnContextClassRef></saml:AuthnContext>`,
        ),
    ],
    [
      'an attribute that is not configured',
      (xml) =>
        replaced(
          xml,
          '</saml:Assertion>',
          `<saml:AttributeStatement><saml:Attribute Name="http://schemas.microsoft.com/claims/authnmethodsreferences"><saml:AttributeValue>${MFA_CLASS}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>`,
        ),
    ],
  ])('X14: a stronger class in %s is ignored', async (_, bendAssertion) => {
    const { client, answer } = await staff.signIn({ authnContextClassRef: PASSWORD_CLASS, bendAssertion });

    expect(answer.status).toBe(303);
    expect(decodeJwt(await staff.accessToken(client))['amr']).toEqual(['pwd']);
  });

  it('X14: an unsigned statement beside the assertion is ignored', async () => {
    const here = await scene();
    const statement = `<saml:AuthnStatement xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><saml:AuthnContext><saml:AuthnContextClassRef>${MFA_CLASS}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
    const honest = honestXml(here, { assertionId: '_beside', authnContextClassRef: PASSWORD_CLASS });
    const xml = replaced(honest, '<samlp:Status>', `<samlp:Extensions>${statement}</samlp:Extensions><samlp:Status>`);

    expect((await post(here.client, { form: staff.posted(xml, here.request) })).status).toBe(303);
    expect(decodeJwt(await staff.accessToken(here.client))['amr']).toEqual(['pwd']);
  });

  async function subjectOf(client: HttpClient): Promise<unknown> {
    return decodeJwt(await staff.accessToken(client)).sub;
  }

  it('X15: a name equal to the login id of a local account gives another account', async () => {
    const local = staff.story.person();

    const { client } = await staff.signIn({ nameId: local.id });

    expect(await subjectOf(client)).not.toBe(await staff.story.subjectOf(local));
    expect(await subjectOf(client)).toBe(await staff.story.subjectOf({ id: `corp:${local.id}` }));
  });

  it('X15: the same name from another identity provider gives another account', async () => {
    const [corp, other] = [
      await staff.signIn({ nameId: 'eve' }),
      await staff.signIn({ nameId: 'eve' }, { idp: 'other' }),
    ];

    expect(await subjectOf(corp.client)).not.toBe(await subjectOf(other.client));
  });

  it('X15: names that differ in any character give different accounts', async () => {
    const names = [
      'grace',
      'Grace',
      'GRACE',
      ' grace',
      'grace ',
      'gr\u00e4ce',
      'gra\u0308ce',
      'gr\uff41ce',
      'gr\u0430ce',
      'grace\u200b',
    ];
    const subjects = new Set<unknown>();

    for (const nameId of names) subjects.add(await subjectOf((await staff.signIn({ nameId })).client));

    expect(subjects.size).toBe(names.length);
  });

  it('X15: a different NameQualifier gives a different account', async () => {
    const qualified = (NameQualifier: string) => (xml: string) =>
      replaced(xml, '<saml:NameID', `<saml:NameID NameQualifier="${NameQualifier}"`);
    const bent = [
      { nameId: 'hal' },
      { nameId: 'hal', bendAssertion: qualified('https://a.test') },
      { nameId: 'hal', bendAssertion: qualified('https://b.test') },
      { nameId: 'hal', bendAssertion: qualified('') },
      { nameId: 'https://a.test!hal' },
      { nameId: 'test!hal', bendAssertion: qualified('https://a') },
      { nameId: 'b!hal', bendAssertion: qualified('a') },
      { nameId: 'hal', bendAssertion: qualified('a!b') },
    ];
    const subjects: unknown[] = [];

    for (const each of bent) subjects.push(await subjectOf((await staff.signIn(each)).client));

    expect(new Set(subjects).size).toBe(bent.length);
    const own = await staff.signIn({ nameId: 'hal', bendAssertion: qualified(staff.idp().entityId) });
    expect(await subjectOf(own.client)).toBe(subjects[0]);
  });

  it.each(['Nobody', 'ROLE_ADMIN', 'admins', 'Admins ', 'Admins,Treasury', 'constructor', '__proto__', ''])(
    'X15: the unmapped group %j gives no role',
    async (group) => {
      const { client } = await staff.signIn({ nameId: 'ida', attributes: { [ROLES]: [group] } });

      expect(decodeJwt(await staff.accessToken(client))['roles']).toEqual([]);
    },
  );

  it('X15: a weak class does not satisfy a policy that requires a second factor', async () => {
    const { client, answer } = await staff.signIn({
      nameId: 'joan',
      attributes: { [ROLES]: 'Admins' },
      authnContextClassRef: PASSWORD_CLASS,
    });

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toContain('/2fa/portal/');
    expect(setCookie(answer, 'refresh_token')).toBeUndefined();
    expect((await client.get('/me')).status).not.toBe(200);
  });

  it.each([
    'https://elsewhere.test/',
    '//elsewhere.test',
    '/\\elsewhere.test',
    '\\\\elsewhere.test',
    '/%2felsewhere.test',
    '/%5celsewhere.test',
    '/%255celsewhere.test',
    '/..//elsewhere.test',
    '/%2e%2e/%2felsewhere.test',
    '/\t/elsewhere.test',
    '/\n/elsewhere.test',
    '/x\r\nset-cookie: a=b',
    'javascript:alert(1)',
    'data:text/html,x',
    ' //elsewhere.test',
    'portal',
    '',
    '/\u2028/x',
    `/${'a'.repeat(2_000)}`,
  ])('X16: return_to=%j leads to the home page', async (returnTo) => {
    const { answer } = await staff.signIn({ nameId: 'kim' }, { query: `?return_to=${encodeURIComponent(returnTo)}` });

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/');
  });

  it('S7: a planted session is not adopted but ended', async () => {
    const { client: planted } = await staff.signIn({ nameId: 'mallory' });
    const client = staff.client();
    const fixed = planted.cookie('SESSION') ?? '';
    client.plant('SESSION', fixed);

    const { answer } = await staff.signIn({ nameId: 'liz' }, { client });

    expect(setCookie(answer, 'SESSION')?.value).not.toBe(fixed);
    expect((await planted.get('/me')).status).toBe(401);
  });

  it('SAML requests and responses are sent with Cache-Control: no-store', async () => {
    const { client, answer } = await staff.signIn();
    const departure = await client.get('/saml/corp/login');

    expect([answer, departure].map(({ headers }) => headers.get('cache-control'))).toEqual(['no-store', 'no-store']);
  });

  it('X11: forty concurrent large responses do not stop the service', { timeout: 60_000 }, async () => {
    const groups = `<saml:AttributeStatement><saml:Attribute Name="g">${'<saml:AttributeValue a="" b="" c="">g</saml:AttributeValue>'.repeat(1_000)}</saml:Attribute></saml:AttributeStatement></saml:Assertion>`;
    const scenes = await Promise.all(Array.from({ length: 40 }, scene));
    const forms = scenes.map((here) => {
      const xml = replaced(honestXml(here), '</saml:Assertion>', groups);
      return staff.posted(xml, here.request);
    });
    const over = new AbortController();
    const signal = AbortSignal.timeout(2 * DEADLINE);

    const all = Promise.all(
      scenes.map(({ client }, at) =>
        client.send('POST', '/saml/corp/acs', { form: forms[at] ?? {}, headers: CROSS_SITE, signal }),
      ),
    ).finally(() => {
      over.abort();
    });
    const alive: number[] = [];
    const pulse = staff.client();
    do alive.push((await pulse.get('/actuator/health/liveness', { signal: AbortSignal.timeout(DEADLINE) })).status);
    while (!over.signal.aborted);

    for (const answer of await all) expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(new Set(alive)).toEqual(new Set([200]));
    expect(alive.length).toBeGreaterThan(3);
    expect(await staff.lastRejection()).toBe('signature');
  });
});

onSqlite('a response for another service with a public URL', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: {} },
    { args: ['--app.security.public-url=https://login.test'], people: 1 },
  );

  it('X7: a response for another host is rejected even when the Host header names that host', async () => {
    const client = staff.client();
    Object.assign(client.headers, { host: 'elsewhere.test', 'x-forwarded-host': 'elsewhere.test' });
    const request = await staff.depart(client);
    const there = {
      acsUrl: 'https://elsewhere.test/saml/corp/acs',
      audience: 'https://elsewhere.test/saml/corp/metadata',
    };

    const answer = await staff.arrive(client, staff.posted(staff.response(request, there), request));

    expect(request.acsUrl).toBe('https://login.test/saml/corp/acs');
    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('destination');
  });
});
