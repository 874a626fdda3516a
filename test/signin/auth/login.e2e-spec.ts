import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, setCookie, textOf } from '../../support/http/http-client.js';
import { type LoginStory, PASSWORD, storyOn } from '../../support/login/login-story.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { onEachEngine, onSqlite } from '../../support/database/story-database.js';

/** 200 characters of two UTF-16 units each. */
const ASTRAL = '\u{1f600}'.repeat(200);

onEachEngine('password step', (engine) => {
  const story = storyOn(engine, {
    others: {
      'a-manager': 'ROLE_MANAGEMENT',
      'ökonom@example.org': '',
      ['long-'.padEnd(255, 'x')]: '',
      [ASTRAL]: '',
    },
  });

  describe('user without a second factor', () => {
    it('POST /login without a second factor returns an access token with amr pwd', async () => {
      const client = story.client();

      const answer = await client.post('/login', { id: story.person().id, pw: PASSWORD });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        mfa_required: false,
        access_token: expect.any(String) as string,
        token_type: 'Bearer',
        expires_in: 600,
        amr: ['pwd'],
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(decodeJwt(textOf(answer, 'access_token'))).toMatchObject({ aud: 'resource-api', amr: ['pwd'] });
    });

    it('S4: the refresh cookie is HttpOnly, Secure, SameSite=Strict and limited to /token', async () => {
      const answer = await story.login(story.person());

      expect(setCookie(answer, 'refresh_token')?.attributes).toEqual({
        httponly: true,
        secure: true,
        samesite: 'Strict',
        path: '/token',
        'max-age': String(14 * 24 * 3600),
      });
    });
  });

  describe('user with a second factor', () => {
    it('POST /login with a second factor returns an mfa_token for three minutes and the methods', async () => {
      const person = await story.enrolled();

      const answer = await story.client().post('/login', { id: person.id, pw: person.password });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        mfa_required: true,
        mfa_token: expect.any(String) as string,
        expires_in: 180,
        methods: ['totp', 'backup_code'],
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    });

    it('P6: the password step of an enrolled user grants no access beyond the second step', async () => {
      const person = await story.enrolled();
      const client = story.client();

      const answer = await story.login(person, client);

      expect(answer.body).not.toHaveProperty('access_token');
      expect(client.cookie('refresh_token')).toBeUndefined();
      expect(client.cookie('SESSION')).toBeUndefined();
      const me = await client.get('/me', { bearer: textOf(answer, 'mfa_token') });
      expect(me).toBeRefused(401, 'INVALID_TOKEN');
      expect(await client.post('/token/refresh')).toBeRefused(401, 'REFRESH_INVALID');
    });
  });

  it('POST /login of a user who must enrol by policy returns an mfa_token and enrolment_required', async () => {
    const answer = await story.client().post('/login', { id: 'a-manager', pw: PASSWORD });

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      mfa_required: true,
      mfa_token: expect.any(String) as string,
      expires_in: 180,
      enrolment_required: true,
      methods: [],
      enrolment_methods: ['passkey', 'totp'],
    });
    expect(answer.cookies).toEqual([]);
  });

  describe('login id', () => {
    it.each([
      ['in upper case', (id: string) => id.toUpperCase()],
      ['with spaces around it', (id: string) => `  ${id}\t`],
      ['in full-width letters', (id: string) => id.replace('p', '\uff50')],
    ])('a login id is recognised %s', async (_, spelling) => {
      const { id } = story.person();

      expect(await story.client().post('/login', { id: spelling(id), pw: PASSWORD })).toBeAnswered(200);
    });

    it('a login id is recognised in decomposed form', async () => {
      const id = 'ökonom@example.org'.normalize('NFD');

      expect(await story.client().post('/login', { id, pw: PASSWORD })).toBeAnswered(200);
    });

    it('a login id of 255 characters is accepted, and one of 256 is rejected', async () => {
      const id = 'long-'.padEnd(255, 'x');

      expect(await story.client().post('/login', { id, pw: PASSWORD })).toBeAnswered(200);
      const tooLong = await story.client().post('/login', { id: `${id}x`, pw: PASSWORD });
      expect(tooLong).toBeRefused(400, 'VALIDATION_FAILED');
    });

    it('the length of a login id is counted in characters, not in UTF-16 units', async () => {
      expect(await story.client().post('/login', { id: ASTRAL, pw: PASSWORD })).toBeAnswered(200);
      const unknown = await story.client().post('/login', { id: '\u{1f601}'.repeat(255), pw: PASSWORD });
      expect(unknown).toBeRefused(401, 'INVALID_CREDENTIALS');
      const tooLong = await story.client().post('/login', { id: '\u{1f600}'.repeat(256), pw: PASSWORD });
      expect(tooLong).toBeRefused(400, 'VALIDATION_FAILED');
    });
  });

  describe('rejections', () => {
    /** What must be equal: status, body without request id and timestamp, header names and cookies. */
    function comparable({ status, text, headers, cookies }: Answer): unknown {
      const body = text
        .replace(/"request_id":"[^"]*"/, '"request_id":""')
        .replace(/"timestamp":"[^"]*"/, '"timestamp":""');
      return { status, body, headers: [...headers.keys()], cookies };
    }

    it.each(['/login', '/session'])(
      'P1: POST %s returns the same response for an unknown id, a wrong password, a disabled user and a user without a password',
      async (path) => {
        const person = story.person();
        const { id: enrolled } = await story.enrolled();
        const { id: disabled } = story.person();
        const { exitCode } = await story.command('users', 'disable', disabled);
        expect(exitCode).toBe(0);
        const { id: passwordless } = story.person();
        await story.database.query('UPDATE account SET password_hash = NULL WHERE login_id = ?', [passwordless]);

        const unknown = await story.client().post(path, { id: 'nobody', pw: PASSWORD });

        expect(unknown).toBeRefused(401, 'INVALID_CREDENTIALS');
        for (const [id, pw] of [
          [person.id, 'wrong'],
          [enrolled, 'wrong'],
          ['a-manager', 'wrong'],
          [disabled, PASSWORD],
          [disabled, 'wrong'],
          [passwordless, PASSWORD],
          [passwordless, 'null'],
          ['nobody', 'wrong'],
        ]) {
          const answer = await story.client().post(path, { id, pw });
          expect(comparable(answer), `${String(id)} with ${String(pw)}`).toEqual(comparable(unknown));
        }
      },
    );

    it.each([
      ['an extra character', `${PASSWORD}!`],
      ['a missing character', PASSWORD.slice(0, -1)],
      ['a NUL and more', `${PASSWORD}\u0000more`],
      ['a trailing space', `${PASSWORD} `],
      ['changed case', PASSWORD.toUpperCase()],
    ])('P4: the correct password with %s is rejected', async (_, pw) => {
      const { id } = story.person();

      const { status, body } = await story.client().post('/login', { id, pw });

      // The schema already rejects a NUL.
      expect([status, body['code']]).toEqual(
        pw.includes('\u0000') ? [400, 'VALIDATION_FAILED'] : [401, 'INVALID_CREDENTIALS'],
      );
    });

    it('P4: a password that differs only in its 1,024th byte is rejected', async () => {
      const client = story.client();
      const person = story.person();
      const { accessToken } = await story.signInByPassword(person, client);
      const long = `${'tail after tail '.repeat(64).slice(0, 1023)}$`;
      const changed = await client.post('/me/password', { current: PASSWORD, new: long }, { bearer: accessToken });
      expect(changed).toBeAnswered(204);

      const altered = await client.post('/login', { id: person.id, pw: `${long.slice(0, 1023)}%` });

      expect(altered).toBeRefused(401, 'INVALID_CREDENTIALS');
      expect(await client.post('/login', { id: person.id, pw: long })).toBeAnswered(200);
    });

    it.each([
      ['no members', {}],
      ['no pw', { id: 'person-1' }],
      ['an empty id', { id: '', pw: PASSWORD }],
      ['an id of spaces', { id: '   ', pw: PASSWORD }],
      ['a number as id', { id: 1, pw: PASSWORD }],
      ['a list as pw', { id: 'person-1', pw: [PASSWORD] }],
      ['an object as pw', { id: 'person-1', pw: { $ne: '' } }],
      ['an empty pw', { id: 'person-1', pw: '' }],
      ['a pw of 1,025 bytes', { id: 'person-1', pw: 'x'.repeat(1025) }],
      ['a pw of 1,025 bytes in fewer characters', { id: 'person-1', pw: 'ö'.repeat(513) }],
      ['an unknown member', { id: 'person-1', pw: PASSWORD, mfa_required: false }],
      ['a NUL in the id', { id: 'person-1\u0000', pw: PASSWORD }],
      ['a lone surrogate', { id: 'person-1\ud800', pw: PASSWORD }],
    ])('POST /login with %s gets 400', async (_, body) => {
      expect(await story.client().post('/login', body)).toBeRefused(400, 'VALIDATION_FAILED');
    });

    it.each([
      "' OR '1'='1",
      "person-1'--",
      'person-1"; DROP TABLE account; --',
      '${7*7}',
      '{{7*7}}',
      '%27%20OR%201=1',
      '__proto__',
      'constructor',
      'person_1',
      'person%',
    ])('H3: POST /login treats %s as an ordinary login id', async (id) => {
      expect(await story.client().post('/login', { id, pw: PASSWORD })).toBeRefused(401, 'INVALID_CREDENTIALS');
    });

    it.each(['id', 'pw'])('H6: POST /login rejects text that is slow to match in %s for its length', async (field) => {
      for (const text of ['a'.repeat(50_000), ' '.repeat(50_000), 'a@'.repeat(25_000), '\u0300'.repeat(16_000)]) {
        const answer = await story.client().post('/login', { id: 'person-1', pw: PASSWORD, [field]: text });
        expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
        expect(answer.body['errors']).toEqual([{ field, code: 'too_long' }]);
      }
    });
  });
});

