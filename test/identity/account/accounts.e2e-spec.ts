import { afterEach, describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { HttpClient } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { piped } from '../../support/programs/piped-command.js';
import { type RunningService, runCli, startService } from '../../support/programs/service.js';
import { onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import '../../support/runner/matchers.js';

const PASSWORD = 'nine wet lanterns & 3 harbours';

let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

describe('initial administrator', () => {
  it('the first start creates an administrator who must enrol, and prints the password only once', async () => {
    const first = await startService();
    running = first;
    const printed = await waitUntil('the password is printed', () => /admin with password (\S+)/.exec(first.stdout));
    const password = String(printed[1]);
    expect(password.length).toBeGreaterThanOrEqual(20);

    const answer = await new HttpClient(first.url).post('/login', { id: 'admin', pw: password });

    expect(answer).toBeAnswered(200);
    expect(answer.body).toMatchObject({ mfa_required: true, enrolment_required: true, methods: [] });
    await first.stop();
    const again = await startService({ cwd: first.cwd });
    running = again;
    expect(await new HttpClient(again.url).post('/login', { id: 'admin', pw: password })).toBeAnswered(200);
    expect(again.stdout).not.toContain('admin');
  });

  it('a start on a database with users creates no administrator', async () => {
    const { exitCode, cwd } = await runCli(['users', 'add', 'anna', '--roles', 'ROLE_AUDITOR']);
    expect(exitCode).toBe(0);

    running = await startService({ cwd });

    expect(running.stdout).not.toContain('password');
    const answer = await new HttpClient(running.url).post('/login', { id: 'admin', pw: 'admin' });
    expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
  });
});

onSqlite('users add', (engine) => {
  const story = storyOn(engine, { people: 2 });

  function add(args: readonly string[], input: string): ReturnType<typeof piped> {
    return piped(story, ['users', 'add', ...args], input);
  }

  it('users add creates a user with the password from standard input and does not print it', async () => {
    const { code, output } = await add(['Bertha@Example.org', '--password-stdin'], `${PASSWORD}\n`);

    expect(code).toBe(0);
    expect(output).not.toContain(PASSWORD);
    expect(await story.client().post('/login', { id: 'bertha@example.org', pw: PASSWORD })).toBeAnswered(200);
  });

  it('users add accepts a login id of 200 characters that takes 400 UTF-16 units', async () => {
    const id = '\u{1f600}'.repeat(200);
    const { code, output } = await add([id, '--password-stdin'], `${PASSWORD}\n`);

    expect(code, output).toBe(0);
    expect(await story.client().post('/login', { id, pw: PASSWORD })).toBeAnswered(200);
  });

  it('users add without a password prints a random one that works', async () => {
    const { code, output } = await add(['carla', '--roles', 'ROLE_MANAGEMENT'], '');
    const password = /once: (\S+)/.exec(output)?.[1] ?? '';

    expect(code).toBe(0);
    const answer = await story.client().post('/login', { id: 'carla', pw: password });
    expect(answer).toBeAnswered(200);
    expect(answer.body).toMatchObject({ enrolment_required: true });
  });

  it('users add stores the mail address', async () => {
    const { code, output } = await add(['Emil', '--password-stdin', '--email', 'emil@harbour.example'], PASSWORD);

    expect(code, output).toBe(0);
    const [row] = await story.database.query<{ email: string }>('SELECT email FROM account WHERE login_id = ?', [
      'emil',
    ]);
    expect(row?.email).toBe('emil@harbour.example');
  });

  it.each([
    ['an existing id', ['person-1', '--password-stdin'], PASSWORD],
    ['an existing id in another case', ['PERSON-1', '--password-stdin'], PASSWORD],
    ['a weak password', ['dora', '--password-stdin'], 'password'],
    [
      'an id with a colon, which is reserved for users of identity providers',
      ['idp:dora', '--password-stdin'],
      PASSWORD,
    ],
    ['a malformed mail address', ['dora', '--password-stdin', '--email', 'harbour.example'], PASSWORD],
    ['a malformed role', ['dora', '--password-stdin', '--roles', 'admin'], PASSWORD],
    ['an empty standard input', ['dora', '--password-stdin'], ''],
  ])('users add rejects %s', async (_, args, input) => {
    const { code, output } = await add(args, input);

    expect(code).toBe(1);
    expect(output.trim()).not.toBe('');
    expect(output).not.toMatch(/^\s+at /m);
    const dora = await story.client().post('/login', { id: 'dora', pw: PASSWORD });
    expect(dora).toBeRefused(401, 'INVALID_CREDENTIALS');
  });

  it('users disable prevents sign-in until users enable', async () => {
    const person = story.person();
    await story.login(person);
    expect((await story.command('users', 'disable', person.id)).exitCode).toBe(0);
    const disabled = await story.client().post('/login', { id: person.id, pw: person.password });
    expect((await story.command('users', 'enable', person.id)).exitCode).toBe(0);

    expect(disabled).toBeRefused(401, 'INVALID_CREDENTIALS');
    await expect(story.login(person)).resolves.toBeDefined();
  });

  it('unlock, disable, enable and reset-mfa exit with 4 for an unknown user', async () => {
    for (const command of ['unlock', 'disable', 'enable', 'reset-mfa']) {
      const { exitCode, stderr } = await story.command('users', command, 'nobody');
      expect([exitCode, stderr], command).toEqual([4, 'Unknown user nobody.\n']);
    }
  });
});

onSqlite('users import', (engine) => {
  const story = storyOn(engine, { people: 1 });

  it('users import reads a pipe only with --partial', async () => {
    const rows = `login_id,password\npiped,${PASSWORD}\n`;

    const whole = await piped(story, ['users', 'import', '/dev/stdin'], rows);
    const before = await story.client().post('/login', { id: 'piped', pw: PASSWORD });
    const partial = await piped(story, ['users', 'import', '--partial', '/dev/stdin'], rows);

    expect(whole).toEqual({ code: 1, output: 'Without --partial only a regular file can be imported.\n' });
    expect(before).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(partial).toEqual({ code: 0, output: expect.stringContaining('Created 1 user.\n') as string });
    expect(await story.client().post('/login', { id: 'piped', pw: PASSWORD })).toBeAnswered(200);
  });
});

onSqlite('users reset-mfa', (engine) => {
  const story = storyOn(engine, { people: 4 });

  it('users reset-mfa removes the second factor, ends all sessions and requires enrolment at the next login', async () => {
    const person = await story.enrolled();
    const { client, accessToken: bearer } = await story.signIn(person);
    const mfaToken = await story.mfaToken(person);

    expect((await story.command('users', 'reset-mfa', person.id)).exitCode).toBe(0);

    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await client.post('/token/refresh')).toBeRefused(401, 'REFRESH_INVALID');
    const stale = await story.client().post('/login/2fa', { mfa_token: mfaToken, code: story.nextCode(person) });
    expect(stale).toBeRefused(401, 'MFA_TOKEN_INVALID');
    const next = await story.login(person);
    expect(next.body).toMatchObject({ mfa_required: true, enrolment_required: true, methods: [] });
  });

  it('users reset-mfa keeps the last used TOTP step: a new secret cannot reuse it', async () => {
    const person = await story.enrolled();
    expect((await story.command('users', 'reset-mfa', person.id)).exitCode).toBe(0);
    const client = story.client();
    const bearer = await story.mfaToken(person, client);
    const setup = await client.post('/2fa/setup', {}, { bearer });
    const app = AuthenticatorApp.scan(String(setup.body['otpauth_uri']));

    const sameStep = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer });
    story.clock.nextStep();
    const nextStep = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer });

    expect(sameStep).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(nextStep).toBeAnswered(200);
  });
});
