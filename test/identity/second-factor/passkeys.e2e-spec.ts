import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, setCookie, textOf } from '../../support/http/http-client.js';
import { refresh, type SignedIn, storyOn } from '../../support/login/login-story.js';
import { PASSKEY_ALGORITHMS } from '../../support/passkey/passkey-key.js';
import { assert, type PasskeyHolder, PasskeyStory } from '../../support/passkey/passkey-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const ACR_MFA = 'urn:login:acr:mfa';

onAnyEngine('passkeys as a second factor', (engine) => {
  const story = storyOn(engine, {
    people: 40,
    others: { boss: 'ROLE_ADMIN' },
    args: ['--app.security.mfa.trusted-device.enabled=true'],
  });
  const passkeys = new PasskeyStory(story);

  /** Steps a session up by the passkey; a session cookie needs no token. */
  async function stepUp(client: HttpClient, holder: PasskeyHolder, bearer?: string): Promise<Answer> {
    const caller = bearer === undefined ? {} : { bearer };
    const answer = await assert(client, caller, await passkeys.assertion(client, caller, holder.authenticator));
    expect(answer).toBeAnswered(200);
    return answer;
  }

  describe.each(PASSKEY_ALGORITHMS)('with %s', (algorithm) => {
    it.each([
      ['bound to its device', false, 'hwk'],
      ['synced', true, 'swk'],
    ] as const)('a passkey that is %s completes a login', async (_, isSynced, method) => {
      const holder = await passkeys.holder({ algorithm, isSynced });

      const { accessToken, answer } = await passkeys.signIn(holder);

      expect(answer.body).toMatchObject({ amr: ['pwd', method], mfa_method: 'passkey' });
      expect(decodeJwt(accessToken)).toMatchObject({ amr: ['pwd', method], acr: ACR_MFA, mfa_method: 'passkey' });
    });
  });

  describe('the second step', () => {
    it('the response has the members of a login by code, and sets the refresh cookie', async () => {
      const { answer } = await passkeys.signIn(await passkeys.holder());

      expect(answer.body).toEqual({
        access_token: expect.any(String) as string,
        token_type: 'Bearer',
        expires_in: 600,
        amr: ['pwd', 'hwk'],
        mfa_method: 'passkey',
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(setCookie(answer, 'refresh_token')?.attributes).toMatchObject({ httponly: true, path: '/token' });
    });

    it('the password step offers what the account has, the strongest first', async () => {
      const holder = await passkeys.holder();
      expect((await story.login(holder)).body['methods']).toEqual(['passkey', 'backup_code']);

      await passkeys.withApp(holder);

      const login = await story.login(holder);
      expect(login.body['methods']).toEqual(['passkey', 'totp', 'backup_code']);
      expect(login.body).not.toHaveProperty('enrolment_methods');
    });

    it('the event of a login by passkey states amr and method', async () => {
      const holder = await passkeys.holder({ isSynced: true });
      await passkeys.signIn(holder);

      const event = (await story.events(holder)).findLast(({ kind }) => kind === 'MFA_OK');

      expect(event).toMatchObject({ amr: 'pwd swk', reason: 'passkey', result: 'ok' });
    });

    it('an admin enrols a passkey with the mfa_token, and uses routes that need any second factor', async () => {
      const boss = { id: 'boss', password: story.person().password };
      const client = story.client();
      const login = await story.login(boss, client);
      const bearer = textOf(login, 'mfa_token');
      expect(login.body).toMatchObject({ enrolment_required: true, enrolment_methods: ['passkey', 'totp'] });
      const authenticator = passkeys.authenticator();
      await passkeys.register(client, { bearer }, authenticator);

      const completed = await assert(client, { bearer }, await passkeys.assertion(client, { bearer }, authenticator));

      expect(completed.body).toMatchObject({ amr: ['pwd', 'hwk'] });
      const full = textOf(completed, 'access_token');
      expect(await client.get('/admin/users', { bearer: full })).toBeAnswered(200);
      expect(await client.get('/me/settlement', { bearer: full })).toBeRefused(401, 'STEP_UP_REQUIRED');
    });
  });

  describe('facts about a login', () => {
    let holder: PasskeyHolder;
    let login: SignedIn;
    let provedAt: number;

    beforeAll(async () => {
      holder = await passkeys.withApp(await passkeys.holder());
      login = await passkeys.signIn(holder);
      provedAt = story.clock.seconds;
      story.clock.advance(60);
    });

    it('GET /me states the passkey, and when it was used', async () => {
      const { client, accessToken: bearer } = login;

      expect((await client.get('/me', { bearer })).body).toMatchObject({ amr: ['pwd', 'hwk'], acr: ACR_MFA });
      expect((await client.get('/me', { bearer })).body).toHaveProperty('mfa_at');
    });

    it('J8: a refresh keeps the facts of a login by passkey', async () => {
      const before = decodeJwt(login.accessToken);
      const renewed = await refresh(login.client);
      const after = decodeJwt(textOf(renewed, 'access_token'));

      expect(renewed.body).toMatchObject({ amr: ['pwd', 'hwk'] });
      const kept = ['sub', 'sid', 'amr', 'acr', 'auth_time', 'mfa_at', 'mfa_method'];
      expect(kept.map((name) => after[name])).toEqual(kept.map((name) => before[name]));
      expect(after).toMatchObject({ mfa_at: provedAt, mfa_method: 'passkey' });
    });

    it('a route that requires a code refuses the passkey, and names the code', async () => {
      const { client, accessToken: bearer } = login;

      const answer = await client.get('/me/settlement', { bearer });

      expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.body['required']).toBe('otp');
    });
  });

  describe('step-up', () => {
    it('each step-up replaces the proof before: by passkey, by code, and by passkey again', async () => {
      const holder = await passkeys.withApp(await passkeys.holder({ isSynced: true }));
      const { client, accessToken } = await story.signIn(holder);
      const before = decodeJwt(accessToken);
      const stepUps = await story.countOf(holder, 'STEP_UP_OK');

      story.clock.advance(60);
      const byPasskey = textOf(await stepUp(client, holder, accessToken), 'access_token');
      const { sid, auth_time: authTime } = before;
      expect(decodeJwt(byPasskey)).toMatchObject({
        ...{ sid, auth_time: authTime, amr: ['pwd', 'swk'], mfa_method: 'passkey', mfa_at: story.clock.seconds },
      });
      expect(await client.get('/me/settlement', { bearer: byPasskey })).toBeRefused(401, 'STEP_UP_REQUIRED');

      const code = story.nextCode(holder);
      const byCode = textOf(await client.post('/2fa/verify', { code }, { bearer: byPasskey }), 'access_token');
      expect(decodeJwt(byCode)).toMatchObject({ sid, amr: ['pwd', 'otp'], mfa_method: 'totp' });
      expect(await client.get('/me/settlement', { bearer: byCode })).toBeAnswered(200);

      const again = textOf(await stepUp(client, holder, byCode), 'access_token');
      expect(decodeJwt(again)).toMatchObject({ sid, amr: ['pwd', 'swk'], mfa_at: story.clock.seconds });
      expect(await story.countOf(holder, 'STEP_UP_OK')).toBe(stepUps + 3);
    });

    it('a login by password is stepped up by a passkey', async () => {
      const holder = await passkeys.holder();

      const answer = await stepUp(holder.client, holder, holder.accessToken);

      expect(decodeJwt(textOf(answer, 'access_token'))).toMatchObject({ amr: ['pwd', 'hwk'], acr: ACR_MFA });
    });
  });

  describe('a session of the portal', () => {
    it('a passkey completes a portal session: the cookie changes, and no token is in the response', async () => {
      const holder = await passkeys.holder();
      const client = story.client();
      await client.post('/session', { id: holder.id, pw: holder.password });
      const half = client.copy();
      expect(await client.get('/me')).toBeRefused(403, 'MFA_REQUIRED');

      const answer = await stepUp(client, holder);

      expect(answer.body).toEqual({ amr: ['pwd', 'hwk'], mfa_method: 'passkey' });
      expect(setCookie(answer, 'SESSION')?.value).not.toBe(half.cookie('SESSION'));
      expect((await client.get('/session')).body).toMatchObject({ amr: ['pwd', 'hwk'], acr: ACR_MFA });
      expect(await half.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('a passkey steps a portal session up after a code, and a code after a passkey', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      const client = story.client();
      await client.post('/session', { id: holder.id, pw: holder.password });
      expect(await client.post('/2fa/verify', { code: story.nextCode(holder) })).toBeAnswered(200);
      expect(await client.get('/me/settlement')).toBeAnswered(200);

      await stepUp(client, holder);
      expect((await client.get('/me')).body).toMatchObject({ amr: ['pwd', 'hwk'] });
      expect(await client.get('/me/settlement')).toBeRefused(401, 'STEP_UP_REQUIRED');

      expect(await client.post('/2fa/verify', { code: story.nextCode(holder) })).toBeAnswered(200);
      expect((await client.get('/me')).body).toMatchObject({ amr: ['pwd', 'otp'] });
    });
  });

  describe('S10: trust_device', () => {
    it('a passkey can make the browser trusted, which then claims neither otp nor a passkey', async () => {
      const holder = await passkeys.holder();
      const client = story.client();
      const bearer = await story.mfaToken(holder, client);
      const assertion = await passkeys.assertion(client, { bearer }, holder.authenticator);

      const answer = await assert(client, { bearer }, assertion, { trust_device: true });

      expect(setCookie(answer, 'trusted_device')?.attributes).toMatchObject({ httponly: true, secure: true });
      expect((await story.login(holder, client)).body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
      expect(await story.countOf(holder, 'DEVICE_TRUSTED')).toBe(1);
    });

    it('without trust_device no browser is trusted', async () => {
      const { answer } = await passkeys.signIn(await passkeys.holder());

      expect(setCookie(answer, 'trusted_device')).toBeUndefined();
    });
  });
});

onAnyEngine('app.security.mfa.passkey.origins', (engine) => {
  const APP = 'android:apk-key-hash:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
  const SUBDOMAIN = 'http://account.localhost:8443';
  const story = storyOn(engine, {
    people: 4,
    args: [`--app.security.mfa.passkey.origins=${APP},${SUBDOMAIN}`],
  });
  const passkeys = new PasskeyStory(story);

  it.each([APP, SUBDOMAIN])('a passkey is registered and used at the further origin %s', async (origin) => {
    const holder = await passkeys.holder({ origin });

    expect((await passkeys.signIn(holder)).answer.body).toMatchObject({ mfa_method: 'passkey' });
  });

  it('any other origin below the RP ID is rejected', async () => {
    const holder = await passkeys.holder();
    const client = story.client();
    const bearer = await story.mfaToken(holder, client);
    const other = { clientData: { origin: 'http://other.localhost:8443' } };

    const assertion = await passkeys.assertion(client, { bearer }, holder.authenticator, other);

    expect(await assert(client, { bearer }, assertion)).toBeRefused(401, 'MFA_CODE_INVALID');
  });
});
