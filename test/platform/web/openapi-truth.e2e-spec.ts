import { describe, expect, it } from 'vitest';
import { exampleOf } from '../../../src/platform/web/openapi/example.js';
import { type JsonSchema, type OperationObject, operationsOf } from '../../../src/platform/web/openapi/document.js';
import { StoryLinks, tokenIn } from '../../support/login/account-links.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { describedStoryOn } from '../../support/login/described-story.js';
import { type Answer, type Members, textOf, textsOf } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, refresh, secondStep } from '../../support/login/login-story.js';
import { MULTIPART, multipart } from '../../support/http/multipart.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { BROWSER, formOf, submit, visit } from '../../support/pages/pages.js';
import { sendSignIn, signInOptions } from '../../support/passkey/passkey-login.js';
import { assert, creationOptions, PasskeyStory, requestOptions } from '../../support/passkey/passkey-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();
const FORM = 'application/x-www-form-urlencoded';
const CLIENT_SECRET = 'introspection-of-the-shop';
const BASIC = { authorization: `Basic ${Buffer.from(`shop:${CLIENT_SECRET}`).toString('base64')}` };
const NEW_PASSWORD = 'eight loud lanterns & 2 harbours';
const KEYS = [
  '--app.security.mfa.trusted-device.enabled=true',
  '--app.security.mfa.passkey.sign-in=on',
  `--app.security.clients.shop.secret=${CLIENT_SECRET}`,
  '--app.security.mfa.required-roles=ROLE_BOSS',
  '--app.security.mfa.access-code.policy=after-reset',
];
/** Operations whose success responses appear only in the tests below the first. */
const BY_OTHER_TESTS = [
  ...['DELETE /session', 'GET /session', 'POST /admin/users/import', 'POST /session'],
  ...['GET /admin/users', 'POST /admin/users', 'GET /admin/users/{sub}', 'PATCH /admin/users/{sub}'],
  ...['DELETE /admin/users/{sub}', 'POST /admin/users/{sub}/unlock', 'POST /admin/users/{sub}/mfa/reset'],
  ...['POST /admin/users/{sub}/password', 'GET /admin/users/{sub}/sessions', 'DELETE /admin/users/{sub}/sessions'],
  ...['DELETE /admin/users/{sub}/sessions/{id}', 'GET /admin/users/{sub}/devices'],
  ...['DELETE /admin/users/{sub}/devices/{id}', 'GET /admin/users/{sub}/export'],
  ...['DELETE /admin/users/{sub}/authenticators/{id}', 'POST /admin/users/{sub}/access-code'],
  ...['GET /admin/events', 'GET /admin/events/export', 'POST /admin/keys/rotate', 'GET /admin/clients'],
  ...[
    'POST /portal/login',
    'GET /portal/logout',
    'POST /portal/logout',
    'GET /portal/resume',
    'GET /2fa/portal/verify',
    'POST /2fa/portal/verify',
  ],
  ...['POST /password/forgot', 'POST /password/reset', 'POST /unlock', 'POST /invitation', 'POST /account/not-me'],
  ...['POST /me/email', 'POST /account/email'],
  ...['GET /2fa/portal/setup', 'POST /2fa/portal/setup', 'GET /2fa/portal/confirm', 'POST /2fa/portal/confirm'],
  ...['GET /2fa/portal/passkey', 'POST /2fa/portal/passkey', 'GET /2fa/portal/codes', 'POST /2fa/portal/codes'],
  ...['GET /portal/login/passkey', 'POST /portal/login/passkey', 'POST /login/passkey', 'POST /login/passkey/options'],
  ...['GET /assets/{name}', 'POST /portal/password-strength'],
  ...['forgot', 'reset', 'invitation', 'unlock', 'not-me', 'email'].flatMap((page) => [
    `GET /portal/${page}`,
    `POST /portal/${page}`,
  ]),
  ...['POST /portal/security/email', 'POST /portal/security/verify-email', 'GET /portal/security/email'],
  ...['', '/activity', '/password', '/backup-codes', '/replace', '/turn-off', '/add-app', '/add-passkey'].map(
    (end) => `GET /portal/security${end}`,
  ),
  ...['rename', 'remove'].flatMap((act) => [
    `GET /portal/security/authenticators/{id}/${act}`,
    `POST /portal/security/authenticators/{id}/${act}`,
  ]),
  ...['add-app', 'add-passkey'].map((end) => `POST /portal/security/${end}`),
  ...['end-session', 'end-device', 'language', 'password', 'backup-codes', 'replace', 'turn-off'].map(
    (end) => `POST /portal/security/${end}`,
  ),
  ...['', '/users', '/new-user', '/import', '/events', '/applications'].map((end) => `GET /portal/admin${end}`),
  ...['', '/access', '/activity', '/{act}'].map((part) => `GET /portal/admin/users/{sub}${part}`),
  ...['/new-user', '/import'].map((end) => `POST /portal/admin${end}`),
  ...[
    ...['unlock', 'reset', 'change', 'roles', 'password', 'invite', 'disable', 'enable', 'delete'],
    'access-code',
    ...['remove-authenticator', 'end-session', 'end-device'],
  ].map((act) => `POST /portal/admin/users/{sub}/${act}`),
  ...['GET /saml', 'GET /saml/forward.js', 'GET /saml/{idp}/login', 'POST /saml/{idp}/acs'],
  ...['GET /saml/{idp}/metadata', 'GET /saml/{idp}/slo', 'POST /saml/{idp}/slo', 'POST /saml/{idp}/logout'],
];
const NOTHING_PACKAGED = '--app.config.location=optional:file:./none/';

