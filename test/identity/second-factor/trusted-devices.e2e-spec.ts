import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, type Members, setCookie, textOf } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, refresh, type SignedIn, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const DAY = 24 * 3600;
const NEW_PASSWORD = 'eight loud lanterns & 2 harbours';

onAnyEngine('S10: trusted devices', (engine) => {
  const story = storyOn(engine, { args: ['--app.security.mfa.trusted-device.enabled=true'] });

  /** Signs in with a request to trust the device. */
  async function trusted(person: Enrolled): Promise<SignedIn> {
    const browser = story.client();
    browser.headers['user-agent'] = 'The kitchen computer';
    return story.signIn(person, browser, { trust_device: true });
  }

  async function isAskedForCode(person: Enrolled, browser: HttpClient): Promise<boolean> {
    return (await story.login(person, browser)).body['mfa_required'] === true;
  }

  it('a device is trusted for 30 days only when the user asks for it at the second step', async () => {
    const person = await story.enrolled();

    const { answer } = await trusted(person);

    const cookie = setCookie(answer, 'trusted_device');
    expect(Buffer.from(cookie?.value ?? '', 'base64url')).toHaveLength(32);
    expect(cookie?.attributes).toEqual({
      httponly: true,
      secure: true,
      samesite: 'Strict',
      path: '/',
      'max-age': String(30 * DAY),
    });
    expect(await story.countOf(person, 'DEVICE_TRUSTED')).toBe(1);
    const { answer: unasked } = await story.signIn(person);
    expect(setCookie(unasked, 'trusted_device')).toBeUndefined();
  });

  it('a trusted device skips the second factor but never claims otp', async () => {
    const person = await story.enrolled();
    const { client } = await trusted(person);
    const before = client.cookie('trusted_device');

    const answer = await story.login(person, client);

    expect(answer.body).toEqual({
      mfa_required: false,
      access_token: expect.any(String) as string,
      token_type: 'Bearer',
      expires_in: 600,
      amr: ['pwd'],
    });
    const bearer = textOf(answer, 'access_token');
    expect(decodeJwt(bearer)).toMatchObject({ amr: ['pwd'], acr: 'urn:login:acr:pwd' });
    expect(decodeJwt(bearer)).not.toHaveProperty('mfa_at');
    expect(await client.get('/me/settlement', { bearer })).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(client.cookie('trusted_device')).not.toBe(before);
  });

  it('each use of a trusted device replaces its secret and invalidates the previous one', async () => {
    const person = await story.enrolled();
    const { client } = await trusted(person);
    const thief = client.copy();
    expect(await isAskedForCode(person, client)).toBe(false);

    expect(await isAskedForCode(person, thief)).toBe(true);
    expect(await isAskedForCode(person, client)).toBe(false);
  });

  it('trust ends 30 days after it was granted, even when the device is used', async () => {
    const person = await story.enrolled();
    const { client } = await trusted(person);
    story.clock.advance(20 * DAY);
    const again = await story.login(person, client);
    expect(again.body['mfa_required']).toBe(false);
    expect(setCookie(again, 'trusted_device')?.attributes['max-age']).toBe(String(10 * DAY));

    story.clock.advance(10 * DAY);

    expect(await isAskedForCode(person, client)).toBe(true);
  });

  it('a trusted device does not skip the second factor of another user', async () => {
    const [person, other] = [await story.enrolled(), await story.enrolled()];
    const { client } = await trusted(person);

    expect(await isAskedForCode(other, client.copy())).toBe(true);
    expect(await isAskedForCode(person, client)).toBe(false);
  });

  it('a trusted device still requires the password', async () => {
    const person = await story.enrolled();
    const { client } = await trusted(person);

    const answer = await client.post('/login', { id: person.id, pw: 'wrong' });

    expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
  });

  it('a trusted device is listed and can be revoked only by its user', async () => {
    const [person, other] = [await story.enrolled(), await story.enrolled()];
    const { client, accessToken: bearer } = await trusted(person);
    const stranger = await story.signIn(other);

    const list = await client.get('/me/devices', { bearer });

    const [device] = list.body['items'] as readonly Members[];
    expect(list.body).toEqual({
      items: [
        {
          id: expect.any(String) as string,
          device: 'The kitchen computer',
          ip: '127.0.0.1',
          created: expect.any(String) as string,
          last_used: expect.any(String) as string,
          expires: expect.any(String) as string,
        },
      ],
    });
    const path = `/me/devices/${String(device?.['id'])}`;
    const byStranger = await stranger.client.delete(path, { bearer: stranger.accessToken });
    expect(byStranger).toBeRefused(404, 'NOT_FOUND');
    expect(await client.delete(path, { bearer })).toBeAnswered(204);
    expect(await client.delete(path, { bearer })).toBeRefused(404, 'NOT_FOUND');
    expect(await story.countOf(person, 'DEVICE_REVOKED')).toBe(1);
    expect(await isAskedForCode(person, client)).toBe(true);
  });

  it('trusted devices are listed in slices, newest first', async () => {
    const person = await story.enrolled();
    const bearers: string[] = [];
    for (let count = 0; count < 3; count += 1) bearers.unshift((await trusted(person)).accessToken);
    const [bearer = ''] = bearers;
    const list = async (query: string): Promise<Answer> => {
      const answer = await story.client().get(`/me/devices${query}`, { bearer });
      expect(answer, query).toBeAnswered(200);
      return answer;
    };

    const whole = await list('');
    const first = await list('?limit=2');
    const second = await list(`?limit=2&after=${textOf(first, 'next')}`);

    const items = whole.body['items'] as readonly Members[];
    const granted = items.map(({ created }) => String(created));
    expect(items).toHaveLength(3);
    expect(granted).toEqual(granted.toSorted().toReversed());
    expect(whole.body).not.toHaveProperty('next');
    expect(first.body).toEqual({ items: items.slice(0, 2), next: items[1]?.['id'] });
    expect(second.body).toEqual({ items: items.slice(2) });
  });

  describe('revoked trust', () => {
    it('a password change revokes trust', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await trusted(person);
      const change = { current: PASSWORD, new: NEW_PASSWORD };
      expect(await client.post('/me/password', change, { bearer })).toBeAnswered(204);

      expect(await isAskedForCode({ ...person, password: NEW_PASSWORD }, client)).toBe(true);
    });

    it('a replaced secret revokes trust', async () => {
      const person = await story.enrolled();
      const { client } = await trusted(person);
      const { client: mine, accessToken: bearer } = await story.signIn(person);
      const setup = await mine.post('/2fa/setup', {}, { bearer });
      const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
      story.clock.nextStep();
      expect(await mine.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer })).toBeAnswered(200);

      expect(await isAskedForCode(person, client)).toBe(true);
    });

    it('disabling and enabling 2FA revokes trust', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await trusted(person);
      const disabled = await client.post('/2fa/disable', { code: story.nextCode(person) }, { bearer });
      expect(disabled).toBeAnswered(204);
      story.clock.nextStep();
      const again = await story.enrolled(person);

      expect(await isAskedForCode(again, client)).toBe(true);
    });

    it('a lock revokes trust', async () => {
      const person = await story.enrolled();
      const { client } = await trusted(person);
      await story.lock(person);

      expect(await isAskedForCode(person, client)).toBe(true);
    });

    it('users reset-mfa revokes trust', async () => {
      const person = await story.enrolled();
      const { client } = await trusted(person);
      const { exitCode } = await story.command('users', 'reset-mfa', person.id);
      expect(exitCode).toBe(0);

      const answer = await story.login(person, client);

      expect(answer.body).toMatchObject({ mfa_required: true, enrolment_required: true });
    });

    it('A4: a temporary password revokes trust, also in the login that replaces it', async () => {
      const person = await story.enrolled();
      const { client } = await trusted(person);
      const { exitCode, stdout } = await story.command('users', 'set-password', person.id);
      expect(exitCode).toBe(0);
      const pw = /The password (\S+) is shown only once/.exec(stdout)?.[1];

      const changed = await client.post('/login', { id: person.id, pw, new_pw: NEW_PASSWORD });

      expect(changed.body).toMatchObject({ mfa_required: true, methods: ['totp', 'backup_code'] });
      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    });

    it('a trusted device does not skip a second factor that policy requires', async () => {
      const person = await story.enrolled();
      const { client } = await trusted(person);
      await story.database.query('UPDATE account SET mfa_required = 1 WHERE login_id = ?', [person.id]);

      expect(await isAskedForCode(person, client)).toBe(true);
    });
  });
});

onAnyEngine('S10: disabled trusted devices', (engine) => {
  const story = storyOn(engine, { people: 4 });

  it('without trusted devices, trust_device is ignored and a planted cookie skips nothing', async () => {
    const person = await story.enrolled();
    const browser = story.client();

    const { answer } = await story.signIn(person, browser, { trust_device: true });

    expect(setCookie(answer, 'trusted_device')).toBeUndefined();
    browser.plant('trusted_device', 'T'.repeat(43));
    expect((await story.login(person, browser)).body['mfa_required']).toBe(true);
  });
});