/** Sends logins as one text: all have arrived before the first password is hashed. */
async function atOnce({ service }: LoginStory, ...ids: readonly string[]): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  const bodies = ids.map((id) => JSON.stringify({ id, pw: PASSWORD }));
  const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ';
  connection.send(bodies.map((body) => `${head}${body.length}\r\n\r\n${body}`).join(''));
  await connection.untilAnswered(ids.length);
  return connection;
}

onSqlite('P5: overload of password hashing', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    args: [
      '--app.security.password.hash.memory=64MB',
      '--app.security.password.hash.concurrency=1',
      '--app.security.password.hash.queue-capacity=2',
      '--server.embedded.accept-count=2',
    ],
  });

  it.each([
    ['200 KB', 200_000, 413, 'PAYLOAD_TOO_LARGE'],
    ['50 KB', 50_000, 400, 'VALIDATION_FAILED'],
    ['1,025 bytes', 1025, 400, 'VALIDATION_FAILED'],
  ])('P5: passwords of %s are rejected for their length before hashing', async (_, length, status, code) => {
    const attack = Array.from({ length: 20 }, () =>
      story.client().post('/login', { id: 'person-1', pw: 'x'.repeat(length) }),
    );
    const health = await story.client().get('/actuator/health');
    const login = await story.client().post('/login', { id: story.person().id, pw: PASSWORD });

    expect(health).toBeAnswered(200);
    // If the attack reached the hash queue, this login would find it full.
    expect(login).toBeAnswered(200);
    for (const answer of await Promise.all(attack)) expect(answer).toBeRefused(status, code);
  });

  it('P5: logins beyond the queue get 503 while health stays available and later logins succeed', async () => {
    const storm = atOnce(story, ...Array.from({ length: 24 }, (_, index) => `nobody-${index}`));
    const health = await story.client().get('/actuator/health');
    const { statuses, text } = await storm;

    expect(health).toBeAnswered(200);
    const refused = statuses.filter((status) => status === 503).length;
    expect(refused).toBeGreaterThan(0);
    expect(text.match(/"code":"UNAVAILABLE"/g)).toHaveLength(refused);
    expect(text.match(/^retry-after: [1-9]\d*\r$/gim)).toHaveLength(refused);
    expect(24 - refused).toBeGreaterThanOrEqual(3);
    expect(text.match(/"code":"INVALID_CREDENTIALS"/g)).toHaveLength(24 - refused);
    const after = await story.client().post('/login', { id: story.person().id, pw: PASSWORD });
    expect(after).toBeAnswered(200);
  });
});