/** Values of the keys `app.json.*`, and the form of an instant with them. */
const SETTINGS: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['the packaged values', [], /^"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"$/],
  ['no values', [NOTHING_PACKAGED], /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/],
  [
    'timestamps and an empty format',
    ['--app.json.date-format=', '--app.json.serialization.write-dates-as-timestamps=true'],
    /^\d{13}$/,
  ],
  [
    'a custom format, a time zone and no empty members',
    [
      "--app.json.date-format=EEE, d MMM yyyy 'at' h:mm a XXX",
      '--app.json.time-zone=Asia/Seoul',
      '--app.json.default-property-inclusion=non_empty',
    ],
    /\+09:00"$/,
  ],
];

describe.each(SETTINGS)('app.json with %s', (_, args, instant) => {
  onSqlite('the OpenAPI document', (engine) => {
    const story = describedStoryOn(engine, {
      people: 12,
      args: [...KEYS, ...args],
      others: { boss: 'ROLE_BOSS', admin: 'ROLE_ADMIN' },
    });

    let enrolledAdmin: Enrolled | undefined;
    const administrator = async (): Promise<Enrolled> =>
      (enrolledAdmin ??= await story.enrolled({ id: 'admin', password: PASSWORD }));
    const links = new StoryLinks(story);

    it('the OpenAPI document matches every response of a user journey through all operations', async () => {
      const openers = [
        '/portal/login',
        '/docs',
        '/openapi.json',
        '/.well-known/jwks.json',
        '/.well-known/oauth-authorization-server',
        '/favicon.ico',
      ];
      for (const path of openers) expect(await story.client().get(path)).toBeAnswered(200);
      for (const path of ['/', '/.well-known/change-password']) {
        expect(await story.client().get(path)).toBeAnswered(303);
      }

      // Enrolment, with QR codes and one wrong code.
      const person = story.person();
      const client = story.client();
      client.headers['user-agent'] = 'The kitchen computer';
      const first = await story.signInByPassword(person, client);
      let bearer = first.accessToken;
      expect(await client.get('/me', { bearer })).toBeAnswered(200);
      expect(await client.get('/me/settlement', { bearer })).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect((await client.get('/2fa', { bearer })).body).toMatchObject({ state: 'none' });
      expect(await client.post('/2fa/verify', { code: '000000' }, { bearer })).toBeRefused(409, 'MFA_STATE_CONFLICT');
      const setup = await client.post('/2fa/setup', { pw: PASSWORD }, { bearer });
      expect(setup).toBeAnswered(201);
      const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
      const enrolled = { ...person, app, client, accessToken: bearer, backupCodes: textsOf(setup, 'backup_codes') };
      for (const path of ['/2fa/setup/qr.svg', '/2fa/setup/qr.png']) {
        expect(await client.get(path, { bearer })).toBeAnswered(200);
        expect(await client.get(path, { bearer })).toBeRefused(404, 'NOT_FOUND');
      }
      expect((await client.get('/2fa', { bearer })).body).toMatchObject({ state: 'pending' });
      const wrong = story.wrongCode(enrolled);
      expect(await client.post('/2fa/confirm', { code: wrong }, { bearer })).toBeRefused(401, 'MFA_CODE_INVALID');
      const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer });
      expect(confirmed).toBeAnswered(200);
      bearer = textOf(confirmed, 'access_token');
      const state = await client.get('/2fa', { bearer });
      expect(state.body).toMatchObject({ state: 'active' });
      expect(JSON.stringify(state.body['activated_at'])).toMatch(instant);

      // Sign-in in two steps, in a browser that becomes trusted.
      const { accessToken } = await story.signIn(enrolled, client, { trust_device: true });
      bearer = accessToken;
      expect(await client.get('/me/settlement', { bearer })).toBeAnswered(200);
      expect(await refresh(client)).toBeAnswered(200);
      expect((await story.login(person, client)).body).toMatchObject({ mfa_required: false });
      const devices = await client.get('/me/devices', { bearer });
      expect(itemsOf(devices)).toHaveLength(1);
      expect(await client.delete(`/me/devices/${String(itemsOf(devices)[0]?.['id'])}`, { bearer })).toBeAnswered(204);
      expect(await client.delete('/me/devices/none', { bearer })).toBeRefused(404, 'NOT_FOUND');
      const token = await story.mfaToken(person);
      expect(await secondStep(story.client(), token, enrolled.backupCodes[0] ?? '')).toBeAnswered(200);
      expect(await secondStep(story.client(), token, enrolled.backupCodes[1] ?? '')).toBeRefused(
        401,
        'MFA_TOKEN_INVALID',
      );

      // Events, sessions and introspection.
      const events = await client.get('/me/events?limit=3', { bearer });
      expect(itemsOf(events)).toHaveLength(3);
      expect(await client.get(`/me/events?limit=200&after=${textOf(events, 'next')}`, { bearer })).toBeAnswered(200);
      const sessions = await client.get('/sessions', { bearer });
      const other = itemsOf(sessions).find(({ current }) => current !== true);
      expect(await client.delete(`/sessions/${String(other?.['id'])}`, { bearer })).toBeAnswered(204);
      expect(await client.delete('/sessions', { bearer })).toBeAnswered(204);
      for (const form of [{ token: bearer }, { token: 'x', token_type_hint: 'access_token' }]) {
        const shown = await story.client().send('POST', '/token/introspect', { form, headers: BASIC });
        expect(shown).toBeAnswered(200);
      }
      const stranger = await story.client().send('POST', '/token/introspect', { form: { token: bearer } });
      expect(stranger).toBeRefused(401, 'INVALID_CREDENTIALS');

      // Operations that require a recent second factor.
      story.clock.advance(301);
      expect(await client.post('/2fa/backup-codes', {}, { bearer })).toBeRefused(401, 'STEP_UP_REQUIRED');
      const raised = await client.post('/2fa/verify', { code: story.codeOf(app) }, { bearer });
      expect(raised).toBeAnswered(200);
      bearer = textOf(raised, 'access_token');
      const reissued = await client.post('/2fa/backup-codes', {}, { bearer });
      expect(reissued).toBeAnswered(201);
      const change = { current: PASSWORD, new: NEW_PASSWORD };
      expect(await client.post('/me/password', { ...change, new: 'short' }, { bearer })).toBeRefused(
        400,
        'VALIDATION_FAILED',
      );
      expect(await client.post('/me/password', change, { bearer })).toBeAnswered(204);

      // A passkey beside the app, a login by it, and the end of the app.
      const authenticator = new PasskeyStory(story).authenticator();
      const passkeys = '/2fa/passkeys';
      const creation = await creationOptions(client, { bearer });
      const credential = authenticator.register(creation);
      const added = await client.post(passkeys, { credential, name: 'Blue key' }, { bearer });
      expect(added).toBeAnswered(201);
      expect(await client.post(passkeys, { credential }, { bearer })).toBeRefused(409, 'MFA_STATE_CONFLICT');
      const half = await story.mfaToken({ ...person, password: NEW_PASSWORD });
      const assertion = authenticator.assert(await requestOptions(client, { bearer: half }));
      expect(await assert(client, { bearer: half }, assertion)).toBeAnswered(200);
      expect(await assert(client, { bearer }, assertion)).toBeRefused(401, 'MFA_CODE_INVALID');
      const own = `/2fa/authenticators/${textOf(added, 'id')}`;
      expect(await client.send('PATCH', own, { json: { name: 'Green key' }, bearer })).toBeAnswered(204);
      expect(await client.send('PATCH', `${own}x`, { json: { name: 'Green key' }, bearer })).toBeRefused(
        404,
        'NOT_FOUND',
      );
      expect((await client.get('/2fa', { bearer })).body).toMatchObject({
        authenticators: [{}, { name: 'Green key' }],
      });
      expect(await client.delete(own, { bearer })).toBeAnswered(204);
      const byBackupCode = { code: textsOf(reissued, 'backup_codes')[0] };
      expect(await client.post('/2fa/verify', byBackupCode, { bearer })).toBeAnswered(200);
      expect(await client.post('/2fa/disable', { code: story.nextCode(enrolled) }, { bearer })).toBeAnswered(204);
      expect(await client.post('/logout', {}, { bearer })).toBeAnswered(204);
      expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await client.post('/token/revoke')).toBeAnswered(204);
      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
      const left = story.openApi.operations.filter((operation) => !story.openApi.answered.has(operation));
      expect(left.toSorted()).toEqual(BY_OTHER_TESTS.toSorted());
    });

    it('the OpenAPI document matches the responses of portal sessions', async () => {
      const person = await story.enrolled();
      const [browser, plain] = [story.client(), story.client()];

      const half = await browser.post('/session', { id: person.id, pw: PASSWORD });
      expect(half.body).toMatchObject({ authorities: ['ROLE_PRE_MFA'] });
      expect(await browser.get('/session')).toBeRefused(403, 'MFA_REQUIRED');
      expect(await browser.post('/2fa/verify', { code: story.nextCode(person) })).toBeAnswered(200);
      expect(await browser.get('/session')).toBeAnswered(200);
      expect(await browser.get('/sessions')).toBeAnswered(200);
      expect(await browser.delete('/session')).toBeAnswered(204);
      const { id, password: pw } = story.person();
      expect((await plain.post('/session', { id, pw })).body).toMatchObject({ mfa_required: false });
      const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } };
      expect(await plain.post('/logout', {}, crossSite)).toBeRefused(403, 'CROSS_SITE');
      expect(await plain.post('/logout')).toBeAnswered(204);
    });

    it('the OpenAPI document matches the responses to mailed links', async () => {
      const person = await story.enrolled();
      const client = story.client();

      const printed = await story.command('users', 'invite', `invited-${person.id}`, '--print-link');
      await story.lock(person);
      const token = await links.token(person, 'unlock');

      expect(await client.post('/password/forgot', { id: person.id })).toBeAnswered(202);
      expect(await client.post('/unlock', { token })).toBeAnswered(204);
      expect(await client.post('/unlock', { token })).toBeRefused(401, 'LINK_INVALID');
      const acceptance = { token: tokenIn(printed.stdout), new: 'nine wet lanterns & 3 harbours' };
      expect(await client.post('/invitation', acceptance)).toBeAnswered(200);
      const reset = { token: await links.token(person, 'password-reset'), new: 'nine wet lanterns & 3 harbours' };
      expect(await client.post('/password/reset', { ...reset, new: 'password' })).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await client.post('/password/reset', reset)).toBeAnswered(204);
      const report = { token: await links.token(person, 'not-me') };
      expect(await client.post('/account/not-me', report)).toBeAnswered(204);
    });

    it('the OpenAPI document matches the portal pages and their errors in HTML and JSON', async () => {
      const client = story.client();
      const { id, password: pw } = story.person();
      const signIn = await visit(client, '/portal/login?return_to=/me');
      expect(await submit(client, signIn, { id, pw: 'x' })).toBeAnswered(401);
      expect(await submit(client, signIn, { id, pw })).toBeAnswered(303);
      expect(await visit(client, '/2fa/portal/verify')).toBeAnswered(303);
      const [style = ''] = /\/assets\/[\w-]+\.css/.exec(signIn.text) ?? [];
      expect(await client.get(style)).toBeAnswered(200);
      expect(await client.get('/assets/none.css')).toBeRefused(404, 'NOT_FOUND');
      const choice = await visit(client, '/2fa/portal/setup');
      expect(await submit(client, choice, {}, {}, 'Use an authenticator app')).toBeAnswered(303);
      expect(await visit(client, '/2fa/portal/confirm')).toBeAnswered(303);
      const shown = await visit(client, '/2fa/portal/setup');
      const app = AuthenticatorApp.typeIn(/ data-text="([A-Z2-7]{32})"/.exec(shown.text)?.[1] ?? '');
      expect(await submit(client, shown, { code: story.codeOf(app) })).toBeAnswered(303);
      const codes = await visit(client, '/2fa/portal/codes');
      expect(codes).toBeAnswered(200);
      expect(await submit(client, codes, {})).toBeAnswered(303);
      expect(await visit(client, '/2fa/portal/codes')).toBeAnswered(303);
      story.clock.advance(600);
      const verify = await visit(client, '/2fa/portal/verify?return_to=/me');
      expect(await submit(client, verify, { code: '000000' })).toBeAnswered(401);
      expect(await submit(client, verify, { code: story.codeOf(app) })).toBeAnswered(303);
      expect(await visit(story.client(), '/portal/resume')).toBeAnswered(204);
      expect(await visit(client, '/portal/resume')).toBeAnswered(303);
      expect(await visit(client, '/portal/logout')).toBeAnswered(200);
      const signOut = await visit(client, '/');
      expect(await client.send('POST', '/portal/logout', { form: { csrf: '' } })).toBeRefused(403, 'CROSS_SITE');
      for (const path of [
        '/portal/login',
        ...['verify', 'setup', 'confirm', 'passkey', 'codes'].map((page) => `/2fa/portal/${page}`),
      ]) {
        expect(await client.send('POST', path, { form: {} })).toBeRefused(403, 'CROSS_SITE');
        expect(await client.send('POST', path, { form: {}, headers: BROWSER })).toBeAnswered(403);
      }
      expect(await submit(client, signOut, {})).toBeAnswered(303);
    });

    it('U6: the OpenAPI document matches the sign-in by passkey alone, by API and by page', async () => {
      const passkeys = new PasskeyStory(story);
      const { authenticator, id } = await passkeys.holder();
      const client = story.client();
      const credential = authenticator.assert(await signInOptions(client));
      expect(await sendSignIn(client, credential)).toBeAnswered(200);
      expect(await sendSignIn(client, credential)).toBeRefused(401, 'INVALID_CREDENTIALS');
      const unverified = authenticator.assert(await signInOptions(client), { flags: { uv: false } });
      expect(await sendSignIn(client, unverified)).toBeAnswered(200);

      expect(await visit(client, '/portal/login/passkey')).toBeAnswered(303);
      const page = await visit(client, '/portal/login');
      const assertion = JSON.stringify(authenticator.assert(await signInOptions(client)));
      const button = 'Sign in with a passkey';
      expect(await submit(client, page, { credential: '{}' }, {}, button)).toBeAnswered(400);
      expect(await submit(client, page, { credential: assertion }, {}, button)).toBeAnswered(303);
      expect((await visit(client, '/')).text).toContain(id);
    });

    it('the OpenAPI document matches the pages that set up a passkey and use it', async () => {
      const passkeys = new PasskeyStory(story);
      const client = story.client();
      const { id, password: pw } = story.person();
      const authenticator = passkeys.authenticator();
      await submit(client, await visit(client, '/portal/login'), { id, pw });

      expect(await visit(client, '/2fa/portal/passkey')).toBeAnswered(303);
      const page = await visit(client, '/2fa/portal/setup');
      const credential = JSON.stringify(authenticator.register(await creationOptions(client, {})));
      expect(await submit(client, page, { credential }, {}, 'Use a passkey')).toBeAnswered(303);
      const verify = await visit(client, '/2fa/portal/verify');
      const assertion = JSON.stringify(await passkeys.assertion(client, {}, authenticator));
      expect(await submit(client, verify, { credential: '{}' }, {}, 'Use a passkey')).toBeAnswered(400);
      expect(await submit(client, verify, { credential: assertion }, {}, 'Use a passkey')).toBeAnswered(303);

      const adding = await visit(client, '/portal/security/add-passkey');
      expect(await submit(client, adding, {})).toBeAnswered(400);
      const further = JSON.stringify(passkeys.authenticator().register(await creationOptions(client, {})));
      expect(await submit(client, adding, { credential: further })).toBeAnswered(303);
      expect(await submit(client, adding, { credential: further })).toBeAnswered(409);
      const app = await visit(client, '/portal/security/add-app');
      expect(await submit(client, app, { name: 'a'.repeat(65) })).toBeAnswered(400);
      expect(await submit(client, app, { name: 'Phone' })).toBeAnswered(303);
      const { text } = await visit(client, '/portal/security');
      for (const [act, typed] of [
        ['rename', { name: 'Key' }],
        ['remove', {}],
      ] as const) {
        const [path = ''] = new RegExp(`/portal/security/authenticators/[\\w-]+/${act}`).exec(text) ?? [];
        const form = await visit(client, path);
        expect(form).toBeAnswered(200);
        expect(await submit(client, form, typed)).toBeAnswered(303);
        expect(await visit(client, `/portal/security/authenticators/none/${act}`)).toBeAnswered(404);
      }
      story.clock.advance(600);
      expect(await visit(client, '/portal/security/add-passkey')).toBeAnswered(303);
    });

    it('the OpenAPI document matches an enrolment that policy requires', async () => {
      const client = story.client();
      const answer = await story.login({ id: 'boss', password: PASSWORD }, client);
      const bearer = textOf(answer, 'mfa_token');

      expect(answer.body).toMatchObject({ enrolment_required: true });
      expect(await client.get('/2fa', { bearer })).toBeRefused(403, 'MFA_REQUIRED');
      const setup = await client.post('/2fa/setup', {}, { bearer });
      const code = story.codeOf(AuthenticatorApp.scan(textOf(setup, 'otpauth_uri')));
      expect(await client.post('/2fa/confirm', { code }, { bearer })).toBeAnswered(200);
    });

    it('the OpenAPI document matches the user import of an administrator and of other callers', async () => {
      const admin = await administrator();
      const anybody = await story.enrolled();
      const rows = 'login_id,password\nrow-1,five grey herons & 2 piers\nrow-2,x\n';
      const file = {
        raw: multipart({ content: rows, fileName: 'people.csv' }),
        headers: { 'content-type': MULTIPART },
      };

      const send = ({ client, accessToken: bearer }: Enrolled, query = ''): Promise<Answer> =>
        client.send('POST', `/admin/users/import${query}`, { ...file, bearer });
      expect((await send(admin)).body).toMatchObject({ created: 0, errors_total: 1 });
      expect((await send(admin, '?partial=true')).body).toMatchObject({ created: 1, errors_total: 1 });
      expect(await send(anybody)).toBeRefused(403, 'ACCESS_DENIED');
      story.clock.advance(301);
      expect(await send(admin)).toBeRefused(401, 'STEP_UP_REQUIRED');
    });

    it('the OpenAPI document matches the administration of users, events and keys', async () => {
      const { accessToken: bearer, client } = await story.signIn(await administrator());
      const person = await story.enrolled();
      const path = `/admin/users/${await story.subjectOf(person)}`;
      const send = (method: string, to: string, json?: object): Promise<Answer> =>
        client.send(method, to, { ...(json && { json }), bearer });

      expect(itemsOf(await send('GET', '/admin/users?query=person&limit=2'))).toHaveLength(2);
      const trusted = await story.signIn(person, undefined, { trust_device: true });
      await story.addApp(trusted);
      expect(await send('GET', path)).toBeAnswered(200);
      const [session] = itemsOf(await send('GET', `${path}/sessions`));
      const [device] = itemsOf(await send('GET', `${path}/devices`));
      expect(await send('GET', `${path}/export`)).toBeAnswered(200);
      expect(await send('DELETE', `${path}/sessions/${String(session?.['id'])}`)).toBeAnswered(204);
      expect(await send('DELETE', `${path}/devices/${String(device?.['id'])}`, { reason: 'lost' })).toBeAnswered(204);
      expect(await send('DELETE', `${path}/sessions`)).toBeAnswered(204);
      expect(await trusted.client.get('/me', { bearer: trusted.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await send('PATCH', path, { email: 'a@harbour.example', roles: ['ROLE_A'] })).toBeAnswered(200);
      expect(await send('PATCH', path, { roles: ['ROLE_PRE_MFA'] })).toBeRefused(400, 'VALIDATION_FAILED');
      await story.lock(person);
      expect((await send('GET', path)).body).toMatchObject({ mfa: { locked: true } });
      expect(await send('POST', `${path}/unlock`)).toBeAnswered(204);
      const [app, added] = (await send('GET', path)).body['authenticators'] as readonly Members[];
      const authenticators = `${path}/authenticators`;
      const removal = (id: unknown, json?: object): Promise<Answer> =>
        send('DELETE', `${authenticators}/${String(id)}`, json);
      expect(await removal(added?.['id'])).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await removal('none', { reason: 'lost phone' })).toBeRefused(404, 'NOT_FOUND');
      expect(await removal(added?.['id'], { reason: 'lost phone' })).toBeAnswered(204);
      expect(await removal(app?.['id'], { reason: 'lost phone' })).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await send('POST', `${path}/mfa/reset`, { reason: 'lost phone' })).toBeAnswered(204);
      expect(await send('POST', `${path}/mfa/reset`)).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await send('POST', `${path}/access-code`, { reason: 'lost phone' })).toBeAnswered(201);
      expect(await send('POST', `${path}/access-code`)).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await send('POST', `${path}/password`)).toBeAnswered(200);
      expect((await send('GET', path)).body).toMatchObject({ has_password: true });
      expect(await send('POST', '/admin/users', { id: 'created', roles: ['ROLE_A'] })).toBeAnswered(201);
      expect(await send('POST', '/admin/users', { id: 'created' })).toBeRefused(409, 'CONFLICT');
      expect(await send('DELETE', path)).toBeAnswered(204);
      expect(await send('DELETE', path)).toBeRefused(404, 'NOT_FOUND');
      expect(itemsOf(await send('GET', '/admin/events?limit=200')).length).toBeGreaterThan(20);
      for (const format of ['csv', 'jsonl']) {
        expect(await send('GET', `/admin/events/export?format=${format}`)).toBeAnswered(200);
      }
      expect(await send('POST', '/admin/keys/rotate')).toBeAnswered(200);
      expect(itemsOf(await send('GET', '/admin/clients'))).toHaveLength(1);
      expect(await person.client.get(path, { bearer: person.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('the OpenAPI document matches the pages of the administration', async () => {
      const admin = await administrator();
      const browser = story.client();
      expect(await browser.post('/session', { id: admin.id, pw: PASSWORD })).toBeAnswered(200);
      expect(await browser.post('/2fa/verify', { code: story.nextCode(admin) })).toBeAnswered(200);
      const person = await story.enrolled();
      await story.addApp(await story.signIn(person, undefined, { trust_device: true }));
      const path = `/portal/admin/users/${await story.subjectOf(person)}`;
      const { csrf = '' } = formOf(browser, await visit(browser, '/portal/admin/new-user')).fields;
      const send = (to: string, form: Members = {}): Promise<Answer> =>
        browser.send('POST', to, { form: { csrf, ...form }, headers: BROWSER });
      const upload = (content: string): Promise<Answer> =>
        browser.send('POST', '/portal/admin/import?mode=all', {
          raw: multipart({ field: 'csrf', text: csrf }, { content, fileName: 'people.csv' }),
          headers: { ...BROWSER, 'content-type': MULTIPART },
        });

      for (const end of ['', '/users?query=person', '/new-user', '/import', '/events?kind=MFA_OK', '/applications']) {
        expect(await visit(browser, `/portal/admin${end}`)).toBeAnswered(200);
      }
      for (const part of ['', '/activity', '/delete', '/roles']) {
        expect(await visit(browser, path + part)).toBeAnswered(200);
      }
      expect(await visit(browser, `${path}/nothing`)).toBeAnswered(404);
      const page = await visit(browser, `${path}/access`);
      const ids = [...page.text.matchAll(/name="id" value="([^"]+)"/g)].map(([, id = '']) => id);
      const created = { id: 'by-page', roles: '', access: 'temporary' };
      expect(await send('/portal/admin/new-user', created)).toBeAnswered(200);
      expect(await send('/portal/admin/new-user', created)).toBeAnswered(409);
      expect(await send(`${path}/end-session`, { id: ids[0] ?? '' })).toBeAnswered(303);
      expect(await send(`${path}/end-session`, { id: 'none' })).toBeAnswered(404);
      expect(await send(`${path}/end-device`, { id: ids.at(-1) ?? '' })).toBeAnswered(303);
      expect(await send(`${path}/end-device`, { id: 'none' })).toBeAnswered(404);
      const overview = (await visit(browser, path)).text;
      const removal = `${path}/remove-authenticator`;
      const [authenticator = '', last = ''] = [...overview.matchAll(/\?authenticator=([^"]+)"/g)].map(
        ([, id = '']) => id,
      );
      expect(await visit(browser, `${removal}?authenticator=${authenticator}`)).toBeAnswered(200);
      expect(await send(removal, { authenticator, reason: 'lost phone' })).toBeAnswered(303);
      expect(await send(removal, { authenticator: last })).toBeAnswered(400);
      expect(await send(removal, { authenticator: last, reason: 'lost phone' })).toBeAnswered(409);
      expect(await send(`${path}/unlock`)).toBeAnswered(303);
      expect(await send(`${path}/unlock`, { unknown: 'x' })).toBeAnswered(400);
      expect(await send(`${path}/reset`, { reason: 'lost phone' })).toBeAnswered(303);
      expect(await send(`${path}/reset`)).toBeAnswered(400);
      expect(await send(`${path}/access-code`, { reason: 'lost phone' })).toBeAnswered(200);
      expect(await send(`${path}/access-code`)).toBeAnswered(400);
      expect(await send(`${path}/change`, { email: 'a@harbour.example' })).toBeAnswered(303);
      expect(await send(`${path}/change`, { email: 'harbour' })).toBeAnswered(400);
      expect(await send(`${path}/roles`, { roles: 'ROLE_A', reason: 'new post' })).toBeAnswered(303);
      expect(await send(`${path}/roles`, { roles: 'ROLE_PRE_MFA', reason: 'new post' })).toBeAnswered(400);
      expect(await send(`${path}/password`)).toBeAnswered(200);
      expect(await send(`${path}/password`, { csrf: 'x' })).toBeAnswered(403);
      expect(await send(`${path}/invite`)).toBeAnswered(409);
      expect(await send(`${path}/disable`, { reason: 'left' })).toBeAnswered(303);
      expect(await send(`${path}/disable`)).toBeAnswered(400);
      expect(await send(`${path}/enable`)).toBeAnswered(303);
      expect(await upload('login_id,password\nby-file,five grey herons & 2 piers\n')).toBeAnswered(200);
      expect(await upload('no table')).toBeAnswered(400);
      expect(await send(`${path}/delete`, { reason: 'left' })).toBeAnswered(303);
      expect(await send(`${path}/delete`, { reason: 'left' })).toBeAnswered(404);
      expect(await visit(browser, path)).toBeAnswered(404);
      expect(await visit(story.client(), '/portal/admin')).toBeAnswered(303);
      story.clock.advance(301);
      expect(await visit(browser, '/portal/admin')).toBeAnswered(303);
      expect(await send('/portal/admin/new-user', created)).toBeAnswered(401);
    });

    it('the OpenAPI document matches error responses', async () => {
      const client = story.client();
      const person = await story.enrolled();

      await story.lock(person, client);
      const token = await story.mfaToken(person);
      expect(await secondStep(client, token, story.nextCode(person))).toBeRefused(429, 'MFA_LOCKED');
      const { accessToken: bearer } = person;
      expect((await client.get('/2fa', { bearer })).body).toHaveProperty('locked_until');
      expect(await client.post('/login', { id: 'nobody', pw: 'x' })).toBeRefused(401, 'INVALID_CREDENTIALS');
      expect(await client.post('/login', { id: 'nobody' })).toBeRefused(400, 'VALIDATION_FAILED');
      const text = { raw: 'x', headers: { 'content-type': 'text/plain' } };
      expect(await client.send('POST', '/login', text)).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
      expect(await client.send('POST', '/login', { json: { id: 'x'.repeat(70_000) } })).toBeRefused(
        413,
        'PAYLOAD_TOO_LARGE',
      );
      // A body for an operation without one, which the document does not describe either.
      const unasked = { ...text, bearer };
      expect(await client.send('DELETE', '/sessions', unasked)).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
      expect(await client.delete('/sessions', { json: { all: true }, bearer })).toBeRefused(400, 'VALIDATION_FAILED');
      const picture = { bearer, headers: { accept: 'image/png' } };
      expect(await client.get('/me', picture)).toBeRefused(406, 'NOT_ACCEPTABLE');
      expect(await client.get('/sessions?limit=201', { bearer })).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await client.send('PUT', '/me', { bearer })).toBeRefused(405, 'METHOD_NOT_ALLOWED');
      expect(await client.get('/nothing')).toBeRefused(404, 'NOT_FOUND');
    });
  });
});

