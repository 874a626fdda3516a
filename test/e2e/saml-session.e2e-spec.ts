import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../support/authenticator-app.js';
import { type Answer, type HttpClient, textOf, textsOf } from '../support/http-client.js';
import { refresh } from '../support/login-story.js';
import { atOnce, outcomes } from '../support/races.js';
import { PASSWORD_CLASS, staffStoryOn } from '../support/staff-story.js';
import { onEachEngine, onSqlite } from '../support/story-database.js';

const MINUTE = 60;
/** `server.servlet.session.timeout` without a key. */
const IDLE = 30 * MINUTE;

let met = 0;

function somebody(): { readonly nameId: string; readonly authnContextClassRef: string } {
  met += 1;
  return { nameId: `member-${met}`, authnContextClassRef: PASSWORD_CLASS };
}

onEachEngine('a session of staff', (engine) => {
  const staff = staffStoryOn(engine, { corp: {}, local: { 'on-missing-mfa': 'local-totp' } });
  const { clock } = staff.story;

  const enrol = async (client: HttpClient): Promise<{ app: AuthenticatorApp; backupCodes: readonly string[] }> => {
    const setup = await client.post('/2fa/setup');
    expect(setup).toBeAnswered(201);
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    expect(await client.post('/2fa/confirm', { code: staff.story.codeOf(app) })).toBeAnswered(200);
    return { app, backupCodes: textsOf(setup, 'backup_codes') };
  };

  /** What its cookie, its access token and its refresh token are worth now. */
  const worth = async (former: HttpClient, bearer: string): Promise<Readonly<Record<string, number>>> =>
    outcomes([await former.get('/me'), await staff.client().get('/me', { bearer }), await refresh(former)]);
  const OVER = { INVALID_TOKEN: 2, REFRESH_INVALID: 1 };

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
  ])('ends whole by %s', async (_, end) => {
    const { client } = await staff.signIn(somebody());
    const bearer = await staff.accessToken(client);
    const former = client.copy();

    expect(await end(client, bearer)).toBeAnswered(204);

    expect(await worth(former, bearer)).toEqual(OVER);
  });

  it('ends when nothing of it was used for long enough, its refresh token, too', async () => {
    const { client } = await staff.signIn(somebody());
    const bearer = await staff.accessToken(client);

    clock.advance(IDLE);

    expect(await worth(client, bearer)).toEqual(OVER);
  });

  it('goes on while any of it is used: its cookie, a refresh', async () => {
    const { client } = await staff.signIn(somebody());

    for (let round = 0; round < 3; round += 1) {
      clock.advance(IDLE - MINUTE);
      expect(await client.get('/me')).toBeAnswered(200);
      clock.advance(IDLE - MINUTE);
      expect(await refresh(client)).toBeAnswered(200);
    }
  });

  it('ends whole when its refresh token comes twice', async () => {
    const { client } = await staff.signIn(somebody());
    const thief = client.copy();
    const bearer = await staff.accessToken(client);

    clock.advance(5 * MINUTE);

    expect(await refresh(thief)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await worth(client, bearer)).toEqual(OVER);
  });

  it('gives a caller by token a new token at a step-up, and all that was before is over', async () => {
    const { client } = await staff.signIn(somebody(), { query: '?prompt=login' });
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

  it('begins once, whatever proves the second factor at the same moment', async () => {
    const person = somebody();
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

  it('does not begin when the second factor was reset or the account disabled in between', async () => {
    const person = somebody();
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

onSqlite('a browser of staff', (engine) => {
  const staff = staffStoryOn(engine, { corp: {}, open: { 'idp-initiated': 'true' } });

  describe('in which somebody else signs in with a password', () => {
    it('has nothing left of the session it had', async () => {
      const { client } = await staff.signIn(somebody());
      const former = client.copy();

      const { id, password: pw } = staff.story.person();
      expect(await client.post('/session', { id, pw })).toBeAnswered(200);

      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await client.get('/me')).toBeAnswered(200);
    });
  });

  // The cookie comes along where the identity provider is of the same site, as in many a house.
  describe('whose session comes along with an answer', () => {
    it('has nothing left of it, though it began while the person was at the identity provider', async () => {
      const client = staff.client();
      const request = await staff.depart(client);
      const { id, password: pw } = staff.story.person();
      expect(await client.post('/session', { id, pw })).toBeAnswered(200);
      const former = client.copy();

      const answer = await staff.arrive(client, staff.posted(staff.response(request, somebody()), request));

      expect(answer.status).toBe(303);
      expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect((await client.get('/me')).body).toMatchObject({ idp: 'corp' });
    });

    it('has nothing left of it after a login that nobody asked for', async () => {
      const { client } = await staff.signIn(somebody());
      const former = client.copy();
      const request = await staff.depart(staff.client(), '', 'open');
      const unasked = staff.response(request, { ...somebody(), inResponseTo: null }, 'open');

      const answer = await staff.arrive(client, staff.posted(unasked, { relayState: undefined }), 'open');

      expect(answer.status).toBe(303);
      expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(former)).toBeRefused(401, 'REFRESH_INVALID');
      expect((await client.get('/me')).body).toMatchObject({ idp: 'open' });
    });

    it('keeps it where the answer is refused', async () => {
      const { client } = await staff.signIn(somebody());
      const request = await staff.depart(client);

      const answer = await staff.arrive(client, staff.posted(staff.response(request, { audience: null }), request));

      expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      expect((await client.get('/me')).body).toMatchObject({ idp: 'corp' });
    });
  });

  it('still has the login that it asked for when another one comes unasked', async () => {
    const client = staff.client();
    const asked = await staff.depart(client);
    const unasked = await staff.depart(staff.client(), '', 'open');
    const form = staff.posted(staff.response(unasked, { ...somebody(), inResponseTo: null }, 'open'), {
      relayState: undefined,
    });

    expect((await staff.arrive(client, form, 'open')).status).toBe(303);

    expect((await staff.arrive(client, staff.posted(staff.response(asked, somebody()), asked))).status).toBe(303);
  });

  it.each(['image', 'iframe', 'empty', 'script'])(
    'begins no login for what a page loads as %s',
    async (destination) => {
      const client = staff.client();
      const asked = await staff.depart(client);
      const headers = { 'sec-fetch-dest': destination, 'sec-fetch-site': 'cross-site' };

      for (let count = 0; count < 4; count += 1) {
        expect(await client.get('/saml/corp/login', { headers })).toBeRefused(403, 'CROSS_SITE');
      }

      expect((await staff.arrive(client, staff.posted(staff.response(asked, somebody()), asked))).status).toBe(303);
    },
  );

  it('is sent on its way from another site, too', async () => {
    const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' };

    expect((await staff.client().get('/saml/corp/login', { headers })).status).toBe(303);
  });
});
