import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, type HttpClient, setCookie, textOf, textsOf } from '../../support/http/http-client.js';
import { PASSWORD, type SignedIn, refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const TEN_MINUTES = 600;
const FRESH = 300;
const BACKUP_CODE = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/;

/** A setup response, and the authenticator app that scanned it. */
interface Setup {
  readonly answer: Answer;
  readonly app: AuthenticatorApp;
  readonly codes: readonly string[];
}

async function setUp(client: HttpClient, bearer: string, body: object = {}): Promise<Setup> {
  const answer = await client.post('/2fa/setup', body, { bearer });
  expect(answer).toBeAnswered(201);
  return { answer, app: AuthenticatorApp.scan(textOf(answer, 'otpauth_uri')), codes: textsOf(answer, 'backup_codes') };
}

onAnyEngine('enrolment', (engine) => {
  const story = storyOn(engine, {
    people: 110,
    others: { 'boss-1': 'ROLE_MANAGEMENT', 'boss-2': 'ROLE_ADMIN', 'boss-3': 'ROLE_ADMIN', 'boss-4': 'ROLE_ADMIN' },
    args: ['--app.security.mfa.issuer=Harbour & Co'],
  });

  async function newcomer(): Promise<SignedIn & { readonly id: string }> {
    const { id, password } = story.person();
    return { id, ...(await story.signInByPassword({ id, password })) };
  }

  function confirm(client: HttpClient, bearer: string, code: string): Promise<Answer> {
    return client.post('/2fa/confirm', { code }, { bearer });
  }

  async function stateOf({ client, accessToken: bearer }: SignedIn): Promise<unknown> {
    const answer = await client.get('/2fa', { bearer });
    expect(answer).toBeAnswered(200);
    return answer.body['state'];
  }

  describe('POST /2fa/setup', () => {
    it('setup returns a secret, an otpauth URI, a QR code and backup codes that expire in ten minutes', async () => {
      const { id, client, accessToken } = await newcomer();

      const { answer, app } = await setUp(client, accessToken);

      expect(answer.body).toEqual({
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/) as string,
        otpauth_uri: expect.any(String) as string,
        qr: expect.stringMatching(/^data:image\/svg\+xml;base64,[A-Za-z0-9+/]+=*$/) as string,
        backup_codes: expect.any(Array) as string[],
        expires_in: TEN_MINUTES,
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const secret = textOf(answer, 'secret');
      expect(textOf(answer, 'otpauth_uri')).toBe(
        `otpauth://totp/Harbour%20%26%20Co:${id}?secret=${secret}&issuer=Harbour%20%26%20Co&algorithm=SHA1&digits=6&period=30`,
      );
      expect(app.label.parameters).toEqual({
        secret,
        issuer: 'Harbour & Co',
        algorithm: 'SHA1',
        digits: '6',
        period: '30',
      });
      const picture = Buffer.from(textOf(answer, 'qr').replace(/^[^,]*,/, ''), 'base64').toString();
      expect(picture).toMatch(/^(?:<\?xml[^>]*>\s*)?<svg[\s>]/);
      expect(picture).not.toContain(secret);
    });

    it('T16: every setup returns a new secret and new, well-formed backup codes', async () => {
      const { client, accessToken } = await newcomer();
      const setups: Setup[] = [];
      for (let count = 0; count < 30; count += 1) setups.push(await setUp(client, accessToken));

      const codes = setups.flatMap((setup) => setup.codes);

      expect(new Set(setups.map(({ app }) => app.secret)).size).toBe(30);
      expect(codes).toHaveLength(300);
      expect(new Set(codes).size).toBe(300);
      for (const code of codes) expect(code).toMatch(BACKUP_CODE);
    });

    it('an account with a pending setup signs in by password, and its pending backup codes are rejected', async () => {
      const person = story.person();
      const signedIn = await story.signInByPassword(person);

      const { answer } = await setUp(signedIn.client, signedIn.accessToken);

      expect(await stateOf(signedIn)).toBe('pending');
      expect((await story.login(person)).body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
      const codes = textsOf(answer, 'backup_codes');
      const verified = await signedIn.client.post('/2fa/verify', { code: codes[0] }, { bearer: signedIn.accessToken });
      expect(verified).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it('a second setup replaces the pending secret', async () => {
      const { client, accessToken } = await newcomer();
      const first = await setUp(client, accessToken);
      const second = await setUp(client, accessToken);

      expect(await confirm(client, accessToken, story.codeOf(first.app))).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await confirm(client, accessToken, story.codeOf(second.app))).toBeAnswered(200);
    });

    it('T17: setup requires a login of the last five minutes or the password', async () => {
      const { client, accessToken: bearer } = await newcomer();
      story.clock.advance(FRESH + 1);

      const old = await client.post('/2fa/setup', {}, { bearer });
      const wrong = await client.post('/2fa/setup', { pw: 'wrong' }, { bearer });
      const right = await client.post('/2fa/setup', { pw: PASSWORD }, { bearer });

      expect(old).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(old.headers.get('www-authenticate')).toContain('insufficient_user_authentication');
      expect(wrong).toBeRefused(401, 'INVALID_CREDENTIALS');
      expect(right).toBeAnswered(201);
    });

    it('T19: the database contains neither the secret in any encoding nor a backup code', async () => {
      const { client, accessToken } = await newcomer();
      const { app, codes } = await setUp(client, accessToken);
      const raw = fromBase32(app.secret);

      const rows = JSON.stringify(await story.database.query('SELECT * FROM totp_secret'));
      const stored = [Buffer.from(rows), ...embeddedFiles(story.database.args)];

      expect(rows).not.toBe('[]');
      const forms = [
        app.secret,
        app.secret.toLowerCase(),
        raw,
        raw.toString('hex'),
        raw.toString('base64'),
        raw.toString('base64url'),
      ];
      const codeForms = codes.flatMap((code) => [code, code.replace('-', '')]);
      for (const bytes of stored) {
        for (const form of [...forms, ...codeForms]) expect(bytes.includes(form)).toBe(false);
      }
    });
  });

  describe('QR code', () => {
    it('the QR code is served once as PNG and once as SVG', async () => {
      const { client, accessToken: bearer } = await newcomer();
      await setUp(client, bearer);

      const png = await client.get('/2fa/setup/qr.png', { bearer });
      const svg = await client.get('/2fa/setup/qr.svg', { bearer });

      expect(png).toBeAnswered(200);
      expect(png.headers.get('content-type')).toBe('image/png');
      expect(png.headers.get('cache-control')).toBe('no-store');
      expect(png.text.slice(1, 4)).toBe('PNG');
      expect(svg).toBeAnswered(200);
      expect(svg.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
      expect(svg.headers.get('cache-control')).toBe('no-store');
      expect(svg.text).toContain('<svg');
      expect(await client.get('/2fa/setup/qr.png', { bearer })).toBeRefused(404, 'NOT_FOUND');
      expect(await client.get('/2fa/setup/qr.svg', { bearer })).toBeRefused(404, 'NOT_FOUND');
    });

    it('T17: another session of the same user can neither fetch the QR code nor confirm the setup', async () => {
      const person = story.person();
      const mine = await story.signInByPassword(person);
      const other = await story.signInByPassword(person);
      const { app } = await setUp(mine.client, mine.accessToken);

      for (const form of ['png', 'svg']) {
        const answer = await other.client.get(`/2fa/setup/qr.${form}`, { bearer: other.accessToken });
        expect(answer).toBeRefused(404, 'NOT_FOUND');
      }
      const stolen = await confirm(other.client, other.accessToken, story.codeOf(app));
      expect(stolen).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await mine.client.get('/2fa/setup/qr.png', { bearer: mine.accessToken })).toBeAnswered(200);
      expect(await confirm(mine.client, mine.accessToken, story.codeOf(app))).toBeAnswered(200);
    });

    it('the QR code gets 404 without a setup and after confirm', async () => {
      const { client, accessToken: bearer } = await newcomer();
      expect(await client.get('/2fa/setup/qr.svg', { bearer })).toBeRefused(404, 'NOT_FOUND');
      const { app } = await setUp(client, bearer);
      const confirmed = await confirm(client, bearer, story.codeOf(app));

      const answer = await client.get('/2fa/setup/qr.svg', { bearer: textOf(confirmed, 'access_token') });

      expect(answer).toBeRefused(404, 'NOT_FOUND');
    });
  });

  describe('POST /2fa/confirm', () => {
    it('confirm activates the secret and upgrades the session to both factors', async () => {
      const { id, client, accessToken } = await newcomer();
      const { app } = await setUp(client, accessToken);

      const answer = await confirm(client, accessToken, story.codeOf(app));

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        state: 'active',
        amr: ['pwd', 'otp'],
        access_token: expect.any(String) as string,
        token_type: 'Bearer',
        expires_in: 600,
      });
      expect(setCookie(answer, 'refresh_token')?.attributes).toMatchObject({ httponly: true, path: '/token' });
      const [before, after] = [decodeJwt(accessToken), decodeJwt(textOf(answer, 'access_token'))];
      expect(after).toMatchObject({
        sub: before.sub,
        sid: before['sid'],
        auth_time: before['auth_time'],
        amr: ['pwd', 'otp'],
        acr: 'urn:login:acr:mfa',
        mfa_at: story.clock.seconds,
        mfa_method: 'totp',
      });
      expect((await story.login({ id, password: PASSWORD })).body).toMatchObject({ mfa_required: true });
    });

    it('GET /2fa returns state, activation time, backup codes and policy after confirm', async () => {
      const person = await story.enrolled();

      const answer = await person.client.get('/2fa', { bearer: person.accessToken });

      expect(answer.body).toEqual({
        state: 'active',
        activated_at: expect.any(String) as string,
        backup_codes: { remaining: 10, generated_at: expect.any(String) as string, low: false },
        authenticators: [
          {
            id: expect.any(String) as string,
            type: 'totp',
            created_at: expect.any(String) as string,
            last_used_at: expect.any(String) as string,
          },
        ],
        enrolment_methods: ['passkey', 'totp'],
        required_by_policy: false,
        required_strength: 'any',
      });
    });

    it('a wrong code at confirm leaves the secret pending, and the fifth locks the user', async () => {
      const signedIn = await newcomer();
      const { client, accessToken } = signedIn;
      const { app } = await setUp(client, accessToken);
      const wrong = Array.from({ length: 5 }, (_, variant) => app.wrongCodeAt(story.clock.seconds, variant));
      for (const code of wrong.slice(0, 4)) {
        expect(await confirm(client, accessToken, code)).toBeRefused(401, 'MFA_CODE_INVALID');
        expect(await stateOf(signedIn)).toBe('pending');
      }
      expect(await confirm(client, accessToken, String(wrong[4]))).toBeRefused(401, 'MFA_CODE_INVALID');

      expect(await confirm(client, accessToken, story.codeOf(app))).toBeRefused(429, 'MFA_LOCKED');
    });

    it('confirm accepts a TOTP code but no backup code', async () => {
      const { client, accessToken } = await newcomer();
      const { app, codes } = await setUp(client, accessToken);

      const answer = await confirm(client, accessToken, codes[0] ?? '');

      expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
      expect(await confirm(client, accessToken, story.codeOf(app))).toBeAnswered(200);
    });

    it('T18: confirm without a pending secret gets 409 and adds no failure', async () => {
      const person = await story.enrolled();
      for (let tries = 0; tries < 8; tries += 1) {
        const answer = await confirm(person.client, person.accessToken, story.codeOf(person.app));
        expect(answer).toBeRefused(409, 'MFA_STATE_CONFLICT');
      }

      expect(await story.countOf(person, 'MFA_FAILED')).toBe(0);
    });

    it('confirm succeeds within ten minutes of setup and gets 409 afterwards', async () => {
      const [early, late] = [await newcomer(), await newcomer()];
      const [inTime, tooLate] = [
        await setUp(early.client, early.accessToken),
        await setUp(late.client, late.accessToken),
      ];
      // The access token expires after ten minutes too, so the late confirm uses a refreshed one.
      story.clock.advance(TEN_MINUTES - 1);
      expect(await confirm(early.client, early.accessToken, story.codeOf(inTime.app))).toBeAnswered(200);
      story.clock.advance(1);
      const bearer = textOf(await refresh(late.client), 'access_token');

      expect(await confirm(late.client, bearer, story.codeOf(tooLate.app))).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it('confirm revokes the earlier refresh tokens of the session without reporting their reuse', async () => {
      const { id, client, accessToken } = await newcomer();
      const before = client.copy();
      const { app } = await setUp(client, accessToken);
      const confirmed = await confirm(client, accessToken, story.codeOf(app));
      expect(confirmed).toBeAnswered(200);

      expect(await refresh(before)).toBeRefused(401, 'REFRESH_INVALID');

      expect(await refresh(client)).toBeAnswered(200);
      expect(await story.countOf({ id }, 'TOKEN_REUSE')).toBe(0);
    });

    it('a first enrolment leaves other sessions of the user unchanged', async () => {
      const person = story.person();
      const other = await story.signInByPassword(person);
      await story.enrolled(person);

      const answer = await refresh(other.client);

      expect(answer).toBeAnswered(200);
      expect(answer.body['amr']).toEqual(['pwd']);
    });
  });

  describe('replacement of an active secret', () => {
    it('a replacement keeps the old secret and backup codes valid until confirm, which revokes them', async () => {
      const person = await story.enrolled();
      const { client, accessToken } = await story.signIn(person);
      const { app, codes } = await setUp(client, accessToken);

      await story.signIn(person);
      const byOldBackup = await secondStep(story.client(), await story.mfaToken(person), String(person.backupCodes[0]));
      expect(byOldBackup).toBeAnswered(200);
      const byNewBackup = await secondStep(story.client(), await story.mfaToken(person), String(codes[0]));
      expect(byNewBackup).toBeRefused(401, 'MFA_CODE_INVALID');
      story.clock.nextStep();
      expect(await confirm(client, accessToken, story.codeOf(app))).toBeAnswered(200);

      story.clock.nextStep();
      const byOld = await secondStep(story.client(), await story.mfaToken(person), story.codeOf(person.app));
      expect(byOld).toBeRefused(401, 'MFA_CODE_INVALID');
      const byOldCode = await secondStep(story.client(), await story.mfaToken(person), String(person.backupCodes[1]));
      expect(byOldCode).toBeRefused(401, 'MFA_CODE_INVALID');
      const byNew = await secondStep(story.client(), await story.mfaToken(person), story.codeOf(app));
      expect(byNew).toBeAnswered(200);
      const byNewCode = await secondStep(story.client(), await story.mfaToken(person), String(codes[1]));
      expect(byNewCode).toBeAnswered(200);
    });

    it('a replacement ends the other sessions and keeps its own', async () => {
      const person = await story.enrolled();
      const other = await story.signIn(person);
      const mine = await story.signIn(person);
      const { app } = await setUp(mine.client, mine.accessToken);
      story.clock.nextStep();
      const confirmed = await confirm(mine.client, mine.accessToken, story.codeOf(app));
      expect(confirmed).toBeAnswered(200);

      expect(await other.client.get('/me', { bearer: other.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await refresh(other.client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await mine.client.get('/me', { bearer: textOf(confirmed, 'access_token') })).toBeAnswered(200);
    });

    it('T17: setup, reissue and disable reject an mfa_token, a password session and an old second factor', async () => {
      const person = story.person();
      const byPassword = await story.signInByPassword(person);
      const enrolled = await story.enrolled(person);
      const mfaToken = await story.mfaToken(person);
      story.clock.advance(FRESH + 1);
      const old = textOf(await refresh(enrolled.client), 'access_token');
      const weak = textOf(await refresh(byPassword.client), 'access_token');
      const freshMfaToken = await story.mfaToken(person);

      for (const [path, body] of [
        ['/2fa/setup', { pw: PASSWORD }],
        ['/2fa/backup-codes', {}],
        ['/2fa/disable', { code: story.codeOf(enrolled.app) }],
      ] as const) {
        const client = story.client();
        expect(await client.post(path, body, { bearer: freshMfaToken }), path).toBeRefused(403, 'MFA_REQUIRED');
        expect((await client.post(path, body, { bearer: mfaToken })).status, path).toBe(401);
        expect(await client.post(path, body, { bearer: weak }), path).toBeRefused(401, 'STEP_UP_REQUIRED');
        expect(await client.post(path, body, { bearer: old }), path).toBeRefused(401, 'STEP_UP_REQUIRED');
      }
      expect(await stateOf({ ...byPassword, accessToken: weak })).toBe('active');
      await expect(story.signIn(enrolled)).resolves.toBeDefined();
    });
  });

  describe('enrolment required by policy', () => {
    it('required enrolment accepts the mfa_token until confirm, which completes the login', async () => {
      const client = story.client();
      const token = textOf(await story.login({ id: 'boss-1', password: PASSWORD }, client), 'mfa_token');
      expect(await client.post('/2fa/verify', { code: '000000' }, { bearer: token })).toBeRefused(
        409,
        'MFA_STATE_CONFLICT',
      );
      expect(await client.get('/2fa', { bearer: token })).toBeRefused(403, 'MFA_REQUIRED');
      expect(await client.get('/me', { bearer: token })).toBeRefused(401, 'INVALID_TOKEN');
      const { app } = await setUp(client, token);
      expect(await client.get('/2fa/setup/qr.svg', { bearer: token })).toBeAnswered(200);

      const confirmed = await confirm(client, token, story.codeOf(app));

      expect(confirmed).toBeAnswered(200);
      expect(confirmed.body).toEqual({
        state: 'active',
        amr: ['pwd', 'otp'],
        access_token: expect.any(String) as string,
        token_type: 'Bearer',
        expires_in: 600,
      });
      expect(await refresh(client)).toBeAnswered(200);
      expect((await client.post('/2fa/setup', {}, { bearer: token })).status).toBe(401);
      expect((await story.login({ id: 'boss-1', password: PASSWORD })).body).toMatchObject({
        mfa_required: true,
        methods: ['totp', 'backup_code'],
      });
    });

    it('POST /login/2fa gets 409 before a required enrolment', async () => {
      const token = textOf(await story.login({ id: 'boss-2', password: PASSWORD }), 'mfa_token');

      expect(await secondStep(story.client(), token, '000000')).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });

    it('a second mfa_token can neither see nor confirm the setup of the first', async () => {
      const [mine, other] = [
        textOf(await story.login({ id: 'boss-3', password: PASSWORD }), 'mfa_token'),
        textOf(await story.login({ id: 'boss-3', password: PASSWORD }), 'mfa_token'),
      ];
      const client = story.client();
      const { app } = await setUp(client, mine);

      expect(await client.get('/2fa/setup/qr.png', { bearer: other })).toBeRefused(404, 'NOT_FOUND');
      expect(await confirm(client, other, story.codeOf(app))).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect(await confirm(client, mine, story.codeOf(app))).toBeAnswered(200);
    });

    it('a user with a required second factor cannot disable it', async () => {
      const client = story.client();
      const token = textOf(await story.login({ id: 'boss-4', password: PASSWORD }, client), 'mfa_token');
      const { app } = await setUp(client, token);
      const bearer = textOf(await confirm(client, token, story.codeOf(app)), 'access_token');
      story.clock.nextStep();

      const answer = await client.post('/2fa/disable', { code: story.codeOf(app) }, { bearer });

      expect(answer).toBeRefused(409, 'MFA_STATE_CONFLICT');
      expect((await client.get('/2fa', { bearer })).body).toMatchObject({ state: 'active', required_by_policy: true });
    });

    it('the mfa_token of an enrolled user is accepted by /2fa/verify and rejected elsewhere below /2fa', async () => {
      const person = await story.enrolled();
      const bearer = await story.mfaToken(person);
      const client = story.client();

      for (const [method, path] of [
        ['GET', '/2fa'],
        ['POST', '/2fa/setup'],
        ['POST', '/2fa/confirm'],
        ['GET', '/2fa/setup/qr.png'],
        ['GET', '/2fa/setup/qr.svg'],
        ['POST', '/2fa/disable'],
        ['POST', '/2fa/backup-codes'],
      ] as const) {
        const json = /confirm|disable/.test(path) ? { code: story.codeOf(person.app) } : {};
        const answer = await client.send(method, path, { bearer, ...(method === 'POST' ? { json } : {}) });
        expect(answer, path).toBeRefused(403, 'MFA_REQUIRED');
      }
      const code = story.nextCode(person);
      const verified = await client.post('/2fa/verify', { code }, { bearer });
      expect(verified).toBeAnswered(200);
      expect(verified.body).toEqual({
        access_token: expect.any(String) as string,
        amr: ['pwd', 'otp'],
        token_type: 'Bearer',
        expires_in: 600,
        mfa_method: 'totp',
      });
    });
  });

  describe('POST /2fa/disable', () => {
    it.each(['a TOTP code', 'a backup code'])(
      'disable with %s removes the second factor and ends other sessions',
      async (kind) => {
        const person = await story.enrolled();
        const other = await story.signIn(person);
        const { client, accessToken: bearer } = await story.signIn(person);
        story.clock.nextStep();
        const code = kind === 'a TOTP code' ? story.codeOf(person.app) : String(person.backupCodes[0]);

        const answer = await client.post('/2fa/disable', { code }, { bearer });

        expect(answer).toBeAnswered(204);
        expect(answer.text).toBe('');
        expect(await stateOf({ client, accessToken: bearer, answer })).toBe('none');
        expect(await other.client.get('/me', { bearer: other.accessToken })).toBeRefused(401, 'INVALID_TOKEN');
        expect((await story.login(person)).body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
        const [rest] = await story.database.query<{ count: number }>(
          'SELECT COUNT(*) AS count FROM backup_code WHERE user_id = ?',
          [await story.subjectOf(person)],
        );
        expect(Number(rest?.count)).toBe(0);
      },
    );

    it('disable with a wrong code changes nothing and adds a failure', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);

      const answer = await client.post('/2fa/disable', { code: story.wrongCode(person) }, { bearer });

      expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await story.countOf(person, 'MFA_FAILED')).toBe(1);
      expect(await stateOf({ client, accessToken: bearer, answer })).toBe('active');
    });

    it('disable keeps the last used TOTP step: the next secret cannot reuse it', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      const code = story.nextCode(person);
      expect(await client.post('/2fa/disable', { code }, { bearer })).toBeAnswered(204);
      const { app } = await setUp(client, bearer);

      const sameStep = await confirm(client, bearer, story.codeOf(app));
      story.clock.nextStep();
      const nextStep = await confirm(client, bearer, story.codeOf(app));

      expect(sameStep).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(nextStep).toBeAnswered(200);
    });

    it('disable without an active secret gets 409', async () => {
      const { client, accessToken: bearer } = await newcomer();

      const answer = await client.post('/2fa/disable', { code: '000000' }, { bearer });

      expect(answer).toBeRefused(409, 'MFA_STATE_CONFLICT');
    });
  });

  it.each([
    ['POST', '/2fa/setup', { pw: 1 }],
    ['POST', '/2fa/setup', { secret: 'AAAA' }],
    ['POST', '/2fa/confirm', {}],
    ['POST', '/2fa/confirm', { code: 123456 }],
    ['POST', '/2fa/confirm', { code: '123456', state: 'active' }],
    ['POST', '/2fa/verify', { code: null }],
    ['POST', '/2fa/disable', { code: '' }],
    ['POST', '/2fa/backup-codes', { count: 100 }],
  ])('%s %s rejects the body %j', async (method, path, json) => {
    const person = await story.enrolled();

    const answer = await person.client.send(method, path, { json, bearer: person.accessToken });

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
  });
});

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (symbol) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(symbol).toString(2).padStart(5, '0'),
  );
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The bytes of all files of the embedded database; an empty list for a database server. */
function embeddedFiles(args: readonly string[]): Buffer[] {
  const file = args.map((argument) => /jdbc:sqlite:(.*)/.exec(argument)?.[1]).find((found) => found !== undefined);
  if (file === undefined) return [];
  const folder = dirname(file);
  return readdirSync(folder)
    .filter((name) => name.startsWith('login.db'))
    .map((name) => readFileSync(join(folder, name)));
}