onSqlite('the OpenAPI document of a service with a mail relay', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const story = describedStoryOn(engine, { people: 2, args: mailbox.args });

  it('matches the responses about the own mail address', async () => {
    const person = story.person();
    const { client, accessToken: bearer } = await story.signInByPassword(person);
    const ask = (email: string): Promise<Answer> => client.post('/me/email', { email }, { bearer });

    expect(await ask('a@harbour.example')).toBeAnswered(202);
    expect(await ask('b@harbour.example')).toBeRefused(429, 'RATE_LIMITED');
    const token = tokenIn((await mailbox.mailTo('a@harbour.example', '/portal/email?token=')).text);
    expect(await visit(client, `/portal/email?token=${token}`)).toBeAnswered(200);
    expect(await client.post('/account/email', { token })).toBeAnswered(204);
    expect(await client.post('/account/email', { token })).toBeRefused(401, 'LINK_INVALID');
    expect((await client.get('/me', { bearer })).body).toMatchObject({ email_verified: true });
    story.clock.advance(301);
    expect(await ask('c@harbour.example')).toBeRefused(401, 'STEP_UP_REQUIRED');
  });

  it('matches the pages about the own mail address', async () => {
    const person = story.person();
    const client = story.client();
    await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
    const page = await visit(client, '/portal/security/email');

    expect(await submit(client, page, { email: 'nowhere', pw: person.password })).toBeAnswered(400);
    expect(await submit(client, page, { email: 'd@harbour.example', pw: person.password })).toBeAnswered(303);
    const token = tokenIn((await mailbox.mailTo('d@harbour.example', '/portal/email?token=')).text);
    expect(await submit(client, await visit(client, `/portal/email?token=${token}`), {})).toBeAnswered(200);
  });
});

