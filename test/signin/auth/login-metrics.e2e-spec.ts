import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { HttpClient } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import type { AssertionOverrides } from '../../support/passkey/passkey-authenticator.js';
import { PasskeyKey } from '../../support/passkey/passkey-key.js';
import type { AssertionJson } from '../../support/passkey/passkey-messages.js';
import { assert, PasskeyStory, requestOptions } from '../../support/passkey/passkey-story.js';
import { reading, readings, rises } from '../../support/management/meter-readings.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { startWholeService, type WholeService } from '../../support/programs/whole-service.js';

const SEAL_KEYS = [
  `--app.security.seal.keys.one=${randomBytes(32).toString('base64')}`,
  '--app.security.seal.active=one',
];

onAnyEngine('metrics and log lines of logins', (engine) => {
  // The service of the story is a second replica: its requests do not change these meters.
  const story = storyOn(engine, { args: [...SEAL_KEYS, '--app.datasource.pool.pool-name=front'] });
  const meters = new Meters();
  const log = new CollectedLog();
  let service: WholeService;
  let before: ReadonlyMap<string, Readonly<Record<string, number>>>;

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: story.clock.millis });
    service = await startWholeService(story.args, {}, { meters, loggers: log.loggers });
  });

  afterAll(async () => {
    vi.useRealTimers();
    await service.stop();
  });

  beforeEach(() => {
    vi.setSystemTime(story.clock.millis);
    before = new Map([...meters.families].map(({ name }) => [name, readings(meters, name)]));
  });

  afterEach(() => {
    // Ensures that the next test uses other one-time codes.
    story.clock.advance(120);
  });

  const browser = (): HttpClient => new HttpClient(service.url);
  /** The increase of a meter in this test. */
  const counted = (name: string): Readonly<Record<string, number>> =>
    rises(before.get(name) ?? {}, readings(meters, name));
  const enrolled = async (): Promise<Enrolled> => {
    const person = await story.enrolled(story.person(), browser());
    nextStep();
    return person;
  };
  const nextStep = (): void => {
    story.clock.nextStep();
    vi.setSystemTime(story.clock.millis);
  };

  it('login.attempts counts each password step once by its outcome', async () => {
    const [plain, disabled] = [story.person(), story.person()];
    const withFactor = await enrolled();
    await story.command('users', 'disable', disabled.id);
    before = new Map([...meters.families].map(({ name }) => [name, readings(meters, name)]));
    const login = (id: string, pw: string, path = '/login'): Promise<unknown> => browser().post(path, { id, pw });

    await login(plain.id, PASSWORD);
    await login(plain.id, PASSWORD, '/session');
    await login(withFactor.id, PASSWORD);
    await login(withFactor.id, PASSWORD, '/session');
    await login(plain.id, 'wrong');
    await login('nobody-of-ours', PASSWORD);
    await login(disabled.id, PASSWORD);
    await login('\u0007', PASSWORD);
    await login(plain.id, 'x'.repeat(2000));
    await browser().post('/login', { id: plain.id });

    expect(counted('login.attempts')).toEqual({
      success: 2,
      challenged: 2,
      wrong_password: 1,
      unknown: 1,
      disabled: 1,
      // A request that violates the schema is not an attempt.
      malformed: 1,
    });
  });

  it('login.mfa.attempts counts each code once by its outcome, and login.lockouts each lock', async () => {
    const person = await enrolled();
    const mfaToken = await story.mfaToken(person, browser());
    const right = story.codeOf(person.app);
    const [backupCode = ''] = person.backupCodes;
    const show = (code: string, token = mfaToken): Promise<unknown> => secondStep(browser(), token, code);
    before = new Map([...meters.families].map(({ name }) => [name, readings(meters, name)]));

    await show(right, 'no.half.token');
    await show(story.wrongCode(person));
    await show(right);
    await show(story.wrongCode(person));
    const second = await story.mfaToken(person, browser());
    await show(right, second);
    await show(backupCode, second);
    await show('!', second);
    await story.lock(person, browser());
    nextStep();
    await show(story.codeOf(person.app), await story.mfaToken(person, browser()));

    expect(counted('login.mfa.attempts')).toEqual({
      // A forged token, and a used one.
      'refused totp half_token': 2,
      'success totp none': 1,
      'failure totp used_step': 1,
      'success backup_code none': 1,
      'failure totp wrong_code': 6,
      'refused totp locked': 1,
    });
    expect(counted('login.lockouts')).toEqual({ locked: 1 });
    expect(counted('login.mfa.step.offset')).toEqual({ '': 1 });
  });

  it('login.mfa.attempts counts each assertion of a passkey once by its outcome', async () => {
    const passkeys = new PasskeyStory(story);
    const person = story.person();
    // The service of these meters does not know its port, so it has that of the packaged configuration.
    const authenticator = passkeys.authenticator({ origin: 'http://localhost:8080' });
    const { client, accessToken } = await story.signInByPassword(person, browser());
    await passkeys.register(client, { bearer: accessToken }, authenticator);
    const caller = { bearer: await story.mfaToken(person, client) };
    const show = async (overrides: AssertionOverrides = {}): Promise<AssertionJson> => {
      const assertion = authenticator.assert(await requestOptions(client, caller), { ...overrides, isForced: true });
      await assert(client, caller, assertion);
      return assertion;
    };
    before = new Map([...meters.families].map(({ name }) => [name, readings(meters, name)]));

    await show({ credentialId: 'A'.repeat(22) });
    await show({ signer: PasskeyKey.generate('ES256') });
    const used = await show();
    caller.bearer = await story.mfaToken(person, client);
    await assert(client, caller, used);
    for (const credential of authenticator.credentials) credential.counter = 0;
    await show();
    await show({ signer: PasskeyKey.generate('ES256') });

    expect(counted('login.mfa.attempts')).toEqual({
      'failure passkey unknown_passkey': 1,
      'failure passkey wrong_passkey': 2,
      'success passkey none': 1,
      'failure passkey challenge': 1,
      'failure passkey passkey_counter': 1,
    });
    expect(Object.keys(readings(meters, 'login.mfa.attempts'))).toContain('refused passkey locked');
    expect(counted('login.mfa.step.offset')).toEqual({});
  });

  it('login.token.refresh counts each exchange once by its outcome', async () => {
    const { client, accessToken } = await story.signInByPassword(story.person(), browser());
    const ended = await story.signInByPassword(story.person(), browser());
    const [copy, first] = [client.copy(), client.copy()];
    await refresh(client);
    await refresh(copy);
    story.clock.advance(61);
    vi.setSystemTime(story.clock.millis);
    await refresh(first);
    await refresh(browser());
    const forged = browser();
    forged.plant('refresh_token', 'B'.repeat(43), '/token');
    await refresh(forged);
    const left = ended.client.copy();
    await ended.client.post('/logout', {}, { bearer: ended.accessToken });
    await refresh(left);

    expect(accessToken).not.toBe('');
    expect(counted('login.token.refresh')).toEqual({
      rotated: 1,
      repeated: 1,
      reuse: 1,
      no_cookie: 1,
      unknown: 2,
    });
  });

  it('login.mfa.attempts counts each of thirty parallel wrong codes, and login.lockouts one lock', async () => {
    const person = await enrolled();
    const tokens = await Promise.all(Array.from({ length: 3 }, () => story.mfaToken(person, browser())));
    before = new Map([...meters.families].map(({ name }) => [name, readings(meters, name)]));

    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        secondStep(browser(), tokens[index % 3] ?? '', story.wrongCode(person, index % 5)),
      ),
    );

    const statuses = answers.map(({ body }) => body['code']);
    const wrong = statuses.filter((code) => code === 'MFA_CODE_INVALID').length;
    expect(counted('login.mfa.attempts')).toEqual({ 'failure totp wrong_code': wrong, ...refusedOf(statuses) });
    expect(wrong).toBe(5);
    expect(counted('login.lockouts')).toEqual({ locked: 1 });
    expect(await story.countOf(person, 'MFA_LOCKED')).toBe(1);
    expect(await story.countOf(person, 'MFA_FAILED')).toBe(wrong);
  });

  it('L3: each security event writes one log line with its details', async () => {
    const person = await enrolled();
    const seen = log.of('events').length;
    const client = browser();
    const mfaToken = await story.mfaToken(person, client);
    const wrong = await secondStep(client, mfaToken, story.wrongCode(person));
    const right = await secondStep(client, mfaToken, story.codeOf(person.app));
    await client.post('/login', { id: 'nobody-of-ours', pw: PASSWORD });

    const subject = await story.subjectOf(person);
    const told = log.of('events').slice(seen);
    expect(told.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'INFO LOGIN_PASSWORD_OK',
      'INFO MFA_CHALLENGED',
      'WARN MFA_FAILED',
      'INFO MFA_OK',
      'INFO NEW_DEVICE',
      'WARN LOGIN_PASSWORD_FAILED',
    ]);
    expect(told[2]?.fields).toEqual({
      subject,
      result: 'refused',
      reason: 'wrong_code',
      ip: '127.0.0.1',
      requestId: wrong.headers.get('x-request-id'),
    });
    expect(told[3]?.fields).toMatchObject({
      reason: 'totp',
      amr: 'pwd otp',
      requestId: right.headers.get('x-request-id'),
    });
    expect(told[4]?.fields).toMatchObject({ subject });
    expect(told[5]?.fields).toMatchObject({ result: 'refused', reason: 'unknown' });
    expect(told[5]?.fields).not.toHaveProperty('subject');
  });

  it('L1, M5: no tag or log field is a login id, password, code or token, and no tag contains a subject', async () => {
    const person = await enrolled();
    const subject = await story.subjectOf(person);
    const client = browser();
    const { accessToken } = await story.signIn(person, client);
    vi.setSystemTime(story.clock.millis);
    await client.get('/me', { bearer: accessToken });
    await client.get(`/sessions/${subject}`, { bearer: accessToken });
    const secrets = [person.id, PASSWORD, accessToken, story.codeOf(person.app), client.cookie('refresh_token')];

    const tags = [...meters.families].flatMap(({ series }) => [...series].flatMap((each) => Object.values(each.tags)));
    for (const secret of secrets) {
      expect(tags.filter((tag) => tag.includes(secret ?? '-'))).toEqual([]);
      expect(JSON.stringify(log.lines)).not.toContain(`"${secret}"`);
    }
    expect(tags.filter((tag) => tag.includes(subject))).toEqual([]);
    expect(tags).toContain('/login/2fa');
    expect(new Set(tags).size).toBeLessThan(150);
  });

  it('metrics report the connection pool, the hash workers and users locked by other replicas', async () => {
    const person = await story.enrolled();
    await story.lock(person);
    vi.setSystemTime(story.clock.millis);
    await service.countLocked();

    const pool = engine.name === 'SQLite' ? 1 : 10;
    expect(readings(meters, 'jdbc.connections.max', 'VALUE')).toEqual({ front: pool });
    // A background task may just use a connection.
    await waitUntil('no connection is lent', () => readings(meters, 'jdbc.connections.active', 'VALUE')['front'] === 0);
    expect(readings(meters, 'pool.connections.usage')['front']).toBeGreaterThan(20);
    expect(readings(meters, 'executor.pool.size.threads', 'VALUE')['password-hash']).toBeGreaterThan(0);
    expect(reading(meters, 'login.mfa.locked')).toBe(1);
  });

  // Passport keeps one registry of strategies for each process: a second service takes it over, so these tests come last.
  it('hash metrics count served and unavailable logins of twenty at once with one worker and no queue', async () => {
    const person = story.person();
    const tight = new Meters();
    const args = [
      ...story.args,
      '--app.security.password.hash.concurrency=1',
      '--app.security.password.hash.queue-capacity=0',
    ];
    const small = await startWholeService(args, {}, { meters: tight });
    const client = new HttpClient(small.url);

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.copy().post('/login', { id: person.id, pw: PASSWORD })),
    );
    await small.stop();

    const served = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(20 - served);
    expect(rises({}, readings(tight, 'login.attempts'))).toEqual({ success: served, unavailable: 20 - served });
    expect(reading(tight, 'login.hash.time', 'COUNT')).toBe(served);
    expect(readings(tight, 'executor.completed.tasks')['password-hash']).toBe(served);
    expect(reading(tight, 'login.hash.queue')).toBe(0);
  });

  it('login.attempts counts logins that the rate limit rejects', async () => {
    const person = story.person();
    const slow = new Meters();
    const args = story.args.filter((argument) => !argument.startsWith('--app.security.rate-limit'));
    const throttled = await startWholeService(args, {}, { meters: slow });
    const client = new HttpClient(throttled.url);

    const codes: unknown[] = [];
    for (let number = 0; number < 12; number += 1) {
      codes.push((await client.post('/login', { id: person.id, pw: 'wrong' })).body['code']);
    }
    await throttled.stop();

    const refused = codes.filter((code) => code === 'RATE_LIMITED').length;
    expect(refused).toBeGreaterThan(0);
    expect(rises({}, readings(slow, 'login.attempts'))).toEqual({ wrong_password: 12 - refused, throttled: refused });
  });
});

function refusedOf(codes: readonly unknown[]): Readonly<Record<string, number>> {
  return { 'refused totp locked': codes.filter((code) => code === 'MFA_LOCKED').length };
}
