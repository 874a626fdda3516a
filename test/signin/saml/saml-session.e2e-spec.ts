import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, textOf, textsOf } from '../../support/http/http-client.js';
import { refresh } from '../../support/login/login-story.js';
import { atOnce, outcomes } from '../../support/login/races.js';
import { PASSWORD_CLASS, staffStoryOn } from '../../support/saml/staff-story.js';
import { onEachEngine, onSqlite } from '../../support/database/story-database.js';

const MINUTE = 60;
/** The default of `server.servlet.session.timeout`. */
const IDLE = 30 * MINUTE;

let userCount = 0;

function newUser(): { readonly nameId: string; readonly authnContextClassRef: string } {
  userCount += 1;
  return { nameId: `member-${userCount}`, authnContextClassRef: PASSWORD_CLASS };
}

onEachEngine('staff sessions', (engine) => {
  const staff = staffStoryOn(engine, { corp: {}, local: { 'on-missing-mfa': 'local-totp' } });
  const { clock } = staff.story;

  const enrol = async (client: HttpClient): Promise<{ app: AuthenticatorApp; backupCodes: readonly string[] }> => {
    const setup = await client.post('/2fa/setup');
    expect(setup).toBeAnswered(201);
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    expect(await client.post('/2fa/confirm', { code: staff.story.codeOf(app) })).toBeAnswered(200);
    return { app, backupCodes: textsOf(setup, 'backup_codes') };
  };

  /** The outcomes for the session cookie, the access token and the refresh token. */
  const outcomesFor = async (former: HttpClient, bearer: string): Promise<Readonly<Record<string, number>>> =>
    outcomes([await former.get('/me'), await staff.client().get('/me', { bearer }), await refresh(former)]);
  const ALL_REJECTED = { INVALID_TOKEN: 2, REFRESH_INVALID: 1 };

  it.each<readonly [string, (client: HttpClient, bearer: string) => Promise<Answer>]>([
    ['POST /logout with its cookie', (client) => client.post('/logout')],
    ['POST /logout with an access token', (client, bearer) => client.post('/logout', {}, { bearer })],
    ['DELETE /session', (client) => client.delete('/session')],
    ['POST /token/revoke', (client) => client.post('/token/revoke')],
    [
      'DELETE /sessions/{id}',
      async (client) => {
        const { items } = (await client.get('/sessions')).body as { items: readonly { id: string }[] };
        expect(items).toHaveLength(1);
        return client.delete(`/sessions/${items[0]?.id ?? ''}`);
      },
    ],
  ])('%s ends the staff session and all its tokens', async (_, end) => {
    const { client } = await staff.signIn(newUser());
    const bearer = await staff.accessToken(client);
    const former = client.copy();

    expect(await end(client, bearer)).toBeAnswered(204);

    expect(await outcomesFor(former, bearer)).toEqual(ALL_REJECTED);
  });

  it('an idle staff session expires with its refresh token', async () => {
    const { client } = await staff.signIn(newUser());
    const bearer = await staff.accessToken(client);

    clock.advance(IDLE);

    expect(await outcomesFor(client, bearer)).toEqual(ALL_REJECTED);
  });

  it('requests and refreshes keep a staff session alive', async () => {
    const { client } = await staff.signIn(newUser());

    for (let round = 0; round < 3; round += 1) {
      clock.advance(IDLE - MINUTE);
      expect(await client.get('/me')).toBeAnswered(200);
      clock.advance(IDLE - MINUTE);
      expect(await refresh(client)).toBeAnswered(200);
    }
  });

  it('a reused refresh token ends the staff session and all its tokens', async () => {
    const { client } = await staff.signIn(newUser());
    const thief = client.copy();
    const bearer = await staff.accessToken(client);

    clock.advance(5 * MINUTE);

    expect(await refresh(thief)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await outcomesFor(client, bearer)).toEqual(ALL_REJECTED);
  });

  it('a step-up by access token returns a new token and invalidates the earlier cookies', async () => {
    const { client } = await staff.signIn(newUser(), { query: '?prompt=login' });
    const { app } = await enrol(client);
    const before = client.copy();
    const bearer = await staff.accessToken(client);
    const superseded = client.copy();

    const answer = await client.post('/2fa/verify', { code: staff.story.nextCode({ app }) }, { bearer });

    expect(answer).toBeAnswered(200);
    expect(textOf(answer, 'access_token')).not.toBe('');
    expect(await before.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    expect(await refresh(superseded)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await client.get('/me')).toBeAnswered(200);
    expect(await refresh(client)).toBeAnswered(200);
  });

  it('concurrent second factors of one half-authenticated session create one session', async () => {
    const person = newUser();
    const first = await staff.signIn(person, { idp: 'local', query: '?prompt=login' });
    const { app, backupCodes } = await enrol(first.client);
    expect(await first.client.post('/logout')).toBeAnswered(204);
    const { client } = await staff.signIn(person, { idp: 'local' });
    const codes = [staff.story.nextCode({ app }), ...backupCodes.slice(0, 3)];
    const browsers = codes.map(() => client.copy());

    const answers = await atOnce(codes.length, async (index) => {
      const browser = browsers[index] ?? client;
      return browser.post('/2fa/verify', { code: codes[index] });
    });

    expect(outcomes(answers)).toEqual({ 200: 1, INVALID_TOKEN: codes.length - 1 });
    const winner = browsers.find((_, index) => answers[index]?.status === 200) ?? client;
    expect((await winner.get('/sessions')).body['items']).toHaveLength(1);
    expect(await client.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('a half-authenticated session ends when the second factor is reset or the account is disabled', async () => {
    const person = newUser();
    const first = await staff.signIn(person, { idp: 'local', query: '?prompt=login' });
    const { app } = await enrol(first.client);
    const { client } = await staff.signIn(person, { idp: 'local' });

    const reset = await staff.story.command('users', 'reset-mfa', `local:${person.nameId}`);
    expect(reset.exitCode).toBe(0);

    expect((await client.post('/2fa/verify', { code: staff.story.nextCode({ app }) })).status).toBe(401);
    expect(await client.post('/2fa/setup')).toBeRefused(401, 'INVALID_TOKEN');
    const again = await staff.signIn(person, { idp: 'local' });
    expect(again.answer.headers.get('location')).toBe('/2fa/portal/setup?return_to=%2F');
    const disabled = await staff.story.command('users', 'disable', `local:${person.nameId}`);
    expect(disabled.exitCode).toBe(0);
    expect(await again.client.post('/2fa/setup')).toBeRefused(401, 'INVALID_TOKEN');
  });
});

onSqlite('browsers with staff sessions', (engine) => {
  const staff = staffStoryOn(engine, { corp: {}, open: { 'idp-initiated': 'true' } });

  describe('a password sign-in in a browser with a staff session', () => {
    it('a password sign-in of another user ends the staff session of the browser', async () => {
      const { client } = await staff.signIn(newUser());
      const former = client.copy();

      const { id, password: pw } = staff.story.person();
      expect(await client.post('/session', { id, pw })).toBeAnswered(200);

      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await client.get('/me')).toBeAnswered(200);
    });
  });

  // The browser sends the cookie when the identity provider belongs to the same site.
  describe('SAML responses in a browser with a session', () => {
    it('a response ends a session that was created while the user was at the identity provider', async () => {
      const client = staff.client();
      const request = await staff.depart(client);
      const { id, password: pw } = staff.story.person();
      expect(await client.post('/session', { id, pw })).toBeAnswered(200);
      const former = client.copy();

      const answer = await staff.arrive(client, staff.posted(staff.response(request, newUser()), request));

      expect(answer.status).toBe(303);
      expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect((await client.get('/me')).body).toMatchObject({ idp: 'corp' });
    });

    it('an unsolicited response ends the session of the browser', async () => {
      const { client } = await staff.signIn(newUser());
      const former = client.copy();
      const request = await staff.depart(staff.client(), '', 'open');
      const unasked = staff.response(request, { ...newUser(), inResponseTo: null }, 'open');

      const answer = await staff.arrive(client, staff.posted(unasked, { relayState: undefined }), 'open');

      expect(answer.status).toBe(303);
      expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(former)).toBeRefused(401, 'REFRESH_INVALID');
      expect((await client.get('/me')).body).toMatchObject({ idp: 'open' });
    });

    it('a rejected response keeps the session of the browser', async () => {
      const { client } = await staff.signIn(newUser());
      const request = await staff.depart(client);

      const answer = await staff.arrive(client, staff.posted(staff.response(request, { audience: null }), request));

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect((await client.get('/me')).body).toMatchObject({ idp: 'corp' });
    });
  });

  it('an unsolicited response does not end a pending sign-in', async () => {
    const client = staff.client();
    const asked = await staff.depart(client);
    const unasked = await staff.depart(staff.client(), '', 'open');
    const form = staff.posted(staff.response(unasked, { ...newUser(), inResponseTo: null }, 'open'), {
      relayState: undefined,
    });

    expect((await staff.arrive(client, form, 'open')).status).toBe(303);

    expect((await staff.arrive(client, staff.posted(staff.response(asked, newUser()), asked))).status).toBe(303);
  });

  it.each(['image', 'iframe', 'empty', 'script'])(
    'a cross-site request for %s starts no sign-in',
    async (destination) => {
      const client = staff.client();
      const asked = await staff.depart(client);
      const headers = { 'sec-fetch-dest': destination, 'sec-fetch-site': 'cross-site' };

      for (let count = 0; count < 4; count += 1) {
        expect(await client.get('/saml/corp/login', { headers })).toBeRefused(403, 'CROSS_SITE');
      }

      expect((await staff.arrive(client, staff.posted(staff.response(asked, newUser()), asked))).status).toBe(303);
    },
  );

  it('a cross-site navigation starts a sign-in', async () => {
    const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' };

    expect((await staff.client().get('/saml/corp/login', { headers })).status).toBe(303);
  });
});