onSqlite('H1: request bodies that violate their schema', (engine) => {
  const story = describedStoryOn(engine, { people: 5, args: KEYS, others: { admin: 'ROLE_ADMIN' } });

  it('the OpenAPI document and the service reject the same invalid bodies', async () => {
    const user = await story.enrolled();
    const admin = await story.enrolled({ id: 'admin', password: PASSWORD });
    const judged: string[] = [];

    for (const { method, path: template, operation } of operationsOf(story.openApi.document)) {
      const path = template.replaceAll(/\{\w+\}/g, 'some-id');
      const good = bodyOf(operation);
      if (method !== 'post' || !good) continue;
      const { accessToken: bearer } = path.startsWith('/admin/') ? admin : user;
      // A valid body may be rejected for other reasons, but not with 400.
      const { status } = await story.client().post(path, good, { bearer });
      expect([path, story.openApi.takes(operation, good), status === 400]).toEqual([path, true, false]);
      for (const bad of invalidVariants(operation, good)) {
        const answer = await story.client().post(path, bad, { bearer });
        expect(answer, JSON.stringify(bad)).toBeRefused(400, 'VALIDATION_FAILED');
        expect(story.openApi.takes(operation, bad), `${path} ${JSON.stringify(bad)}`).toBe(false);
      }
      judged.push(path);
    }

    expect(judged).toEqual(expect.arrayContaining(['/login', '/login/2fa', '/2fa/setup', '/session', '/me/password']));
  });
});

