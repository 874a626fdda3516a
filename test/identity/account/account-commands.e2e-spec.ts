import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Answer } from '../../support/http/http-client.js';
import { PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { submit, visit } from '../../support/pages/pages.js';
import { onEachEngine, onSqlite } from '../../support/database/story-database.js';

const CHOSEN = 'nine wet lanterns & 3 harbours';
const DAY_SECONDS = 24 * 3600;

onEachEngine('A4: users set-password', (engine) => {
  const story = storyOn(engine, { people: 20 });

  async function temporaryOf(person: Person): Promise<string> {
    const { exitCode, stdout, stderr } = await story.command('users', 'set-password', person.id);
    expect(exitCode, stderr).toBe(0);
    return /The password (\S+) is shown only once\.$/m.exec(stdout)?.[1] ?? '';
  }

  function login(person: Person, pw: string, more: object = {}, client = story.client()): Promise<Answer> {
    return client.post('/login', { id: person.id, pw, ...more });
  }

  it.each(['/login', '/session'])('A4: users set-password sets a password that must be changed at %s', async (path) => {
    const person = story.person();
    const pw = await temporaryOf(person);
    const client = story.client();

    const old = await login(person, PASSWORD);
    const without = await client.post(path, { id: person.id, pw });
    const weak = await client.post(path, { id: person.id, pw, new_pw: 'password' });
    const same = await client.post(path, { id: person.id, pw, new_pw: pw });
    const changed = await client.post(path, { id: person.id, pw, new_pw: CHOSEN });
    const again = await login(person, pw);

    expect(old).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(without).toBeRefused(403, 'PASSWORD_CHANGE_REQUIRED');
    expect(without.cookies).toEqual([]);
    expect(weak).toBeRefused(400, 'VALIDATION_FAILED');
    expect(weak.body['errors']).toEqual([{ field: 'new_pw', code: 'too_common' }]);
    expect(same.body['errors']).toEqual([{ field: 'new_pw', code: 'same_as_temporary' }]);
    expect(changed).toBeAnswered(200);
    expect(changed.body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
    expect(again).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(await login(person, CHOSEN)).toBeAnswered(200);
    const kinds = (await story.events(person)).map(({ kind, reason }) => [kind, reason]);
    expect(kinds).toContainEqual(['PASSWORD_RESET', null]);
    expect(kinds).toContainEqual(['LOGIN_PASSWORD_FAILED', 'change_required']);
    expect(kinds).toContainEqual(['PASSWORD_CHANGED', 'temporary']);
  });

  it('A4: users set-password ends sessions and keeps the second factor and its failure count', async () => {
    const person = await story.enrolled();
    const { client, accessToken: bearer } = await story.signIn(person);
    const earlierMfaToken = await story.mfaToken(person);
    const wrong = await story
      .client()
      .post('/login/2fa', { mfa_token: earlierMfaToken, code: story.wrongCode(person) });
    const pw = await temporaryOf(person);

    expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    const stale = await story.client().post('/login/2fa', { mfa_token: earlierMfaToken, code: story.nextCode(person) });
    expect(stale).toBeRefused(401, 'MFA_TOKEN_INVALID');
    const [row] = await story.database.query<{ failures: number }>('SELECT failures FROM account WHERE login_id = ?', [
      person.id,
    ]);
    expect(row?.failures).toBe(1);
    const changed = await login(person, pw, { new_pw: CHOSEN });
    expect(changed.body).toMatchObject({ mfa_required: true, methods: ['totp', 'backup_code'] });
    const mfaToken = String(changed.body['mfa_token']);
    const second = await story.client().post('/login/2fa', { mfa_token: mfaToken, code: story.nextCode(person) });
    expect(second.body).toMatchObject({ amr: ['pwd', 'otp'] });
  });

  it('A4: exactly one of eight parallel changes of a temporary password succeeds', async () => {
    const person = story.person();
    const pw = await temporaryOf(person);
    const passwords = Array.from({ length: 8 }, (_, index) => `${CHOSEN} ${index}`);

    const answers = await Promise.all(passwords.map((next) => login(person, pw, { new_pw: next })));

    const won = passwords.filter((_, index) => answers[index]?.status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
    expect(await login(person, String(won[0]))).toBeAnswered(200);
  });

  it('A4: POST /login rejects new_pw if the password is not temporary', async () => {
    const person = story.person();

    const answer = await login(person, PASSWORD, { new_pw: CHOSEN });

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
    expect(answer.body['errors']).toEqual([{ field: 'new_pw', code: 'unexpected' }]);
    expect(await login(person, PASSWORD)).toBeAnswered(200);
  });

  it('A4: an expired temporary password is rejected like a wrong one', async () => {
    const person = story.person();
    const pw = await temporaryOf(person);
    story.clock.advance(DAY_SECONDS + 1);

    const expired = await login(person, pw, { new_pw: CHOSEN });
    const wrong = await login(person, 'wrong', { new_pw: CHOSEN });

    expect(expired).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(Object.keys(expired.body)).toEqual(Object.keys(wrong.body));
    const reasons = (await story.events(person)).map(({ reason }) => reason);
    expect(reasons).toContain('expired_password');
  });

  it('A4: users set-password rejects staff accounts with a reason and exits with 4 for an unknown user', async () => {
    await story.database.query("UPDATE account SET kind = 'staff', password_hash = NULL WHERE login_id = ?", [
      story.person().id,
    ]);
    const [staff] = await story.database.query<{ login_id: string }>(
      "SELECT login_id FROM account WHERE kind = 'staff'",
    );

    const refused = await story.command('users', 'set-password', String(staff?.login_id));
    const unknown = await story.command('users', 'set-password', 'nobody');

    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('have no password here');
    expect(unknown.exitCode).toBe(4);
  }, 60_000);
});

onSqlite('A4: sign-in page', (engine) => {
  const story = storyOn(engine, { people: 2 });

  it('A4: the sign-in page asks for a new password in place of a temporary one, then signs in', async () => {
    const person = story.person();
    const { stdout } = await story.command('users', 'set-password', person.id);
    const pw = /The password (\S+) is shown only once\.$/m.exec(stdout)?.[1] ?? '';
    const client = story.client();
    const page = await visit(client, '/portal/login');

    const asked = await submit(client, page, { id: person.id, pw });
    const weak = await submit(client, asked, { pw, new_pw: 'password' });
    const done = await submit(client, weak, { pw, new_pw: CHOSEN });

    expect(asked.status).toBe(403);
    expect(asked.text).toContain('Your password is temporary');
    expect(asked.text).toContain('name="new_pw"');
    expect(asked.text).not.toContain(pw);
    expect([weak.status, weak.text.includes('name="new_pw"')]).toEqual([400, true]);
    expect(weak.text).toContain('The new password is one of the most common passwords. Choose another one.');
    expect(done.status).toBe(303);
  });

  it('A4: the sign-in page rejects a new password for one that is not temporary and drops the field', async () => {
    const person = story.person();
    const client = story.client();
    const page = await visit(client, '/portal/login');

    const answer = await submit(client, page, { id: person.id, pw: PASSWORD, new_pw: CHOSEN });
    const done = await submit(client, answer, { pw: PASSWORD });

    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Your password is not temporary and was not changed.');
    expect(answer.text).not.toContain('name="new_pw"');
    expect(done.status).toBe(303);
  });
});

onEachEngine('A4: users list, show, set-roles and delete', (engine) => {
  const others = { admin: 'ROLE_ADMIN', boss: 'ROLE_ADMIN', clerk: 'ROLE_CLERK' };
  const story = storyOn(engine, { people: 6, others });

  it('A4: users list pages by --after and filters by --query and --role', async () => {
    const first = await story.command('users', 'list', '--query', 'PERSON-', '--limit', '4');
    const second = await story.command('users', 'list', '--query', 'person-', '--after', 'person-4');
    const clerks = await story.command('users', 'list', '--role', 'ROLE_CLERK');

    expect(first.stdout.split('\n').map((line) => line.split('  ')[0])).toEqual([
      ...['person-1', 'person-2', 'person-3', 'person-4', 'More users follow: --after person-4', ''],
    ]);
    expect(second.stdout).toBe('person-5  active  local  no-mfa  -\nperson-6  active  local  no-mfa  -\n');
    expect(clerks.stdout).toBe('clerk  active  local  no-mfa  ROLE_CLERK\n');
    expect((await story.command('users', 'list', '--limit', '201')).exitCode).toBe(2);
  }, 60_000);

  it('A4: users show prints the state of an account and no secret', async () => {
    const person = await story.enrolled();

    const { exitCode, stdout } = await story.command('users', 'show', person.id);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^second factor +active/m);
    expect(stdout).toMatch(/^password +set$/m);
    expect(stdout).not.toContain('argon2');
    for (const code of person.backupCodes) expect(stdout).not.toContain(code);
    expect((await story.command('users', 'show', 'nobody')).exitCode).toBe(4);
  });

  it('A4: users set-roles replaces the roles and ends the sessions', async () => {
    const person = story.person();
    const { client, accessToken: bearer } = await story.signInByPassword(person);

    const { exitCode } = await story.command('users', 'set-roles', person.id, 'ROLE_CLERK,ROLE_AUDITOR');
    const malformed = await story.command('users', 'set-roles', person.id, 'clerk');

    expect(exitCode).toBe(0);
    expect(malformed.exitCode).toBe(1);
    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    const { accessToken } = await story.signInByPassword(person);
    const me = await story.client().get('/me', { bearer: accessToken });
    expect(me.body['roles']).toEqual(['ROLE_AUDITOR', 'ROLE_CLERK']);
  });

  it('A4: users delete removes all rows of a user except security events', async () => {
    const person = await story.enrolled();
    const { client, accessToken: bearer } = await story.signIn(person);
    const subject = await story.subjectOf(person);

    expect((await story.command('users', 'delete', person.id)).exitCode).toBe(0);

    expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await story.client().post('/login', { id: person.id, pw: PASSWORD })).toBeRefused(
      401,
      'INVALID_CREDENTIALS',
    );
    for (const table of [
      'totp_secret',
      'backup_code',
      'session',
      'refresh_token',
      'trusted_device',
      'staff_identity',
    ]) {
      const rows = await story.database.query(`SELECT user_id FROM ${table} WHERE user_id = ?`, [subject]);
      expect(rows, table).toEqual([]);
    }
    const events = await story.database.query<{ kind: string }>(
      'SELECT kind FROM security_event WHERE user_id = ? ORDER BY id',
      [subject],
    );
    expect(events.map(({ kind }) => kind)).toContain('USER_DELETED');
  });

  it('A4: one of two parallel commands that would remove the last two administrators fails', async () => {
    const ended = await Promise.all([
      story.command('users', 'delete', 'admin'),
      story.command('users', 'set-roles', 'boss', 'ROLE_CLERK'),
    ]);

    expect(ended.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1]);
    expect(ended.map(({ stderr }) => stderr).join('')).toContain('This is the last administrator.');
  });
});

