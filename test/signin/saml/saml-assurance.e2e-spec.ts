import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, setCookie, textOf } from '../../support/http/http-client.js';
import { refresh } from '../../support/login/login-story.js';
import { MULTIPART, multipart } from '../../support/http/multipart.js';
import type { ResponseOptions } from '../../support/saml/saml-response.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, type StaffStory, staffStoryOn } from '../../support/saml/staff-story.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';

const TOKEN_CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:TimeSyncToken';
const UNKNOWN_CLASS = 'https://idp.test/classes/unheard-of';
const REFEDS_MFA = 'https://refeds.org/profile/mfa';
const REFEDS_SFA = 'https://refeds.org/profile/sfa';
const CARD_CLASS = 'https://idp.test/classes/card';
const METHODS = 'http://schemas.microsoft.com/claims/authnmethodsreferences';
const MULTIPLE = 'http://schemas.microsoft.com/claims/multipleauthn';
const ACR_MFA = 'urn:login:acr:mfa';
const ACR_PWD = 'urn:login:acr:pwd';

const VERIFY_PAGE = '/2fa/portal/verify?return_to=%2F';
const SETUP_PAGE = '/2fa/portal/setup?return_to=%2F';
const MINUTE = 60;
const FORCED = '?prompt=login';

const BY_ROLES = { 'roles.attribute': ROLES, 'roles.map[Admins]': 'ROLE_ADMIN' };
const DEMANDED = { attributes: { [ROLES]: ['Admins'] } };

const STRONG: readonly (readonly [string, readonly string[]])[] = [
  [MFA_CLASS, ['pwd', 'otp']],
  ['MultiFactor', ['pwd', 'otp']],
  [TOKEN_CLASS, ['otp']],
  ['TimeSyncToken', ['otp']],
];
const WEAK: readonly (string | null)[] = [PASSWORD_CLASS, UNKNOWN_CLASS, `${MFA_CLASS}/`, null];

let nameCount = 0;

/** The name of a user who has not signed in before. */
function newName(): string {
  nameCount += 1;
  return `staff-${nameCount}`;
}

/** The claims of a new access token. */
async function claimsOf(staff: StaffStory, client: HttpClient): Promise<Readonly<Record<string, unknown>>> {
  return decodeJwt(await staff.accessToken(client));
}

async function enrol(staff: StaffStory, client: HttpClient): Promise<AuthenticatorApp> {
  const setup = await client.post('/2fa/setup');
  expect(setup).toBeAnswered(201);
  const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
  expect(await client.post('/2fa/confirm', { code: staff.story.codeOf(app) })).toBeAnswered(200);
  return app;
}

/** A call that requires a second factor of the last five minutes. */
function importing(client: HttpClient): Promise<Answer> {
  const raw = multipart({ content: 'login_id,roles\n', fileName: 'nobody.csv' });
  return client.send('POST', '/admin/users/import', { raw, headers: { 'content-type': MULTIPART } });
}