onSqlite('M5: equal validation in the OpenAPI document and the service', (engine) => {
  const story = describedStoryOn(engine, { people: 8, args: KEYS });
  const operation = (method: string, path: string): OperationObject => {
    const found = operationsOf(story.openApi.document).find((each) => each.method === method && each.path === path);
    if (!found) throw new Error(`no ${method} ${path}`);
    return found.operation;
  };

  it.each([
    'a\u0000b',
    'a\u0001b',
    'a\tb',
    'a\nb',
    'a\u007fb',
    'a\u0085b',
    'a\u2028b',
    '\u0000',
    ' ',
    '\t\n',
    'ab',
    ' a b ',
    '\tab\n',
  ])('the schema and the service agree about the login id %j', async (id) => {
    for (const path of ['/login', '/session']) {
      const { status } = await story.client().post(path, { id, pw: 'x' });
      expect(story.openApi.takes(operation('post', path), { id, pw: 'x' }), path).toBe(status !== 400);
    }
  });

  it.each(['\u0000', 'a\u0000b', 'a\u0001b', 'a\nb', 'x'])(
    'the schema and the service agree about %j in a query',
    async (text) => {
      const { accessToken: bearer } = await story.signInByPassword(story.person());
      for (const [path, name] of [
        ['/me/events', 'after'],
        ['/sessions', 'after'],
        ['/portal/login', 'return_to'],
      ] as const) {
        const schema = operation('get', path).parameters?.find((each) => each.name === name)?.schema ?? {};
        const { status } = await story
          .client()
          .get(`${path}?${name}=${encodeURIComponent(text)}`, path === '/portal/login' ? {} : { bearer });
        expect(new RegExp(patternOf(schema), 'u').test(text), `${path} ${patternOf(schema)}`).toBe(status !== 400);
      }
    },
  );

  it('the schema and the service agree about unknown members of a form', async () => {
    const forms = operationsOf(story.openApi.document).filter(
      ({ operation: { requestBody } }) => requestBody?.content[FORM],
    );
    const closed = forms.filter(
      ({ operation: { requestBody } }) => requestBody?.content[FORM]?.schema?.additionalProperties === false,
    );
    const client = story.client();
    const { id, password: pw } = story.person();
    const page = await visit(client, '/portal/login');

    expect(await submit(client, page, { id, pw, unexpected: '1' })).toBeAnswered(400);
    expect(closed.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/portal/login', '/2fa/portal/verify', '/2fa/portal/setup', '/2fa/portal/confirm']),
    );
    // The standards of three forms require unknown members to be ignored (RFC 7662, SAML bindings); in the others, each check box
    // has the name of a role.
    expect(
      forms
        .filter((each) => !closed.includes(each))
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual([
      ...['/portal/admin/new-user', '/portal/admin/users/{sub}/roles'],
      ...['/saml/{idp}/acs', '/saml/{idp}/slo', '/token/introspect'],
    ]);
    const shown = await story
      .client()
      .send('POST', '/token/introspect', { form: { token: 'x', unexpected: '1' }, headers: BASIC })
      .catch((error: unknown) => String(error));
    expect(JSON.stringify(shown)).not.toContain(' 400 ');
  });

  it('the OpenAPI document states that the size limit is checked before maxLength', async () => {
    expect(story.openApi.document.info.description).toContain(
      'before its members are validated, so a text beyond its `maxLength` is rejected with 400 or 413',
    );
    const long = (length: number): Promise<Answer> =>
      story.client().post('/login', { id: 'x'.repeat(length), pw: 'x' });
    expect(await long(300)).toBeRefused(400, 'VALIDATION_FAILED');
    expect(await long(70_000)).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
  });
});

function patternOf({ pattern }: JsonSchema): string {
  return typeof pattern === 'string' ? pattern : '';
}

/** A valid body with every member, or undefined for an operation without a JSON body. */
/** Values of members whose form the schema describes by more than a length. */
const VALID: Members = {
  code: '000000',
  access_code: '0000-0000',
  pw: 'eight loud lanterns',
  email: 'a@harbour.example',
  roles: ['ROLE_A'],
  ticket: 'HD-1',
  // The members of a registration and of an assertion.
  credential: {
    ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} },
    response: {
      clientDataJSON: Buffer.from('{"challenge":"AAAA"}').toString('base64url'),
      ...{ attestationObject: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
    },
  },
};

function bodyOf({ requestBody }: OperationObject): Members | undefined {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return undefined;
  const names = Object.keys(schema.properties ?? {});
  const body = exampleOf({ ...schema, required: names }) as Members;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, VALID[name] ?? value]));
}

/** Copies of a valid body with one fault each. */
function invalidVariants({ requestBody }: OperationObject, good: Members): readonly Members[] {
  const { required = [] } = requestBody?.content['application/json']?.schema ?? {};
  const without = (name: string): Members => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
  return [
    { ...good, unexpected: 1 },
    ...required.map(without),
    ...Object.keys(good).flatMap((name) => [7, null, {}, [7], ''].map((value) => ({ ...good, [name]: value }))),
  ];
}

function itemsOf(answer: Answer): readonly Members[] {
  return Array.isArray(answer.body['items']) ? (answer.body['items'] as readonly Members[]) : [];
}
