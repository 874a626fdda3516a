import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { refresh } from '../../support/login/login-story.js';
import { MULTIPART, multipart } from '../../support/http/multipart.js';
import { follow, submit, unescaped, visit } from '../../support/pages/pages.js';
import { type AuthnRequest, encoded } from '../../support/saml/saml-messages.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const SILENT = '';
const FORCED = '?prompt=login';

onAnyEngine('authentication time of staff sign-ins', (engine) => {
  const roles = { 'roles.attribute': ROLES, 'roles.map[Admins]': 'ROLE_ADMIN' };
  const staff = staffStoryOn(
    engine,
    {
      corp: roles,
      forcing: { ...roles, 'force-authn': 'true' },
      honest: { ...roles, 'authn-instant': 'time-of-authentication' },
      local: { 'on-missing-mfa': 'local-totp' },
      open: { 'idp-initiated': 'true' },
    },
    { args: ['--app.security.clients.rs.secret=rs-secret-rs-secret-rs-secret-1234'] },
  );
  const ADMIN = { authnContextClassRef: MFA_CLASS, attributes: { [ROLES]: ['Admins'] } };

  /** All calls that require a recent sign-in or a recent second factor. */
  const protectedCalls = (client: HttpClient): Promise<readonly Answer[]> =>
    Promise.all([
      client.post('/2fa/setup'),
      client.post('/2fa/backup-codes'),
      client.send('POST', '/admin/users/import', {
        raw: multipart({ content: 'login_id,roles\n', fileName: 'nobody.csv' }),
        headers: { 'content-type': MULTIPART },
      }),
    ]);

  it('S2: auth_time is unknown after a silent sign-in, even with a recent AuthnInstant', async () => {
    const first = await staff.signIn({ nameId: 'ada', ...ADMIN });
    staff.story.clock.advance(3600);
    const { client } = await staff.signIn({ nameId: 'ada', ...ADMIN }, { client: first.client, query: SILENT });

    const claims = decodeJwt(await staff.accessToken(client));
    expect(claims).toMatchObject({ amr: ['pwd', 'otp'], acr: 'urn:login:acr:mfa', mfa_method: 'idp' });
    expect(claims).not.toHaveProperty('auth_time');
    expect(claims).not.toHaveProperty('mfa_at');
    const me = await client.get('/me');
    expect(me).toBeAnswered(200);
    expect(Object.keys(me.body)).not.toContain('auth_time');
    for (const answer of await protectedCalls(client)) {
      expect(answer, answer.request).toBeRefused(401, 'STEP_UP_REQUIRED');
    }
    // The second factor is proven, only its time is unknown.
    expect(await client.get('/me/settlement')).toBeAnswered(200);
  });

  it.each([
    ['the request asked for a new authentication', 'corp', FORCED],
    ['force-authn asks for one in every request', 'forcing', SILENT],
    ['the operator states that AuthnInstant is the time of authentication', 'honest', SILENT],
  ])('S2: auth_time is AuthnInstant when %s', async (_, idp, query) => {
    const { client, request } = await staff.signIn({ nameId: `boss-${idp}`, ...ADMIN }, { idp, query });

    expect(request.isForced).toBe(idp !== 'honest');
    const now = staff.story.clock.seconds;
    expect(decodeJwt(await staff.accessToken(client))).toMatchObject({ auth_time: now, mfa_at: now });
    expect(await client.post('/2fa/setup')).toBeAnswered(201);
  });

  it('S2: a forced request of another sign-in does not prove auth_time', async () => {
    const client = staff.client();
    const silent: AuthnRequest = await staff.depart(client, SILENT);
    await staff.depart(client, FORCED);

    await staff.arrive(client, staff.posted(staff.response(silent, { nameId: 'eve' }), silent));

    expect(decodeJwt(await staff.accessToken(client))).not.toHaveProperty('auth_time');
  });

  it('S2: auth_time is unknown after an unsolicited response', async () => {
    const client = staff.client();
    const { acsUrl = '', issuer = '' } = await staff.depart(client, SILENT, 'open');
    const now = staff.story.clock.millis;
    const xml = staff.idp('open').response({ acsUrl, audience: issuer, now, nameId: 'kim' });

    await staff.arrive(client, { SAMLResponse: encoded(xml) }, 'open');

    expect(decodeJwt(await staff.accessToken(client))).not.toHaveProperty('auth_time');
  });

  it('S2: an unknown auth_time stays unknown in refreshes, introspection and after a local code', async () => {
    const person = { nameId: 'joe', authnContextClassRef: PASSWORD_CLASS };
    const first = await staff.signIn(person, { idp: 'local', query: FORCED });
    const setup = await first.client.post('/2fa/setup');
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    expect(await first.client.post('/2fa/confirm', { code: staff.story.codeOf(app) })).toBeAnswered(200);
    const { client } = await staff.signIn(person, { idp: 'local', query: SILENT });
    staff.story.clock.advance(30);
    expect(await client.post('/2fa/verify', { code: staff.story.codeOf(app) })).toBeAnswered(200);
    const before = decodeJwt(await staff.accessToken(client));
    staff.story.clock.advance(60);
    const bearer = await staff.accessToken(client);

    const after = decodeJwt(bearer);
    expect(after).toMatchObject({ amr: ['pwd', 'otp'], mfa_method: 'totp', mfa_at: before['mfa_at'] });
    expect([before, after].some((claims) => 'auth_time' in claims)).toBe(false);
    const seen = await staff.client().send('POST', '/token/introspect', {
      form: { token: bearer },
      headers: { authorization: `Basic ${btoa('rs:rs-secret-rs-secret-rs-secret-1234')}` },
    });
    expect(seen.body).toMatchObject({ active: true, mfa_method: 'totp' });
    expect(Object.keys(seen.body)).not.toContain('auth_time');
    expect((await refresh(client)).status).toBe(200);
  });

  it('S2: the setup page leads through a forced sign-in and back', async () => {
    const person = { nameId: 'zoe', authnContextClassRef: PASSWORD_CLASS };
    const { client } = await staff.signIn(person);
    const begin = async (): Promise<Answer> =>
      submit(client, await visit(client, '/2fa/portal/setup?return_to=/me'), {}, {}, 'Use an authenticator app');

    const refused = await begin();
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('For support: STEP_UP_REQUIRED, request ');
    const link = unescaped(/href="\/saml\/corp\/login(\?[^"]+)"/.exec(refused.text)?.[1] ?? '');
    const { answer, request } = await staff.signIn(person, { client, query: link });

    expect(request.isForced).toBe(true);
    expect(answer.headers.get('location')).toBe('/2fa/portal/setup?return_to=%2Fme');
    expect((await follow(client, await begin())).text).toMatch(/ id="secret" data-text="[A-Z2-7]{32}"/);
  });

  it('S2: the second-factor page of a user without a local factor leads through a forced sign-in', async () => {
    const person = { nameId: 'mia', ...ADMIN };
    const { client } = await staff.signIn(person);
    const path = '/2fa/portal/verify?return_to=/me';

    const shown = await visit(client, path);
    expect(shown.status).toBe(200);
    expect(shown.text).not.toContain('<form');
    const link = unescaped(/href="\/saml\/corp\/login(\?[^"]+)"/.exec(shown.text)?.[1] ?? '');
    const { answer, request } = await staff.signIn(person, { client, query: link });

    expect(request.isForced).toBe(true);
    expect(answer.headers.get('location')).toBe('/me');
    expect((await visit(client, path)).headers.get('location')).toBe('/me');
  });

  it('S2: a half-authenticated session from a silent sign-in gets no secret before a forced sign-in', async () => {
    const person = { nameId: 'lea', authnContextClassRef: PASSWORD_CLASS };
    const { client } = await staff.signIn(person, { idp: 'local' });

    expect(await client.post('/2fa/setup')).toBeRefused(401, 'STEP_UP_REQUIRED');
    const refused = await submit(client, await visit(client, '/2fa/portal/setup'), {}, {}, 'Use an authenticator app');
    expect(refused.status).toBe(401);
    const link = unescaped(/href="\/saml\/local\/login(\?[^"]+)"/.exec(refused.text)?.[1] ?? '');
    const { request } = await staff.signIn(person, { client, idp: 'local', query: link });

    expect(request.isForced).toBe(true);
    expect(await client.post('/2fa/setup')).toBeAnswered(201);
  });

  it('S2: a forced sign-in from a session must return the same user', async () => {
    const { client } = await staff.signIn({ nameId: 'una' });

    const { answer } = await staff.signIn({ nameId: 'other' }, { client, query: FORCED });

    expect(answer).toBeRefused(403, 'SAML_USER_NOT_ALLOWED');
  });
});