/** Expects that only the routes of the second factor are permitted. */
async function expectHalf(client: HttpClient, answer: Answer): Promise<void> {
  expect(answer.status).toBe(303);
  expect(setCookie(answer, 'refresh_token')).toBeUndefined();
  expect(await client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
  expect(await client.get('/sessions')).toBeRefused(403, 'MFA_REQUIRED');
  expect(await client.get('/2fa')).toBeRefused(403, 'MFA_REQUIRED');
  expect(await client.get('/me/settlement')).toBeRefused(403, 'MFA_REQUIRED');
  expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
}

onAnyEngine('assurance of staff sign-ins', (engine) => {
  const staff = staffStoryOn(engine, {
    deny: { ...BY_ROLES, 'on-missing-mfa': 'deny' },
    local: { ...BY_ROLES, 'on-missing-mfa': 'local-totp' },
    accept: BY_ROLES,
    report: { ...BY_ROLES, 'on-missing-mfa': 'deny', 'report-only': 'true' },
  });
  const signIn = (idp: string, bent: Partial<ResponseOptions>, query = ''): ReturnType<StaffStory['signIn']> =>
    staff.signIn({ nameId: newName(), attributes: { [ROLES]: [] }, ...bent }, { idp, query });
  const newest = async (kind: string): Promise<object | undefined> =>
    (await staff.samlEvents()).findLast((event) => event.kind === kind);

  describe.each(['deny', 'local', 'accept', 'report'])('sign-ins with a second factor at the provider %s', (idp) => {
    it.each(STRONG)('X14: a sign-in with class %s is complete', async (authnContextClassRef, amr) => {
      for (const bent of [{}, DEMANDED]) {
        const { client, answer } = await signIn(idp, { authnContextClassRef, ...bent });

        expect(answer.headers.get('location')).toBe('/');
        const claims = await claimsOf(staff, client);
        expect(claims).toMatchObject({ amr, acr: ACR_MFA, idp, authn_context: authnContextClassRef });
        expect(await client.get('/me/settlement')).toBeAnswered(200);
        expect(await newest('SAML_OK')).toMatchObject({ idp, reason: null, authn_context: authnContextClassRef });
      }
    });
  });

  it.each(WEAK)('X14: on-missing-mfa=deny rejects a sign-in with class %s', async (classRef) => {
    const nameId = newName();
    for (const bent of [{}, DEMANDED]) {
      const { client, answer } = await signIn('deny', { nameId, authnContextClassRef: classRef, ...bent });

      expect(answer).toBeRefused(403, 'SAML_MFA_MISSING');
      expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      const event = { idp: 'deny', result: 'refused', reason: 'mfa_missing', authn_context: classRef };
      expect(await newest('SAML_REJECTED')).toMatchObject(event);
    }
    const accounts = await staff.story.database.query('SELECT id FROM account WHERE login_id = ?', [`deny:${nameId}`]);
    expect(accounts).toEqual([]);
  });

  it.each(WEAK)(
    'X14: on-missing-mfa=local-totp leaves a sign-in with class %s half-authenticated',
    async (classRef) => {
      for (const bent of [{}, DEMANDED]) {
        const { client, answer } = await signIn('local', { authnContextClassRef: classRef, ...bent });

        expect(answer.headers.get('location')).toBe(SETUP_PAGE);
        await expectHalf(client, answer);
        expect(await newest('SAML_OK')).toMatchObject({ idp: 'local', reason: 'local', amr: null });
      }
    },
  );

  it.each(WEAK)('X14: on-missing-mfa=accept-as-pwd treats a sign-in with class %s as a password', async (classRef) => {
    const { client } = await signIn('accept', { authnContextClassRef: classRef });

    const claims = await claimsOf(staff, client);
    expect(claims).toMatchObject({ amr: ['pwd'], acr: ACR_PWD, idp: 'accept' });
    expect(claims['authn_context']).toBe(classRef ?? undefined);
    expect(claims).not.toHaveProperty('mfa_at');
    expect(await client.get('/me/settlement')).toBeRefused(401, 'STEP_UP_REQUIRED');
  });

  it.each(WEAK)('X15: a sign-in with class %s does not bypass the policy of the account', async (classRef) => {
    const { client, answer } = await signIn('accept', { authnContextClassRef: classRef, ...DEMANDED });

    expect(answer.headers.get('location')).toBe(SETUP_PAGE);
    await expectHalf(client, answer);
  });

  it.each(WEAK)('report-only records a sign-in with class %s and treats it like accept-as-pwd', async (classRef) => {
    const free = await signIn('report', { authnContextClassRef: classRef });
    expect(await newest('SAML_OK')).toMatchObject({ idp: 'report', reason: 'would_deny', authn_context: classRef });
    expect(await claimsOf(staff, free.client)).toMatchObject({ amr: ['pwd'] });

    const demanded = await signIn('report', { authnContextClassRef: classRef, ...DEMANDED });
    expect(await newest('SAML_OK')).toMatchObject({ idp: 'report', reason: 'local would_deny' });
    await expectHalf(demanded.client, demanded.answer);
  });

  it.each([
    ['no policy requires', {}],
    ['policy requires', DEMANDED],
  ])(
    'a half-authenticated sign-in that %s is completed by enrolment, and later by a one-time code',
    async (_, bent) => {
      const person = { nameId: newName(), authnContextClassRef: PASSWORD_CLASS, ...bent };
      const first = await signIn('local', person, FORCED);
      const half = first.client.copy();
      const enrolledAt = staff.story.clock.seconds;
      const app = await enrol(staff, first.client);

      expect(await half.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await claimsOf(staff, first.client)).toMatchObject({
        amr: ['pwd', 'otp'],
        idp: 'local',
        mfa_at: enrolledAt,
      });

      const second = await signIn('local', person);
      expect(second.answer.headers.get('location')).toBe(VERIFY_PAGE);
      await expectHalf(second.client, second.answer);
      expect(await second.client.post('/2fa/setup')).toBeRefused(403, 'MFA_REQUIRED');
      const old = second.client.copy();
      const verified = await second.client.post('/2fa/verify', { code: staff.story.nextCode({ app }) });

      expect(verified).toBeAnswered(200);
      expect(verified.body).toMatchObject({ amr: ['pwd', 'otp'], mfa_method: 'totp' });
      expect(verified.body).not.toHaveProperty('access_token');
      expect(setCookie(verified, 'SESSION')?.value).not.toBe(old.cookie('SESSION'));
      expect(setCookie(verified, 'refresh_token')?.attributes).toMatchObject({ httponly: true, samesite: 'Strict' });
      expect(await old.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await claimsOf(staff, second.client)).toMatchObject({
        amr: ['pwd', 'otp'],
        acr: ACR_MFA,
        idp: 'local',
        authn_context: PASSWORD_CLASS,
        mfa_method: 'totp',
        mfa_at: staff.story.clock.seconds,
      });
      const me = await second.client.get('/me');
      expect(me.body).toMatchObject({ id: `local:${person.nameId}`, idp: 'local', amr: ['pwd', 'otp'] });
      expect(await second.client.get('/me/settlement')).toBeAnswered(200);
    },
  );

  it('a local second factor is not used unless it is required', async () => {
    const nameId = newName();
    const first = await signIn('accept', { nameId, authnContextClassRef: PASSWORD_CLASS }, FORCED);
    await enrol(staff, first.client);

    const second = await signIn('accept', { nameId, authnContextClassRef: PASSWORD_CLASS });

    expect(await claimsOf(staff, second.client)).toMatchObject({ amr: ['pwd'] });
    const demanded = await signIn('accept', { nameId, authnContextClassRef: PASSWORD_CLASS, ...DEMANDED });
    expect(demanded.answer.headers.get('location')).toBe(VERIFY_PAGE);
  });

  it('a local one-time code steps up the staff session', async () => {
    const { client } = await signIn('accept', { authnContextClassRef: PASSWORD_CLASS }, FORCED);
    const app = await enrol(staff, client);
    const before = await claimsOf(staff, client);

    staff.story.clock.advance(10 * MINUTE);
    const answer = await client.post('/2fa/verify', { code: staff.story.nextCode({ app }) });

    expect(answer).toBeAnswered(200);
    const { sid, auth_time: authTime } = before;
    const after = { sid, auth_time: authTime, idp: 'accept', authn_context: PASSWORD_CLASS };
    expect(await claimsOf(staff, client)).toMatchObject({ ...after, mfa_at: staff.story.clock.seconds });
  });

  it('a staff session ends at SessionNotOnOrAfter', async () => {
    const { clock } = staff.story;
    const end = clock.millis + 15 * MINUTE * 1000;
    const { client, answer } = await signIn('accept', { authnContextClassRef: MFA_CLASS, sessionNotOnOrAfter: end });
    expect(setCookie(answer, 'refresh_token')?.attributes['max-age']).toBe(String(15 * MINUTE));

    clock.advance(10 * MINUTE);
    const renewed = await refresh(client);
    const bearer = textOf(renewed, 'access_token');
    expect(renewed.body['expires_in']).toBe(5 * MINUTE);
    expect(setCookie(renewed, 'refresh_token')?.attributes['max-age']).toBe(String(5 * MINUTE));
    clock.advance(5 * MINUTE - 1);
    expect(await client.get('/me')).toBeAnswered(200);
    expect(await client.copy().get('/me', { bearer })).toBeAnswered(200);
    clock.advance(1);

    expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    expect(await staff.client().get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
  });

  it('SessionNotOnOrAfter also bounds a session that a local code completes', async () => {
    const end = staff.story.clock.millis + 15 * MINUTE * 1000;
    const { client } = await signIn(
      'local',
      { authnContextClassRef: PASSWORD_CLASS, sessionNotOnOrAfter: end },
      FORCED,
    );
    await enrol(staff, client);

    staff.story.clock.advance(15 * MINUTE - 1);
    expect(await client.get('/me')).toBeAnswered(200);
    staff.story.clock.advance(1);

    expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
  });

  it('a refresh keeps the claims of a staff sign-in', async () => {
    const { client } = await signIn('accept', { authnContextClassRef: TOKEN_CLASS });
    const before = await claimsOf(staff, client);

    staff.story.clock.advance(5 * MINUTE);
    const after = await claimsOf(staff, client);

    const kept = ['sub', 'sid', 'amr', 'acr', 'auth_time', 'mfa_at', 'mfa_method', 'idp', 'authn_context'];
    expect(kept.map((name) => after[name])).toEqual(kept.map((name) => before[name]));
    expect(after['iat']).not.toBe(before['iat']);
  });

  it('auth_time is AuthnInstant, so an old one requires step-up', async () => {
    const hourAgo = staff.story.clock.millis - 60 * MINUTE * 1000;
    const person = { nameId: newName(), authnContextClassRef: MFA_CLASS, ...DEMANDED };

    const { client } = await signIn('accept', { ...person, authnInstant: hourAgo }, FORCED);

    const seen = hourAgo / 1000;
    expect(await claimsOf(staff, client)).toMatchObject({ auth_time: seen, mfa_at: seen, mfa_method: 'idp' });
    expect(await client.get('/me/settlement')).toBeAnswered(200);
    expect(await importing(client)).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(await client.post('/2fa/backup-codes')).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(await client.post('/2fa/setup')).toBeRefused(401, 'STEP_UP_REQUIRED');
    const fresh = await signIn('accept', person, FORCED);
    expect(await importing(fresh.client)).toBeAnswered(200);
    expect(await fresh.client.post('/2fa/setup')).toBeAnswered(201);
  });

  it('auth_time is never in the future when the clock of the provider is ahead', async () => {
    const ahead = staff.story.clock.millis + 30_000;

    const { client } = await signIn('accept', { authnContextClassRef: MFA_CLASS, authnInstant: ahead }, FORCED);

    const now = staff.story.clock.seconds;
    expect(await claimsOf(staff, client)).toMatchObject({ auth_time: now, mfa_at: now });
  });

  it('a staff sign-in ends the previous staff session of the browser', async () => {
    const { client } = await signIn('accept', { authnContextClassRef: PASSWORD_CLASS });
    const former = client.copy();
    const bearer = await staff.accessToken(former);

    await staff.signIn({ nameId: newName() }, { client, idp: 'local' });

    expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    expect(await staff.client().get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(former)).toBeRefused(401, 'REFRESH_INVALID');
  });

  it('a staff sign-in ends the password session of the browser', async () => {
    const { id, password: pw } = staff.story.person();
    const client = staff.client();
    expect(await client.post('/session', { id, pw })).toBeAnswered(200);
    const former = client.copy();

    await staff.signIn({ nameId: newName() }, { client, idp: 'accept' });

    expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    expect((await client.get('/me')).body).toMatchObject({ idp: 'accept' });
  });
});

onSqlite('authentication context classes of staff sign-ins', (engine) => {
  const staff = staffStoryOn(engine, {
    oasis: {},
    refeds: { 'authn-context.presets': 'refeds' },
    microsoft: { 'authn-context.presets': 'oasis,microsoft', 'authn-context.attribute': METHODS },
    mapped: {},
  });
  writeFileSync(
    join(staff.story.cwd, 'application.yml'),
    `app:
  security:
    saml:
      idp:
        mapped:
          authn-context:
            map:
              "[${CARD_CLASS}]": pwd,otp
              "[${MFA_CLASS}]": pwd
`,
  );

  it.each([
    ['oasis', REFEDS_MFA, ['pwd']],
    ['refeds', REFEDS_MFA, ['pwd', 'otp']],
    ['refeds', REFEDS_SFA, ['pwd']],
    ['refeds', MFA_CLASS, ['pwd']],
    ['microsoft', MULTIPLE, ['pwd', 'otp']],
    ['microsoft', MFA_CLASS, ['pwd', 'otp']],
    ['mapped', CARD_CLASS, ['pwd', 'otp']],
    ['mapped', MFA_CLASS, ['pwd']],
    ['mapped', TOKEN_CLASS, ['otp']],
    // The acr of this service has no meaning in a response.
    ['oasis', ACR_MFA, ['pwd']],
  ])('X14: the provider %s maps class %s to %j', async (idp, authnContextClassRef, amr) => {
    const { client } = await staff.signIn({ nameId: newName(), authnContextClassRef }, { idp });

    const acr = amr.includes('otp') ? ACR_MFA : ACR_PWD;
    expect(await claimsOf(staff, client)).toMatchObject({ amr, acr, authn_context: authnContextClassRef });
  });

  it.each([
    [
      ['http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password', MULTIPLE],
      ['pwd', 'otp'],
    ],
    [['http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password'], ['pwd']],
    [['http://schemas.microsoft.com/claims/wiaormultiauthn'], ['pwd']],
    [[`${MULTIPLE}/`, MULTIPLE.toUpperCase()], ['pwd']],
  ])('X14: an attribute with the methods %j gives amr %j', async (values, amr) => {
    const bent = { nameId: newName(), authnContextClassRef: PASSWORD_CLASS, attributes: { [METHODS]: values } };

    const named = await staff.signIn(bent, { idp: 'microsoft' });
    const unnamed = await staff.signIn(bent, { idp: 'oasis' });

    expect(await claimsOf(staff, named.client)).toMatchObject({ amr, authn_context: PASSWORD_CLASS });
    expect(await claimsOf(staff, unnamed.client)).toMatchObject({ amr: ['pwd'] });
  });
});

onSqlite('requests for staff sign-ins', (engine) => {
  const staff = staffStoryOn(engine, {
    exact: { 'authn-context.request': PASSWORD_CLASS, 'idp-initiated': 'true' },
    minimum: { 'authn-context.request': PASSWORD_CLASS, 'authn-context.comparison': 'minimum' },
    better: { 'authn-context.request': PASSWORD_CLASS, 'authn-context.comparison': 'better' },
    strict: { 'authn-context.request': MFA_CLASS, 'on-missing-mfa': 'deny', 'idp-initiated': 'true' },
    forced: { 'force-authn': 'true' },
    plain: {},
  });
  const invited = (idp: string, authnContextClassRef: string | null): Promise<Answer> => {
    const client = staff.client();
    const acsUrl = `${client.baseUrl}/saml/${idp}/acs`;
    const audience = `${client.baseUrl}/saml/${idp}/metadata`;
    const now = staff.story.clock.millis;
    const xml = staff.idp(idp).response({ acsUrl, audience, now, nameId: newName(), authnContextClassRef });
    return staff.arrive(client, staff.posted(xml, { relayState: undefined }), idp);
  };

  it('a request without configuration has no class and is not forced', async () => {
    const request = await staff.depart(staff.client(), '', 'plain');

    expect(request).toMatchObject({ isForced: false, requestedClasses: [], comparison: undefined });
  });

  it('force-authn makes every request forced', async () => {
    expect(await staff.depart(staff.client(), '', 'forced')).toMatchObject({ isForced: true, requestedClasses: [] });
  });

  it.each(['exact', 'minimum', 'better'])('a request contains the class with comparison %s', async (idp) => {
    const request = await staff.depart(staff.client(), '', idp);

    expect(request).toMatchObject({ requestedClasses: [PASSWORD_CLASS], comparison: idp, isForced: false });
  });

  it.each([
    ['exact', PASSWORD_CLASS, ['pwd']],
    ['minimum', PASSWORD_CLASS, ['pwd']],
    ['minimum', MFA_CLASS, ['pwd', 'otp']],
    ['better', TOKEN_CLASS, ['otp']],
    ['strict', MFA_CLASS, ['pwd', 'otp']],
  ])('the request to provider %s accepts class %s', async (idp, authnContextClassRef, amr) => {
    const { client } = await staff.signIn({ nameId: newName(), authnContextClassRef }, { idp });

    expect(await claimsOf(staff, client)).toMatchObject({ amr });
  });

  it.each([
    ['exact', MFA_CLASS],
    ['exact', UNKNOWN_CLASS],
    ['exact', null],
    ['minimum', UNKNOWN_CLASS],
    ['minimum', null],
  ])('the request to provider %s rejects class %s', async (idp, authnContextClassRef) => {
    const { answer } = await staff.signIn({ nameId: newName(), authnContextClassRef }, { idp });

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('authn_context');
  });

  it('the requested class also applies to sign-ins that the identity provider starts', async () => {
    expect(await invited('exact', PASSWORD_CLASS)).toBeAnswered(303);
    expect(await invited('exact', MFA_CLASS)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('authn_context');
    expect(await invited('exact', null)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await invited('strict', MFA_CLASS)).toBeAnswered(303);
    expect(await invited('strict', PASSWORD_CLASS)).toBeRefused(403, 'SAML_MFA_MISSING');
  });
});

onAnyEngine('step-up at the identity provider', (engine) => {
  const staff = staffStoryOn(engine, {
    corp: { 'authn-context.step-up': `${MFA_CLASS},${CARD_CLASS}` },
    firm: { 'authn-context.step-up': `${MFA_CLASS},${CARD_CLASS}`, 'on-missing-mfa': 'deny' },
    plain: {},
  });
  const ASK = `?acr=${ACR_MFA}&return_to=/portal/settlement`;
  const weak = (nameId: string, query = ''): ReturnType<StaffStory['signIn']> =>
    staff.signIn({ nameId, authnContextClassRef: PASSWORD_CLASS }, { query });

  it('a step-up request is forced and asks for a class with otp', async () => {
    const { client } = await weak(newName());

    const request = await staff.depart(client, ASK);

    expect(request).toMatchObject({ isForced: true, requestedClasses: [MFA_CLASS], comparison: 'exact' });
  });

  it('a step-up request may name one class', async () => {
    const request = await staff.depart(staff.client(), `?acr=${encodeURIComponent(CARD_CLASS)}`);

    expect(request).toMatchObject({ isForced: true, requestedClasses: [CARD_CLASS] });
  });

  it('a step-up opens routes that require otp, in a new session of the same user', async () => {
    const nameId = newName();
    const { client } = await weak(nameId);
    const former = client.copy();
    const before = await client.get('/me');
    expect(await client.get('/me/settlement')).toBeRefused(401, 'STEP_UP_REQUIRED');

    const { answer } = await staff.signIn({ nameId, authnContextClassRef: MFA_CLASS }, { client, query: ASK });

    expect(answer.headers.get('location')).toBe('/portal/settlement');
    expect(await client.get('/me/settlement')).toBeAnswered(200);
    expect((await client.get('/me')).body['sub']).toBe(before.body['sub']);
    expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('a step-up by another user is rejected, and the session stays unchanged', async () => {
    const { client } = await weak(newName());
    const before = await client.get('/me');

    const { answer } = await staff.signIn(
      { nameId: newName(), authnContextClassRef: MFA_CLASS },
      { client, query: ASK },
    );

    expect(answer).toBeRefused(403, 'SAML_USER_NOT_ALLOWED');
    expect(await staff.lastRejection()).toBe('other_user');
    expect((await client.get('/me')).body).toEqual(before.body);
    expect(await refresh(client)).toBeAnswered(200);
    expect(await client.get('/me/settlement')).toBeRefused(401, 'STEP_UP_REQUIRED');
  });

  it('a step-up with a weaker class asks for a local one-time code', async () => {
    const nameId = newName();
    const { client } = await weak(nameId, FORCED);
    await enrol(staff, client);
    const again = await weak(nameId);

    const { answer } = await staff.signIn(
      { nameId, authnContextClassRef: PASSWORD_CLASS },
      { client: again.client, query: ASK },
    );

    expect(answer.headers.get('location')).toBe('/2fa/portal/verify?return_to=%2Fportal%2Fsettlement');
    await expectHalf(again.client, answer);
  });

  it('a step-up with a weaker class is rejected with on-missing-mfa=deny', async () => {
    const nameId = newName();
    const { client } = await staff.signIn({ nameId, authnContextClassRef: MFA_CLASS }, { idp: 'firm' });
    const before = await client.get('/me');

    const { answer } = await staff.signIn(
      { nameId, authnContextClassRef: PASSWORD_CLASS },
      { client, query: ASK, idp: 'firm' },
    );

    expect(answer).toBeRefused(403, 'SAML_MFA_MISSING');
    expect((await client.get('/me')).body).toEqual(before.body);
  });

  it('a step-up accepts only the class that was requested by name', async () => {
    const nameId = newName();
    const { client } = await weak(nameId);

    const { answer } = await staff.signIn(
      { nameId, authnContextClassRef: MFA_CLASS },
      { client, query: `?acr=${encodeURIComponent(CARD_CLASS)}` },
    );

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('authn_context');
    expect(await client.get('/me')).toBeAnswered(200);
  });

  it('J8: the acr of this service in place of a class does not complete a step-up', async () => {
    const nameId = newName();
    const { client } = await weak(nameId);

    const { answer } = await staff.signIn({ nameId, authnContextClassRef: ACR_MFA }, { client, query: ASK });

    expect(answer.headers.get('location')).toMatch(/^\/2fa\/portal\/setup/);
    await expectHalf(client, answer);
  });

  it.each([
    ['corp', 'urn:login:acr:pwd'],
    ['corp', UNKNOWN_CLASS],
    ['corp', PASSWORD_CLASS],
    ['corp', MFA_CLASS.toUpperCase()],
    ['corp', ''],
    ['plain', ACR_MFA],
    ['plain', MFA_CLASS],
  ])('the provider %s rejects a step-up with acr=%s', async (idp, acr) => {
    const answer = await staff.client().get(`/saml/${idp}/login?acr=${encodeURIComponent(acr)}`);

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
  });
});
