import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { EXCHANGE_PARTS } from '../../../src/platform/http/records/http-exchanges.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, HttpClient, textOf, textsOf } from '../../support/http/http-client.js';
import { type EventRow, PASSWORD, refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { OPERATOR, OPERATOR_HEADERS } from '../../support/management/management.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const NEW_PASSWORD = 'eight loud lanterns & 2 harbours';
const TABLES = [
  ...['account', 'totp_secret', 'backup_code', 'used_mfa_token', 'session', 'refresh_token', 'signing_key'],
  ...['trusted_device', 'security_event'],
];
/** Every readable management endpoint except the heap dump, which contains all secrets. */
const SHOWN_TO_OPERATORS = [
  ...['', '/health', '/info', '/metrics', '/prometheus', '/env', '/configprops', '/loggers', '/scheduledtasks'],
  ...['/caches', '/mappings', '/httpexchanges', '/threaddump', '/logfile'],
];

onAnyEngine('L3: security events', (engine) => {
  const story = storyOn(engine, { args: ['--app.security.mfa.trusted-device.enabled=true'] });

  /** The events of a kind that were recorded for the request of a response. */
  function eventsOf(answer: Answer, kind: string): Promise<readonly EventRow[]> {
    const requestId = answer.headers.get('x-request-id');
    return story.database.query<EventRow>('SELECT * FROM security_event WHERE request_id = ? AND kind = ?', [
      requestId,
      kind,
    ]);
  }

  /** Matches one event at the present time with the user and the browser. */
  async function oneEvent(person: { readonly id: string }, expected: Partial<EventRow> = {}): Promise<unknown> {
    return [
      expect.objectContaining({
        ...expected,
        user_id: await story.subjectOf(person),
        at: story.clock.millis,
        ip: '127.0.0.1',
        agent: 'a curious browser',
      }),
    ];
  }

  function browser(): HttpClient {
    const client = story.client();
    client.headers['user-agent'] = 'a curious browser';
    return client;
  }

  it('every password step records its result and its user', async () => {
    const person = story.person();
    const enrolled = await story.enrolled();
    const right = await browser().post('/login', { id: person.id, pw: PASSWORD });
    const wrong = await browser().post('/login', { id: person.id, pw: 'wrong' });
    const half = await browser().post('/login', { id: enrolled.id, pw: PASSWORD });
    const inPortal = await browser().post('/session', { id: person.id, pw: PASSWORD });
    const wrongInPortal = await browser().post('/session', { id: person.id, pw: 'wrong' });

    expect(await eventsOf(right, 'LOGIN_PASSWORD_OK')).toEqual(await oneEvent(person, { result: 'ok', amr: 'pwd' }));
    expect(await eventsOf(wrong, 'LOGIN_PASSWORD_FAILED')).toEqual(await oneEvent(person, { result: 'refused' }));
    expect(await eventsOf(half, 'LOGIN_PASSWORD_OK')).toEqual(await oneEvent(enrolled, { result: 'ok' }));
    expect(await eventsOf(half, 'MFA_CHALLENGED')).toEqual(await oneEvent(enrolled));
    expect(await eventsOf(inPortal, 'LOGIN_PASSWORD_OK')).toEqual(await oneEvent(person, { result: 'ok' }));
    expect(await eventsOf(wrongInPortal, 'LOGIN_PASSWORD_FAILED')).toEqual(
      await oneEvent(person, { result: 'refused' }),
    );
    expect(await eventsOf(right, 'MFA_CHALLENGED')).toEqual([]);
  });

  it('an unknown login id is recorded without the id itself', async () => {
    const typed = 'my-password-typed-into-the-wrong-field';
    const answer = await browser().post('/login', { id: typed, pw: PASSWORD });

    const [event] = await eventsOf(answer, 'LOGIN_PASSWORD_FAILED');

    expect(event).toMatchObject({ user_id: null, result: 'refused', reason: expect.any(String) as string });
    expect(JSON.stringify(event)).not.toContain(typed);
  });

  it('wrong passwords at setup and at a password change are recorded', async () => {
    const person = story.person();
    const client = browser();
    const { accessToken: bearer } = await story.signInByPassword(person, client);
    story.clock.advance(301);

    const setup = await client.post('/2fa/setup', { pw: 'wrong' }, { bearer });
    const change = await client.post('/me/password', { current: 'wrong', new: NEW_PASSWORD }, { bearer });

    expect(await eventsOf(setup, 'LOGIN_PASSWORD_FAILED')).toEqual(await oneEvent(person, { result: 'refused' }));
    expect(await eventsOf(change, 'LOGIN_PASSWORD_FAILED')).toEqual(await oneEvent(person, { result: 'refused' }));
  });

  it('every step of an enrolment is recorded, from setup to disable', async () => {
    const person = story.person();
    const client = browser();
    const { accessToken: bearer } = await story.signInByPassword(person, client);
    const setup = await client.post('/2fa/setup', {}, { bearer });
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const wrong = await client.post('/2fa/confirm', { code: app.wrongCodeAt(story.clock.seconds) }, { bearer });
    const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer });
    const raised = textOf(confirmed, 'access_token');
    const reissued = await client.post('/2fa/backup-codes', {}, { bearer: raised });
    story.clock.nextStep();
    const disabled = await client.post('/2fa/disable', { code: story.codeOf(app) }, { bearer: raised });

    expect(await eventsOf(disabled, 'MFA_DISABLED')).toEqual(await oneEvent(person, { result: 'ok' }));
    story.clock.back(30);
    expect(await eventsOf(setup, 'MFA_SETUP')).toEqual(await oneEvent(person, { result: 'ok' }));
    expect(await eventsOf(wrong, 'MFA_FAILED')).toEqual(await oneEvent(person, { result: 'refused' }));
    expect(await eventsOf(confirmed, 'MFA_CONFIRMED')).toEqual(await oneEvent(person, { result: 'ok' }));
    expect(await eventsOf(reissued, 'BACKUP_REISSUED')).toEqual(await oneEvent(person, { result: 'ok' }));
    story.clock.advance(30);
  });

  it('every second-factor attempt records its result, and a success its method', async () => {
    const person = await story.enrolled();
    const code = story.nextCode(person);
    const [backup = ''] = person.backupCodes;
    const step = async (given: string): Promise<Answer> => {
      const client = browser();
      return secondStep(client, await story.mfaToken(person, client), given);
    };
    const right = await step(code);
    const replay = await step(code);
    const wrong = await step(story.wrongCode(person));
    const byBackup = await step(backup);
    const backupAgain = await step(backup);

    expect(await eventsOf(right, 'MFA_OK')).toEqual(
      await oneEvent(person, { result: 'ok', amr: 'pwd otp', reason: 'totp' }),
    );
    expect(await eventsOf(replay, 'MFA_REPLAY')).toEqual(await oneEvent(person, { result: 'refused' }));
    expect(await eventsOf(wrong, 'MFA_FAILED')).toEqual(await oneEvent(person, { result: 'refused' }));
    expect(await eventsOf(byBackup, 'MFA_OK')).toEqual(
      await oneEvent(person, { result: 'ok', amr: 'pwd otp', reason: 'backup_code' }),
    );
    expect(await eventsOf(byBackup, 'BACKUP_USED')).toEqual(await oneEvent(person, { result: 'ok' }));
    expect(await eventsOf(backupAgain, 'MFA_FAILED')).toEqual(await oneEvent(person, { result: 'refused' }));
  });

  it('a lock is recorded once, and an unlock with its actor', async () => {
    const person = await story.enrolled();
    const client = browser();
    const token = await story.mfaToken(person, client);
    const answers: Answer[] = [];
    for (let variant = 0; variant < 7; variant += 1) {
      answers.push(await secondStep(client, token, story.wrongCode(person, variant)));
    }
    const { exitCode } = await story.command('users', 'unlock', person.id);
    expect(exitCode).toBe(0);

    const [, , , , fifth, sixth] = answers;
    if (!fifth || !sixth) throw new Error('seven tries were made');
    expect(await eventsOf(fifth, 'MFA_FAILED')).toEqual(await oneEvent(person));
    expect(await eventsOf(fifth, 'MFA_LOCKED')).toEqual(await oneEvent(person));
    expect(await eventsOf(sixth, 'MFA_FAILED')).toEqual([]);
    expect(await story.countOf(person, 'MFA_LOCKED')).toBe(1);
    const unlocked = (await story.events(person)).filter(({ kind }) => kind === 'MFA_UNLOCKED');
    expect(unlocked).toEqual([
      expect.objectContaining({ actor: expect.stringMatching(/^cli:./) as string, result: 'ok' }),
    ]);
  });

  it('a low number of backup codes is recorded once', async () => {
    const person = await story.enrolled();
    for (const code of person.backupCodes.slice(0, 7)) {
      const client = browser();
      const answer = await secondStep(client, await story.mfaToken(person, client), code);
      expect(answer).toBeAnswered(200);
    }

    expect(await story.countOf(person, 'BACKUP_USED')).toBe(7);
    expect(await story.countOf(person, 'BACKUP_LOW')).toBe(1);
  });

  it('refresh, reuse, step-up, trusted device, password change and session end are recorded', async () => {
    const person = await story.enrolled();
    const client = browser();
    const { accessToken: bearer, answer: signedIn } = await story.signIn(person, client, { trust_device: true });
    expect(await eventsOf(signedIn, 'DEVICE_TRUSTED')).toEqual(await oneEvent(person));
    const thief = client.copy();
    const refreshed = await refresh(client);
    expect(await eventsOf(refreshed, 'TOKEN_REFRESHED')).toEqual(await oneEvent(person));
    story.clock.nextStep();
    const reused = await refresh(thief);
    expect(await eventsOf(reused, 'TOKEN_REUSE')).toEqual(await oneEvent(person, { result: 'refused' }));
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');

    const other = browser();
    const { accessToken: second } = await story.signIn(person, other);
    const stepped = await other.post('/2fa/verify', { code: story.nextCode(person) }, { bearer: second });
    expect(await eventsOf(stepped, 'STEP_UP_OK')).toEqual(await oneEvent(person, { amr: 'pwd otp' }));
    const changed = await other.post('/me/password', { current: PASSWORD, new: NEW_PASSWORD }, { bearer: second });
    expect(await eventsOf(changed, 'PASSWORD_CHANGED')).toEqual(await oneEvent(person));
    expect(await eventsOf(await other.post('/logout', {}, { bearer: second }), 'SESSION_REVOKED')).toEqual(
      await oneEvent(person),
    );
    const portal = browser();
    await portal.post('/session', { id: story.person().id, pw: PASSWORD });
    const ended = await portal.delete('/session');
    expect(await eventsOf(ended, 'SESSION_REVOKED')).toHaveLength(1);
  });

  it('a change that a code of its own authorizes records the kind of that code', async () => {
    const person = await story.enrolled();
    const client = browser();
    const { accessToken: bearer } = await story.signIn(person, client);
    story.clock.advance(301);
    const passwords = { current: PASSWORD, new: NEW_PASSWORD };
    const code = person.backupCodes[0];

    const by = (proved: string): Promise<unknown> => oneEvent(person, { detail: JSON.stringify({ proved }) });

    const changed = await client.post('/me/password', { ...passwords, code }, { bearer });
    expect(await eventsOf(changed, 'PASSWORD_CHANGED')).toEqual(await by('backup_code'));
    const stepped = await client.post('/2fa/verify', { code: story.nextCode(person) }, { bearer });
    story.clock.advance(30);
    const fresh = { bearer: textOf(stepped, 'access_token') };
    const disabled = await client.post('/2fa/disable', { code: story.nextCode(person) }, fresh);
    expect(await eventsOf(disabled, 'MFA_DISABLED')).toEqual(await by('totp'));
  });

  it('commands of operators are recorded', async () => {
    const person = await story.enrolled();
    for (const command of ['disable', 'enable', 'reset-mfa']) {
      expect((await story.command('users', command, person.id)).exitCode, command).toBe(0);
    }
    expect((await story.command('keys', 'rotate')).exitCode).toBe(0);

    const events = await story.events(person);

    const byOperator = events.filter(({ actor }) => actor?.startsWith('cli:')).map(({ kind }) => kind);
    expect(byOperator.toSorted()).toEqual(['MFA_RESET_BY_ADMIN', 'USER_CHANGED', 'USER_CHANGED']);
    const others = await story.database.query<EventRow>(
      "SELECT * FROM security_event WHERE kind IN ('USERS_IMPORTED', 'KEY_ROTATED')",
    );
    expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['USERS_IMPORTED', 'KEY_ROTATED']));
  });

  it('events are ordered by time and store milliseconds of UTC', async () => {
    const person = story.person();
    await story.login(person);
    story.clock.advance(1);
    await browser().post('/login', { id: person.id, pw: 'wrong' });

    const events = await story.events(person);

    expect(events.map(({ kind }) => kind)).toEqual(['LOGIN_PASSWORD_OK', 'LOGIN_PASSWORD_FAILED']);
    expect(events.map(({ at }) => at)).toEqual([story.clock.millis - 1000, story.clock.millis]);
  });
});