onSqlite('A7: audit of commands', (engine) => {
  const story = storyOn(engine, { people: 2, others: { admin: 'ROLE_ADMIN' } });
  const actor = `cli:${userInfo().username}`;

  it('A7: a command records a security event with the operating-system user and the reason, and logs it', async () => {
    const person = story.person();

    const { stdout, stderr } = await story.command('users', 'disable', person.id, '--reason', ' ticket\n4711 ');

    const event = (await story.events(person)).at(-1);
    expect(event).toMatchObject({ kind: 'USER_CHANGED', actor, detail: '{"stated_reason":"ticket 4711"}' });
    expect(stdout).toBe(`${person.id}: disabled, ended all sessions.\n`);
    expect(stderr).toMatch(/ INFO .* events +: USER_CHANGED/);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  it('A7: a command that is refused records an event with the operating-system user and the reason, and logs it', async () => {
    const { exitCode, stderr } = await story.command('users', 'disable', 'admin', '--reason', 'ticket 4712');

    expect(exitCode).toBe(1);
    const acts = (await story.events({ id: 'admin' })).filter(({ kind }) => kind !== 'USER_CREATED');
    expect(acts).toMatchObject([
      {
        kind: 'ADMIN_ACT_REFUSED',
        actor,
        result: 'refused',
        reason: 'last administrator',
        detail: '{"act":"disable","stated_reason":"ticket 4712"}',
      },
    ]);
    expect(stderr).toMatch(/ WARN .* events +: ADMIN_ACT_REFUSED/);
  });

  it('A7: a command writes its audit line to the configured log file instead of standard error', async () => {
    const person = story.person();
    const file = join(story.cwd, 'service.log');
    writeFileSync(file, 'a line of the service\n');

    const { stderr } = await story.command('users', 'require-mfa', person.id, `--logging.file.name=${file}`);

    expect(stderr).toBe('');
    expect(readFileSync(file, 'utf8')).toMatch(/^a line of the service\n.* events +: USER_CHANGED.*\n$/);
  });

  it('A7: a command rejects a reason of more than 200 characters', async () => {
    const { exitCode, stderr } = await story.command('users', 'unlock', 'person-1', '--reason', 'x'.repeat(201));

    expect(exitCode).toBe(2);
    expect(stderr).toContain('A reason has at most 200 characters.');
  });
});
