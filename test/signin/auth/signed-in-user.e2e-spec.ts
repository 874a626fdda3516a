import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, type Members, textOf } from '../../support/http/http-client.js';
import { PASSWORD, refresh, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const NEW_PASSWORD = 'eight loud lanterns & 2 harbours';

function itemsOf(answer: Answer): readonly Members[] {
  return Array.isArray(answer.body['items']) ? (answer.body['items'] as readonly Members[]) : [];
}

onAnyEngine('routes for signed-in users', (engine) => {
  const story = storyOn(engine, { people: 60, others: { auditor: 'ROLE_AUDITOR' } });

  describe('/me', () => {
    it('shows the user, the roles and how the user signed in', async () => {
      const person = { id: 'auditor', password: PASSWORD };
      const { client, accessToken: bearer } = await story.signInByPassword(person);

      const answer = await client.get('/me', { bearer });

      expect(answer).toBeAnswered(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toEqual({
        sub: await story.subjectOf(person),
        id: 'auditor',
        roles: ['ROLE_AUDITOR'],
        amr: ['pwd'],
        acr: 'urn:login:acr:pwd',
        auth_time: expect.any(String) as string,
      });
    });

    it('shows when the second factor was verified', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);

      const answer = await client.get('/me', { bearer });

      expect(answer.body).toEqual({
        sub: await story.subjectOf(person),
        id: person.id,
        roles: [],
        amr: ['pwd', 'otp'],
        acr: 'urn:login:acr:mfa',
        auth_time: expect.any(String) as string,
        mfa_at: expect.any(String) as string,
      });
    });

    it.each(['/me', '/sessions', '/me/events', '/me/devices', '/me/settlement', '/2fa', '/session'])(
      'GET %s rejects unauthenticated requests',
      async (path) => {
        const answer = await story.client().get(path);

        expect(answer).toBeRefused(401, 'INVALID_TOKEN');
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      },
    );
  });

  describe('/sessions', () => {
    it('lists the sessions of the user and marks the current one', async () => {
      const person = story.person();
      const browser = story.client();
      browser.headers['user-agent'] = 'A phone';
      const other = await story.signInByPassword(person, browser);
      const { client, accessToken: bearer } = await story.signInByPassword(person);

      const answer = await client.get('/sessions', { bearer });

      expect(answer).toBeAnswered(200);
      const items = itemsOf(answer);
      expect(items).toHaveLength(2);
      const phone = items.find(({ id }) => id === decodeJwt(other.accessToken)['sid']);
      expect(phone).toEqual({
        id: decodeJwt(other.accessToken)['sid'],
        device: 'A phone',
        ip: '127.0.0.1',
        created: expect.any(String) as string,
        last_used: expect.any(String) as string,
        current: false,
      });
      expect(items.filter(({ current }) => current === true).map(({ id }) => id)).toEqual([decodeJwt(bearer)['sid']]);
      expect(answer.text).not.toContain(client.cookie('refresh_token'));
    });

    it('lists sessions in slices, newest first', async () => {
      const person = story.person();
      const sids: unknown[] = [];
      for (let count = 0; count < 5; count += 1) {
        sids.unshift(decodeJwt((await story.signInByPassword(person)).accessToken)['sid']);
        story.clock.advance(1);
      }
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      sids.unshift(decodeJwt(bearer)['sid']);

      const first = await client.get('/sessions?limit=4', { bearer });
      const second = await client.get(`/sessions?limit=4&after=${textOf(first, 'next')}`, { bearer });
      const whole = await client.get('/sessions', { bearer });

      expect(itemsOf(first).map(({ id }) => id)).toEqual(sids.slice(0, 4));
      expect(itemsOf(second).map(({ id }) => id)).toEqual(sids.slice(4));
      expect(second.body).not.toHaveProperty('next');
      expect(itemsOf(whole)).toEqual([...itemsOf(first), ...itemsOf(second)]);
      expect(whole.body).not.toHaveProperty('next');
    });

    it('S6: DELETE /sessions/{id} ends a session of the user at once', async () => {
      const person = story.person();
      const other = await story.signInByPassword(person);
      const { client, accessToken: bearer } = await story.signInByPassword(person);

      const answer = await client.delete(`/sessions/${String(decodeJwt(other.accessToken)['sid'])}`, { bearer });

      expect(answer).toBeAnswered(204);
      expect(await other.client.get('/me', { bearer: other.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(other.client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await client.get('/me', { bearer })).toBeAnswered(200);
    });

    it('H10: DELETE /sessions/{id} returns 404 for sessions of other users', async () => {
      const other = await story.signInByPassword(story.person());
      const { client, accessToken: bearer } = await story.signInByPassword(story.person());

      for (const sid of [String(decodeJwt(other.accessToken)['sid']), 'none', '%27%20OR%201=1', '%2e%2e%2f']) {
        const answer = await client.delete(`/sessions/${sid}`, { bearer });
        expect(answer, sid).toBeRefused(404, 'NOT_FOUND');
      }
      expect(await other.client.get('/me', { bearer: other.accessToken })).toBeAnswered(200);
    });

    it('DELETE /sessions ends all other sessions at once', async () => {
      const person = story.person();
      const others = [await story.signInByPassword(person), await story.signInByPassword(person)];
      const browser = story.client();
      await browser.post('/session', { id: person.id, pw: PASSWORD });
      const { client, accessToken: bearer } = await story.signInByPassword(person);

      expect(await client.delete('/sessions', { bearer })).toBeAnswered(204);

      for (const other of others) {
        expect(await other.client.get('/me', { bearer: other.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      }
      expect(await browser.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(itemsOf(await client.get('/sessions', { bearer }))).toHaveLength(1);
    });
  });

  describe('/me/password', () => {
    it('changes the password, ends other sessions and keeps the current one', async () => {
      const person = story.person();
      const other = await story.signInByPassword(person);
      const { client, accessToken: bearer } = await story.signInByPassword(person);

      const answer = await client.post('/me/password', { current: PASSWORD, new: NEW_PASSWORD }, { bearer });

      expect(answer).toBeAnswered(204);
      expect(await other.client.get('/me', { bearer: other.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(other.client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await client.get('/me', { bearer })).toBeAnswered(200);
      const byOld = await story.client().post('/login', { id: person.id, pw: PASSWORD });
      expect(byOld).toBeRefused(401, 'INVALID_CREDENTIALS');
      await expect(story.login({ ...person, password: NEW_PASSWORD })).resolves.toBeDefined();
    });

    it('rejects a wrong current password and changes nothing', async () => {
      const person = story.person();
      const { client, accessToken: bearer } = await story.signInByPassword(person);

      const answer = await client.post('/me/password', { current: 'wrong', new: NEW_PASSWORD }, { bearer });

      expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
      await expect(story.login(person)).resolves.toBeDefined();
    });

    it.each(['short', 'password', '12345678', 'qwertyuiop'])('rejects the weak password %j', async (weak) => {
      const { client, accessToken: bearer } = await story.signInByPassword(story.person());

      const answer = await client.post('/me/password', { current: PASSWORD, new: weak }, { bearer });

      expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
      expect(answer.body['errors']).toEqual([{ field: 'new', code: expect.any(String) as string }]);
      expect(answer.text).not.toContain(`"${weak}"`);
    });

    it('requires a recent otp or a one-time code from a user with two factors', async () => {
      const person = await story.enrolled();
      const { client } = await story.signIn(person);
      story.clock.advance(301);
      const bearer = String((await refresh(client)).body['access_token']);
      const change = { current: PASSWORD, new: NEW_PASSWORD };

      const without = await client.post('/me/password', change, { bearer });
      const wrong = await client.post('/me/password', { ...change, code: story.wrongCode(person) }, { bearer });
      const right = await client.post('/me/password', { ...change, code: story.codeOf(person.app) }, { bearer });

      expect(without).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(right).toBeAnswered(204);
    });

    it('a password change invalidates earlier mfa_tokens and the pending secret', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      const half = await story.mfaToken(person);
      await client.post('/2fa/setup', {}, { bearer });
      expect((await client.get('/2fa', { bearer })).body['state']).toBe('active');

      const changed = await client.post('/me/password', { current: PASSWORD, new: NEW_PASSWORD }, { bearer });

      expect(changed).toBeAnswered(204);
      const stale = await story.client().post('/login/2fa', { mfa_token: half, code: story.nextCode(person) });
      expect(stale).toBeRefused(401, 'MFA_TOKEN_INVALID');
      const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(person.app) }, { bearer });
      expect(confirmed).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it.each([
      {},
      { current: PASSWORD },
      { current: PASSWORD, new: 1 },
      { current: PASSWORD, new: NEW_PASSWORD, code: 1 },
      { current: PASSWORD, new: NEW_PASSWORD, more: 1 },
      { current: PASSWORD, new: 'x'.repeat(1025) },
    ])('rejects the body %j', async (body) => {
      const { client, accessToken: bearer } = await story.signInByPassword(story.person());

      expect(await client.post('/me/password', body, { bearer })).toBeRefused(400, 'VALIDATION_FAILED');
    });
  });

  describe('/me/events', () => {
    it('lists the events of the account in slices, newest first', async () => {
      const person = await story.enrolled();
      story.clock.advance(1);
      await story.client().post('/login', { id: person.id, pw: 'wrong' });
      story.clock.advance(1);
      const { client, accessToken: bearer } = await story.signIn(person);
      story.clock.advance(1);

      const all = itemsOf(await client.get('/me/events', { bearer }));
      const first = await client.get('/me/events?limit=2', { bearer });
      const second = await client.get(`/me/events?limit=2&after=${String(first.body['next'])}`, { bearer });

      expect(all.map(({ kind }) => kind)).toContain('LOGIN_PASSWORD_FAILED');
      const ids = all.map(({ id }) => String(id));
      expect(ids).toEqual(ids.toSorted().toReversed());
      expect([...itemsOf(first), ...itemsOf(second)]).toEqual(all.slice(0, 4));
      expect(all[0]).toMatchObject({ kind: expect.any(String) as string, ip: '127.0.0.1' });
    });

    it('shows no events of other users', async () => {
      const [person, other] = [await story.enrolled(), await story.enrolled()];
      const subject = await story.subjectOf(other);
      const { client, accessToken: bearer } = await story.signIn(person);

      const answer = await client.get('/me/events?limit=200', { bearer });

      expect(answer.text).not.toContain(subject);
      expect(itemsOf(answer).length).toBeGreaterThan(0);
    });
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'limit=1&limit=2', 'after=', 'more=1'])(
    'lists reject the query ?%s',
    async (query) => {
      const { client, accessToken: bearer } = await story.signInByPassword(story.person());

      for (const list of ['/me/events', '/me/devices', '/sessions']) {
        const answer = await client.get(`${list}?${query}`, { bearer });

        expect(answer, list).toBeRefused(400, 'VALIDATION_FAILED');
      }
    },
  );
});