onAnyEngine('L1: secrets', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    args: [
      '--app.security.mfa.trusted-device.enabled=true',
      '--logging.level.root=TRACE',
      '--logging.file.name=service.log',
      '--logging.structured.format.file=ecs',
      '--server.error.include-message=always',
      // Shows operators as much as the keys permit.
      '--management.endpoints.web.exposure.include=*',
      '--management.endpoint.health.show-details=always',
      '--management.endpoint.env.show-values=always',
      '--management.endpoint.configprops.show-values=always',
      '--management.httpexchanges.recording.enabled=true',
      `--management.httpexchanges.recording.include=${EXCHANGE_PARTS.join(',')}`,
      `--management.security.user=${OPERATOR.user}`,
      `--management.security.password=${OPERATOR.password}`,
    ],
  });

  it('secrets appear in no table, output or file, and in no response except the one that issues them', async () => {
    const secrets = new Set<string>([PASSWORD, NEW_PASSWORD, OPERATOR.password]);
    const answers: Answer[] = [];
    const keep = (answer: Answer): Answer => {
      answers.push(answer);
      return answer;
    };
    const learn = (...values: readonly (string | undefined)[]): void => {
      for (const value of values) if (value !== undefined && value !== '') secrets.add(value);
    };
    const person = await story.enrolled();
    learn(person.app.secret, ...person.backupCodes, ...person.backupCodes.map((code) => code.replace('-', '')));
    learn(person.client.cookie('refresh_token'), person.accessToken);
    const { client, accessToken: bearer } = await story.signIn(person, story.client(), { trust_device: true });
    learn(client.cookie('refresh_token'), client.cookie('trusted_device'), bearer);

    // Every kind of error, provoked with secret input.
    const half = await story.mfaToken(person);
    learn(half);
    const wrong = 'a wrong password that is nearly right';
    learn(wrong);
    keep(await story.client().post('/login', { id: person.id, pw: wrong }));
    keep(await story.client().post('/login', { id: wrong, pw: wrong }));
    keep(await story.client().post('/login', { id: person.id, pw: PASSWORD, pin: wrong }));
    keep(await story.client().post('/login', { id: person.id, pw: [wrong] }));
    keep(
      await story
        .client()
        .send('POST', '/login', { raw: `{"pw":"${wrong}"`, headers: { 'content-type': 'application/json' } }),
    );
    keep(await secondStep(story.client(), half, 'ZZZZ-ZZZZ'));
    keep(await secondStep(story.client(), `${half}x`, '123456'));
    keep(await secondStep(story.client(), half, person.backupCodes.slice(3, 5).join('')));
    keep(await client.get('/me', { bearer: `${bearer}x` }));
    keep(await client.get(`/me?access_token=${bearer}`));
    keep(await client.get('/2fa', { bearer }));
    keep(await client.get('/me/events', { bearer }));
    keep(await client.get('/me/devices', { bearer }));
    keep(await client.get('/sessions', { bearer }));
    keep(await client.post('/2fa/confirm', { code: '123456' }, { bearer }));
    const setup = await client.post('/2fa/setup', {}, { bearer });
    expect(setup).toBeAnswered(201);
    learn(textOf(setup, 'secret'), ...textsOf(setup, 'backup_codes'));
    const reissue = await client.post('/2fa/backup-codes', {}, { bearer });
    expect(reissue).toBeAnswered(201);
    learn(...textsOf(reissue, 'backup_codes'));
    const changed = await client.post('/me/password', { current: PASSWORD, new: NEW_PASSWORD }, { bearer });
    expect(changed).toBeAnswered(204);
    const renewed = await refresh(client);
    learn(client.cookie('refresh_token'), textOf(renewed, 'access_token'));
    const portal = story.client();
    expect(await portal.post('/session', { id: story.person().id, pw: PASSWORD })).toBeAnswered(200);
    learn(portal.cookie('SESSION'));
    // The password change has revoked the trusted device.
    const renamed = { ...person, password: NEW_PASSWORD };
    const again = await story.signIn(renamed, story.client(), { trust_device: true });
    learn(again.client.cookie('refresh_token'), again.client.cookie('trusted_device'), again.accessToken);
    const { exitCode, stdout, stderr } = await story.command('users', 'unlock', person.id);
    expect(exitCode).toBe(0);
    const operator = new HttpClient(`${story.service.url}/actuator`);
    Object.assign(operator.headers, OPERATOR_HEADERS);
    // Logs are written every second in order, so the last line shows that all others are written.
    expect(await client.get('/the-last-line')).toBeAnswered(404);
    await waitUntil('the logs are complete', () =>
      ['access_log', 'service.log'].every((log) =>
        filesBelow(story.cwd).some(({ place, text }) => place.includes(log) && text.includes('/the-last-line')),
      ),
    );
    for (const path of SHOWN_TO_OPERATORS) {
      const answer = keep(await operator.get(path));
      expect(answer.status, path).toBe(200);
    }

    const written = [
      { place: 'stdout', text: story.service.stdout },
      { place: 'output of the command', text: stdout + stderr },
      ...filesBelow(story.cwd),
      ...answers.map(({ request, status, text }) => ({ place: `${request} → ${status}`, text })),
    ];
    for (const table of TABLES) {
      const rows = await story.database.query(`SELECT * FROM ${table}`);
      expect(rows, table).not.toEqual([]);
      written.push({ place: `table ${table}`, text: JSON.stringify(rows) });
    }

    expect(written.map(({ place }) => place)).toContain('file people.csv');
    for (const { place, text } of written) expect(text, `${place} holds nothing at all`).not.toBe('');
    for (const { place, text } of [...written, { place: 'stderr', text: story.service.stderr }]) {
      for (const secret of secrets) expect(text.includes(secret), `${place} holds ${secret}`).toBe(false);
    }
  });

  it('L4: error responses reveal no stack, path, SQL statement or driver', async () => {
    const client = story.client();
    const answers = [
      await client.post('/login', { id: "x'; DROP TABLE account", pw: 'x' }),
      await client.post('/login', { id: 1 }),
      await client.get('/nowhere'),
      await client.get('/me'),
      await client.send('PUT', '/login', { json: {} }),
      await client.post('/token/refresh'),
      await client.delete('/sessions/none'),
    ];

    for (const { text } of answers) {
      expect(text).not.toMatch(
        /\bat .*\(|node_modules|\.[jt]s:\d|SELECT|INSERT|sqlite|mysql|mariadb|\/(?:tmp|dev\/shm)\/|dist\/|builds\//i,
      );
    }
  });
});

/** The contents of all files below a folder, also of files that the service does not write today. */
function filesBelow(folder: string): readonly { readonly place: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { place: `file ${relative(folder, path)}`, text: readFileSync(path, 'latin1') };
    });
}
