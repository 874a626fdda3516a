import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, Administrator, csv, OTHERS } from '../../support/login/administrator.js';
import { type Answer, type Members, textOf } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const FORMULAS = ['=cmd|"/C calc"!A0', '+1+1', '-2+3', '@SUM(A1)', '\t=1+1', '＝1+1', '";=1+1,"'];

function itemsOf({ body }: Answer): readonly Members[] {
  return body['items'] as readonly Members[];
}

onAnyEngine('events, keys and imports of the administration', (engine) => {
  const story = storyOn(engine, { people: 12, others: OTHERS });
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  describe('GET /admin/events', () => {
    it('GET /admin/events finds events by user, kind and period, newest first and in slices', async () => {
      const person = await story.enrolled();
      const user = await story.subjectOf(person);
      const all = await admin.send('GET', `/events?user=${user}`);
      const kinds = ['STEP_UP_OK', 'MFA_CONFIRMED', 'MFA_SETUP', 'LOGIN_PASSWORD_OK'];
      expect(itemsOf(all).map(({ kind }) => kind)).toEqual(kinds);

      expect(itemsOf(await admin.send('GET', `/events?user=${user}&kind=MFA_SETUP`))).toHaveLength(1);
      const first = await admin.send('GET', `/events?user=${user}&limit=2`);
      const rest = await admin.send('GET', `/events?user=${user}&limit=2&after=${textOf(first, 'next')}`);
      expect([...itemsOf(first), ...itemsOf(rest)]).toEqual(itemsOf(all));
      expect(itemsOf(await admin.send('GET', `/events?user=${user}&to=2001-01-01`))).toEqual([]);
      expect(itemsOf(await admin.send('GET', `/events?user=${user}&from=2001-01-01T00:00:00Z`))).toHaveLength(4);
    });

    it.each(['kind=NONE', 'from=yesterday', 'from=2026-02-31', 'to=1', `user=${'x'.repeat(37)}`, 'limit=201', 'x=1'])(
      'H4: GET /admin/events?%s is rejected',
      async (query) => {
        expect(await admin.send('GET', `/events?${query}`)).toBeRefused(400, 'VALIDATION_FAILED');
      },
    );
  });

  describe('GET /admin/events/export', () => {
    it('A8, H6: no cell of an export as CSV begins like a formula, and every value is in its own cell', async () => {
      const person = story.person();
      for (const agent of FORMULAS.filter((text) => /^[\x20-\x7e]+$/.test(text))) {
        const client = story.client();
        client.headers['user-agent'] = agent;
        await client.post('/login', { id: person.id, pw: 'wrong' });
      }
      const user = await story.subjectOf(person);
      // A header of HTTP cannot contain these.
      for (const [at, agent] of ['\t=1+1', '＝1+1'].entries()) {
        await story.database.query(
          `INSERT INTO security_event (id, at, kind, user_id, agent, result)
           VALUES ('00000000-0000-7000-8000-00000000000${at}', 1, 'MFA_OK', '${user}', '${agent}', 'ok')`,
        );
      }

      const answer = await admin.send('GET', `/events/export?format=csv&user=${user}`);

      expect(answer).toBeAnswered(200);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="events.csv"');
      expect(answer.headers.get('csv-formula-escape')).toBe('apostrophe');
      const [header = [], ...rows]: string[][] = parse(answer.text);
      expect(rows).toHaveLength(FORMULAS.length + 1);
      expect(rows.flat().filter((cell) => /^[=+\-@\t\r＝＋－＠]/.test(cell))).toEqual([]);
      const agents = rows.map((row) => row[header.indexOf('agent')]).filter((agent) => agent !== '');
      // A spreadsheet that separates cells by semicolons does not see these quotes as the bounds of a cell.
      expect(answer.text.split(';').filter((cell) => /^["\s]*[=+\-@]/.test(cell))).toEqual([]);
      expect(agents.toSorted()).toEqual(
        expect.arrayContaining(
          // Another separator may begin a cell within this one.
          FORMULAS.map((agent) => agent.replace(/^(";|\t)?(?=[^";\t])/, "$1'")).map((agent) =>
            agent.startsWith('\t') ? `'${agent}` : agent,
          ),
        ),
      );
    });

    it('an export as JSON lines has all events of its filter, newest first, and is an event itself', async () => {
      const rows = Array.from({ length: 1203 }, (_, at) => {
        return `('00000001-0000-7000-8000-${String(at).padStart(12, '0')}', ${at}, 'BACKUP_LOW', 'ok')`;
      });
      await story.database.query(`INSERT INTO security_event (id, at, kind, result) VALUES ${rows.join(', ')}`);

      const answer = await admin.send('GET', '/events/export?format=jsonl&kind=BACKUP_LOW&to=2001-01-01');

      expect(answer.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
      const lines = answer.text.trimEnd().split('\n');
      const times = lines.map((line) => (JSON.parse(line) as { time: string }).time);
      expect(times).toHaveLength(1203);
      expect(times).toEqual(times.toSorted().reverse());
      const [event] = itemsOf(await admin.send('GET', '/events?kind=EVENTS_EXPORTED&limit=1'));
      expect(event).toMatchObject({
        actor: await story.subjectOf({ id: ADMIN }),
        detail: { format: 'jsonl', kind: 'BACKUP_LOW', to: '2001-01-01T00:00:00.000Z' },
      });
    });

    it.each(['', 'format=xml', 'format=csv&limit=5', 'format=csv&kind=NONE'])(
      'H4: GET /admin/events/export?%s is rejected',
      async (query) => {
        expect(await admin.send('GET', `/events/export?${query}`)).toBeRefused(400, 'VALIDATION_FAILED');
      },
    );

    it.each(['text/csv', 'application/jsonl', '*/*'])('an export is acceptable for a caller of %s', async (accept) => {
      const { accessToken: bearer } = admin.person;
      const path = '/admin/events/export?format=csv&to=2001-01-01';

      expect(await story.client().get(path, { bearer, headers: { accept } })).toBeAnswered(200);
    });
  });

  it('POST /admin/keys/rotate publishes the next keys once, with the reason in its event', async () => {
    const first = await admin.send('POST', '/keys/rotate', { reason: 'yearly' });
    const again = await admin.send('POST', '/keys/rotate');

    expect(first).toBeAnswered(200);
    expect(first.body).toMatchObject({
      keys: [
        { purpose: 'access', is_new: true },
        { purpose: 'mfa', is_new: true },
      ],
    });
    expect(again.body).toMatchObject({ keys: [{ is_new: false }, { is_new: false }] });
    const events = itemsOf(await admin.send('GET', '/events?kind=KEY_ROTATED'));
    expect(events.filter(({ reason }) => reason === 'rotated')).toMatchObject([
      { detail: { stated_reason: 'yearly' } },
      { detail: { stated_reason: 'yearly' } },
    ]);
    const [key] = first.body['keys'] as readonly { readonly kid: string }[];
    expect(await story.database.query(`SELECT id FROM signing_key WHERE id = '${key?.kid ?? ''}'`)).toHaveLength(1);
  });

  it('a preview of an import reports each row and stores nothing', async () => {
    const before = await admin.accounts();
    const part = csv(
      'login_id,password,email,roles',
      'new-one,two slow ferries & 9 gulls,,ROLE_A',
      'NEW-ONE,,,',
      `${ADMIN},,,`,
      'weak,x,,',
      'new-two,,not an address,',
      'new-three,,,',
    );

    const preview = await admin.import(part, '?preview=true');

    expect(preview).toBeAnswered(200);
    expect(preview.body).toEqual({
      created: 0,
      valid: 2,
      errors_total: 4,
      errors: [
        { line: 3, field: 'login_id', code: 'taken' },
        { line: 4, field: 'login_id', code: 'taken' },
        { line: 5, field: 'password', code: 'too_short' },
        { line: 6, field: 'email', code: 'malformed' },
      ],
    });
    expect(await admin.accounts()).toBe(before);
    const partial = await admin.import(part, '?partial=true');
    expect(partial.body).toMatchObject({ created: 2, errors_total: 4 });
    expect(partial.body).not.toHaveProperty('valid');
  });

  describe('the commands', () => {
    it('users list finds a mail address, and users show tells sessions and devices', async () => {
      const id = 'by-mail';
      await admin.send('POST', '/users', { id, email: 'Tern@Harbour.example', pw: PASSWORD });
      await story.signInByPassword({ id, password: PASSWORD });

      const list = await story.command('users', 'list', '--query', 'tern@harbour');
      const show = await story.command('users', 'show', id);

      expect(list.stdout).toBe('by-mail  active  local  no-mfa  -\n');
      expect(show.stdout).toMatch(/^sessions +1$/m);
      expect(show.stdout).toMatch(/^devices +0$/m);
    });

    it('users sessions lists sessions, and users revoke ends one or all', async () => {
      const person = story.person();
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      await story.signInByPassword(person);
      const listed = await story.command('users', 'sessions', person.id);
      const [, sid = ''] = listed.stdout.trimEnd().split('\n').at(-1)?.split('  ') ?? [];

      const one = await story.command('users', 'revoke', person.id, '--session', sid, '--reason', 'stolen');
      const again = await story.command('users', 'revoke', person.id, '--session', sid);
      const all = await story.command('users', 'revoke', person.id);

      expect(listed.stdout.trimEnd().split('\n')).toHaveLength(2);
      expect(one).toMatchObject({ exitCode: 0, stdout: `${person.id}: ended the session.\n` });
      // The log line of a command names the operating-system user and the reason.
      expect(one.stderr).toMatch(/SESSION_REVOKED.*cli:.*stolen/);
      expect(again.exitCode).toBe(4);
      expect(all).toMatchObject({ exitCode: 0, stdout: `${person.id}: ended 1 sessions.\n` });
      expect(await client.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('users export writes what GET …/export responds, to a file for its owner', async () => {
      const person = await story.enrolled();
      const out = join(story.cwd, `${person.id}.json`);

      const written = await story.command('users', 'export', person.id, '--out', out, '--reason', 'request 7');
      const printed = await story.command('users', 'export', person.id);

      expect(written).toMatchObject({ exitCode: 0, stdout: `Wrote ${out}.\n` });
      expect((statSync(out).mode & 0o777).toString(8)).toBe('600');
      const body = JSON.parse(readFileSync(out, 'utf8')) as Record<string, readonly Members[]>;
      expect(Object.keys(body).toSorted()).toEqual(
        Object.keys((await admin.send('GET', `/users/${await story.subjectOf(person)}/export`)).body).toSorted(),
      );
      const event = body['events']?.find(({ kind }) => kind === 'USER_EXPORTED');
      expect(event).toMatchObject({ detail: { stated_reason: 'request 7' } });
      expect(body['backup_codes']).toHaveLength(10);
      expect(() => JSON.parse(printed.stdout) as unknown).not.toThrow();
      expect(await story.command('users', 'export', 'nobody')).toMatchObject({ exitCode: 4 });
    });

    it('events export prints the events of its filter', async () => {
      const { exitCode, stdout, stderr } = await story.command(
        'events',
        'export',
        '--format',
        'csv',
        '--kind',
        'MFA_SETUP',
      );

      expect(exitCode).toBe(0);
      const [, ...rows]: string[][] = parse(stdout);
      expect(rows.length).toBeGreaterThan(1);
      expect(new Set(rows.map((row) => row[2]))).toEqual(new Set(['MFA_SETUP']));
      expect(stderr).toMatch(/EVENTS_EXPORTED.*cli:/);
    });

    it('users import --preview reports rows and stores nothing', async () => {
      const file = join(story.cwd, 'preview.csv');
      writeFileSync(file, `login_id\nonly-previewed\n${ADMIN}\n`);
      const before = await admin.accounts();

      const outcome = await story.command('users', 'import', file, '--preview');

      expect(outcome).toMatchObject({
        exitCode: 1,
        stdout: 'line 3: login_id taken\n',
        stderr: 'The file has 1 user that can be created. Nothing was changed.\n',
      });
      expect(await admin.accounts()).toBe(before);
    });
  });
});