/** Far more sign-ins than a worker hashes within a tenth of a second. */
const BURST = 60;

onSqlite('P5: logins that would wait longer than server.embedded.max-wait', (engine) => {
  const story = storyOn(engine, {
    people: 1,
    args: [
      '--app.security.password.hash.memory=64MB',
      '--app.security.password.hash.concurrency=1',
      '--server.embedded.max-wait=0',
    ],
  });

  it('P1: get 503 with Retry-After whether or not the account exists, once hashes have been measured', async () => {
    const { id } = story.person();
    const client = story.client();
    for (let count = 0; count < 8; count += 1)
      expect(await client.post('/login', { id, pw: PASSWORD })).toBeAnswered(200);

    for (const other of [id, 'nobody']) {
      const burst = Array.from({ length: BURST }, () => story.client().post('/login', { id: other, pw: PASSWORD }));
      const answers = await Promise.all(burst);
      const rejected = answers.filter(({ status }) => status === 503);
      expect(rejected.length).toBeGreaterThan(0);
      expect(BURST - rejected.length).toBeGreaterThanOrEqual(2);
      for (const answer of rejected) {
        expect(answer).toBeRefused(503, 'UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
    }
    expect(await client.post('/login', { id, pw: PASSWORD })).toBeAnswered(200);
  });
});
