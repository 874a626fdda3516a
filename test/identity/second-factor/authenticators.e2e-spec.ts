import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, setCookie, textOf } from '../../support/http/http-client.js';
import { type Enrolled, refresh, secondStep, type SignedIn, storyOn } from '../../support/login/login-story.js';
import { assert, type ListedAuthenticator, PasskeyStory } from '../../support/passkey/passkey-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const FRESH_SECONDS = 300;
const MAX_APPS = 5;

onAnyEngine('several authenticators of an account', (engine) => {
  const story = storyOn(engine, {
    people: 60,
    args: ['--app.security.mfa.trusted-device.enabled=true'],
  });
  const passkeys = new PasskeyStory(story);

  function listOf({ client, accessToken: bearer }: Signed): Promise<readonly ListedAuthenticator[]> {
    return passkeys.authenticatorsOf(client, { bearer });
  }

  async function typesOf(signedIn: Signed): Promise<readonly string[]> {
    return (await listOf(signedIn)).map(({ type }) => type);
  }

  /** The id of the only authenticator of that type. */
  async function idOf(signedIn: Signed, type: ListedAuthenticator['type']): Promise<string> {
    const ids = (await listOf(signedIn)).filter((each) => each.type === type).map(({ id }) => id);
    expect(ids).toHaveLength(1);
    return ids[0] ?? '';
  }

  function rename({ client, accessToken: bearer }: Signed, id: string, name: unknown): Promise<Answer> {
    return client.send('PATCH', `/2fa/authenticators/${id}`, { json: { name }, bearer });
  }

  function remove({ client, accessToken: bearer }: Signed, id: string): Promise<Answer> {
    return client.delete(`/2fa/authenticators/${id}`, { bearer });
  }

  /** Adds an app with the code of the next step. */
  async function addApp(signedIn: Signed, more: object = {}): Promise<AuthenticatorApp> {
    const { client, accessToken: bearer } = signedIn;
    const setup = await client.post('/2fa/setup', { add: true, ...more }, { bearer });
    expect(setup).toBeAnswered(201);
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    expect(await client.post('/2fa/confirm', { code: story.nextCode({ app }) }, { bearer })).toBeAnswered(200);
    return app;
  }

  async function stepUpWith(signedIn: Signed, app: AuthenticatorApp): Promise<Answer> {
    const { client, accessToken: bearer } = signedIn;
    return client.post('/2fa/verify', { code: story.codeOf(app) }, { bearer });
  }

  describe('adding', () => {
    it('GET /2fa lists apps and passkeys with their names, the oldest first', async () => {
      const person = await story.enrolled();
      story.clock.advance(1);
      await passkeys.register(person.client, { bearer: person.accessToken }, passkeys.authenticator(), {
        name: 'Key ring',
      });
      await addApp(person, { name: 'Old phone' });

      expect(await listOf(person)).toEqual([
        {
          id: expect.any(String) as string,
          type: 'totp',
          created_at: expect.any(String) as string,
          last_used_at: expect.any(String) as string,
        },
        {
          id: expect.any(String) as string,
          type: 'passkey',
          name: 'Key ring',
          created_at: expect.any(String) as string,
          synced: false,
        },
        {
          id: expect.any(String) as string,
          type: 'totp',
          name: 'Old phone',
          created_at: expect.any(String) as string,
          last_used_at: expect.any(String) as string,
        },
      ]);
    });

    it('the use of an authenticator changes its last_used_at only', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      const before = await listOf(holder);
      story.clock.advance(60);

      const { client, accessToken } = await passkeys.signIn(holder);

      const after = await listOf({ client, accessToken });
      const used = after.filter((each, index) => each.last_used_at !== before[index]?.last_used_at);
      expect(used.map(({ type }) => type)).toEqual(['passkey']);
    });

    it('a code of each app works, and a step is accepted once whichever app shows it', async () => {
      const person = await story.enrolled();
      const second = await addApp(person);

      expect(await stepUpWith(person, person.app)).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await story.countOf(person, 'MFA_REPLAY')).toBe(1);
      for (const app of [person.app, second]) {
        story.clock.nextStep();
        expect(await stepUpWith(person, app)).toBeAnswered(200);
      }
      expect(await stepUpWith(person, person.app)).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await story.countOf(person, 'MFA_REPLAY')).toBe(2);
    });

    it('an added authenticator keeps backup codes, other sessions, trusted devices and half-authenticated logins', async () => {
      const person = await story.enrolled();
      const { client: trusted } = await story.signIn(person, story.client(), { trust_device: true });
      const elsewhere = await story.signIn(person);
      const half = story.client();
      const bearer = await story.mfaToken(person, half);

      await addApp(person);
      await passkeys.register(person.client, { bearer: person.accessToken });

      const { client, accessToken } = elsewhere;
      expect(await client.get('/me', { bearer: accessToken })).toBeAnswered(200);
      expect(await refresh(client)).toBeAnswered(200);
      expect((await story.login(person, trusted)).body).toMatchObject({ mfa_required: false });
      expect(await secondStep(half, bearer, String(person.backupCodes[0]))).toBeAnswered(200);
    });

    it(`an account has ${MAX_APPS} apps at most`, async () => {
      const person = await story.enrolled();
      for (let number = 2; number <= MAX_APPS; number += 1) await addApp(person);
      const { client, accessToken: bearer } = person;

      expect(await client.post('/2fa/setup', { add: true }, { bearer })).toBeRefused(409, 'MFA_STATE_CONFLICT');

      expect(await typesOf(person)).toEqual(Array.from({ length: MAX_APPS }, () => 'totp'));
    });

    it('a setup without `add` replaces all apps, and keeps the passkeys', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      await addApp(holder);
      const { client, accessToken: bearer } = holder;
      const setup = await client.post('/2fa/setup', { name: 'New phone' }, { bearer });
      const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));

      const confirmed = await client.post('/2fa/confirm', { code: story.nextCode({ app }) }, { bearer });

      expect(confirmed).toBeAnswered(200);
      const left = await listOf({ client, accessToken: textOf(confirmed, 'access_token') });
      expect(left.map(({ type, name }) => [type, name])).toEqual([
        ['passkey', undefined],
        ['totp', 'New phone'],
      ]);
      story.clock.nextStep();
      expect(await stepUpWith(holder, holder.app)).toBeRefused(401, 'MFA_CODE_INVALID');
      await passkeys.signIn(holder);
    });
  });

  describe('renaming', () => {
    it('apps and passkeys can be renamed', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());

      for (const { id, type } of await listOf(holder)) {
        expect(await rename(holder, id, ` My ${type} 🔑 `)).toBeAnswered(204);
      }

      expect((await listOf(holder)).map(({ name }) => name)).toEqual(['My passkey 🔑', 'My totp 🔑']);
    });

    it('a rename to the same name succeeds', async () => {
      const person = await story.enrolled();
      const id = await idOf(person, 'totp');

      expect(await rename(person, id, 'Phone')).toBeAnswered(204);
      expect(await rename(person, id, 'Phone')).toBeAnswered(204);
    });

    it.each([
      ['an empty name', ''],
      ['65 characters', 'x'.repeat(65)],
      ['a control character', 'a\u0000b'],
      ['no text', 7],
    ])('a rename to %s is rejected', async (_, name) => {
      const person = await story.enrolled();

      expect(await rename(person, await idOf(person, 'totp'), name)).toBeRefused(400, 'VALIDATION_FAILED');
    });
  });

  describe('T17: a fresh second factor', () => {
    it('a stale or missing proof of the second factor changes no authenticator', async () => {
      const person = story.person();
      const weak = await story.signInByPassword(person);
      const enrolled = await story.enrolled(person);
      const id = await idOf(enrolled, 'totp');
      story.clock.advance(FRESH_SECONDS + 1);

      for (const { client, accessToken: bearer } of [weak, enrolled]) {
        const answers = [
          await rename({ client, accessToken: bearer }, id, 'Mine'),
          await remove({ client, accessToken: bearer }, id),
          await client.post('/2fa/setup', { add: true }, { bearer }),
          await client.post('/2fa/passkeys/registration/options', {}, { bearer }),
        ];
        for (const answer of answers) {
          expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
          expect(answer.body['required']).toBe('mfa');
        }
      }
      expect(await typesOf(enrolled)).toEqual(['totp']);
    });

    it('a step-up by a passkey is a fresh proof', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      const { client, accessToken: bearer } = holder;
      story.clock.advance(FRESH_SECONDS + 1);
      expect(await rename(holder, holder.passkeyId, 'Mine')).toBeRefused(401, 'STEP_UP_REQUIRED');

      const assertion = await passkeys.assertion(client, { bearer }, holder.authenticator);
      const raised = await assert(client, { bearer }, assertion);

      const fresh = { client, accessToken: textOf(raised, 'access_token') };
      expect(await rename(fresh, holder.passkeyId, 'Mine')).toBeAnswered(204);
    });

    it('a half-authenticated user lists, renames and removes nothing', async () => {
      const holder = await passkeys.holder();
      const client = story.client();
      const half = { client, accessToken: await story.mfaToken(holder, client) };

      expect(await client.get('/2fa', { bearer: half.accessToken })).toBeRefused(403, 'MFA_REQUIRED');
      expect(await rename(half, holder.passkeyId, 'Mine')).toBeRefused(403, 'MFA_REQUIRED');
      expect(await remove(half, holder.passkeyId)).toBeRefused(403, 'MFA_REQUIRED');
    });
  });

  it('H10: the authenticator of another user, a pending one and an unknown one are not found', async () => {
    const [person, other] = [await story.enrolled(), await passkeys.withApp(await passkeys.holder())];
    const foreign = (await listOf(other)).map(({ id }) => id);
    await person.client.post('/2fa/setup', { add: true }, { bearer: person.accessToken });
    const [pending] = await story.database.query<{ id: string }>(
      'SELECT id FROM totp_secret WHERE user_id = ? AND activated_at IS NULL',
      [await story.subjectOf(person)],
    );

    for (const id of [...foreign, pending?.id ?? '', 'unknown', '%27%20OR%201=1', encodeURIComponent('é'.repeat(99))]) {
      expect(await rename(person, id, 'Mine')).toBeRefused(404, 'NOT_FOUND');
      expect(await remove(person, id)).toBeRefused(404, 'NOT_FOUND');
    }

    expect(await typesOf(other)).toEqual(['passkey', 'totp']);
    expect((await listOf(other)).map(({ name }) => name)).toEqual([undefined, undefined]);
    expect(await typesOf(person)).toEqual(['totp']);
  });

  describe('removing', () => {
    it.each(['passkey', 'totp'] as const)(
      'the removal of a %s ends other sessions, trusted devices and half-authenticated logins',
      async (type) => {
        const holder = await passkeys.withApp(await passkeys.holder());
        const trusted = story.client();
        await story.signIn(holder, trusted, { trust_device: true });
        const elsewhere = await passkeys.signIn(holder);
        const half = story.client();
        const bearer = await story.mfaToken(holder, half);

        expect(await remove(holder, await idOf(holder, type))).toBeAnswered(204);

        expect(await typesOf(holder)).toEqual([type === 'passkey' ? 'totp' : 'passkey']);
        const { client, accessToken } = elsewhere;
        expect(await client.get('/me', { bearer: accessToken })).toBeRefused(401, 'INVALID_TOKEN');
        expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
        expect((await story.login(holder, trusted)).body).toMatchObject({ mfa_required: true });
        expect(await secondStep(half, bearer, String(holder.backupCodes[0]))).toBeRefused(401, 'MFA_TOKEN_INVALID');
        expect(await story.countOf(holder, type === 'passkey' ? 'PASSKEY_REMOVED' : 'TOTP_REMOVED')).toBe(1);
        expect(await story.countOf(holder, 'MFA_DISABLED')).toBe(0);
      },
    );

    it('a removed passkey and a removed app no longer work; the backup codes do', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      const kept = passkeys.authenticator();
      await passkeys.register(holder.client, { bearer: holder.accessToken }, kept);
      expect(await remove(holder, holder.passkeyId)).toBeAnswered(204);
      expect(await remove(holder, await idOf(holder, 'totp'))).toBeAnswered(204);

      const client = story.client();
      const login = await story.login(holder, client);
      const bearer = textOf(login, 'mfa_token');
      expect(login.body['methods']).toEqual(['passkey', 'backup_code']);
      const own = holder.authenticator.credentials[0];
      const removed = await passkeys.assertion(client, { bearer }, holder.authenticator, own && { credential: own });
      expect(await assert(client, { bearer }, removed)).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await secondStep(client, bearer, story.nextCode(holder))).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await secondStep(client, bearer, String(holder.backupCodes[0]))).toBeAnswered(200);
    });

    it('the last authenticator stays, and goes with the whole second factor by a proof of it', async () => {
      const holder = await passkeys.holder();
      const full = await passkeys.signIn(holder);
      const { client, accessToken: bearer } = full;

      expect(await remove(full, holder.passkeyId)).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await typesOf(holder)).toEqual(['passkey']);
      expect(await story.countOf(holder, 'PASSKEY_REMOVED')).toBe(0);

      const [code = ''] = holder.backupCodes;
      expect(await client.post('/2fa/disable', { code }, { bearer })).toBeAnswered(204);
      expect((await client.get('/2fa', { bearer })).body).toMatchObject({
        state: 'none',
        authenticators: [],
        backup_codes: { remaining: 0 },
      });
      expect((await story.login(holder)).body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
      expect(await story.countOf(holder, 'MFA_DISABLED')).toBe(1);
    });

    it('where policy demands a second factor, the last authenticator stays', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      await story.database.query('UPDATE account SET mfa_required = 1 WHERE login_id = ?', [holder.id]);
      expect(await remove(holder, await idOf(holder, 'totp'))).toBeAnswered(204);

      expect(await remove(holder, holder.passkeyId)).toBeRefused(409, 'MFA_STATE_CONFLICT');

      expect(await typesOf(holder)).toEqual(['passkey']);
      await passkeys.signIn(holder);
    });

    it('S7: the removal renews the cookie of a portal session, and ends its earlier value', async () => {
      const holder = await passkeys.withApp(await passkeys.holder());
      const client = await portalSession(holder);
      const former = client.copy();

      const answer = await client.delete(`/2fa/authenticators/${holder.passkeyId}`);

      expect(answer).toBeAnswered(204);
      expect(setCookie(answer, 'SESSION')?.value).toMatch(/./);
      expect(await client.get('/me')).toBeAnswered(200);
      expect(await former.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await holder.client.get('/me', { bearer: holder.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
    });
  });

  /** A portal session that an app has completed. */
  async function portalSession({ id, password, app }: Pick<Enrolled, 'id' | 'password' | 'app'>): Promise<HttpClient> {
    const client = story.client();
    expect(await client.post('/session', { id, pw: password })).toBeAnswered(200);
    expect(await client.post('/2fa/verify', { code: story.nextCode({ app }) })).toBeAnswered(200);
    return client;
  }
});

type Signed = Pick<SignedIn, 'client' | 'accessToken'>;
