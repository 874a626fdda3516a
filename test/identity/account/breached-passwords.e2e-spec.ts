import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import { PUBLIC_URL, StoryLinks, tokenIn } from '../../support/login/account-links.js';
import { Administrator, csv, OTHERS } from '../../support/login/administrator.js';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { managed, OPERATOR } from '../../support/management/management.js';
import { OtlpReceiver } from '../../support/management/otlp-receiver.js';
import { submit, visit } from '../../support/pages/pages.js';
import { piped } from '../../support/programs/piped-command.js';
import { RangeServer, sha1Of } from '../../support/http/range-server.js';
import { runCli } from '../../support/programs/service.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import '../../support/runner/matchers.js';

/** Its SHA-1 begins with AB00C, which no other text of these tests contains. */
const BREACHED = 'nine stolen lanterns & 6 harbours';
const PREFIX = sha1Of(BREACHED).slice(0, 5);
/** A UUID, or an id of a trace or a span. */
const RANDOM_ID = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{16})\b/g;
const CHOSEN = 'eight loud lanterns & 2 harbours';
const KEY = '--app.security.password.breached';

// The password of all users is breached as well, but a login does not ask.
const ranges = await new RangeServer().add(BREACHED, 3).add(PASSWORD).start();
const collector = await new OtlpReceiver().start();
afterEach(() => {
  ranges.answer = undefined;
  ranges.asked.length = 0;
});
afterAll(() => Promise.all([ranges.stop(), collector.stop()]));

function refusedAt(field: string): object {
  return { code: 'VALIDATION_FAILED', errors: [{ field, code: 'breached' }] };
}

onAnyEngine('breached passwords and a range service', (engine) => {
  const story = storyOn(engine, {
    people: 12,
    others: OTHERS,
    args: [
      ...[`${KEY}.url=${ranges.url}/`, `${KEY}.timeout=20s`, `${KEY}.min-count=3`],
      `--app.security.public-url=${PUBLIC_URL}`,
      ...['--management.endpoints.web.exposure.include=*', `--management.security.user=${OPERATOR.user}`],
      ...[`--management.security.password=${OPERATOR.password}`, '--logging.level.root=TRACE'],
      ...[`--management.otlp.tracing.endpoint=${collector.url}`, '--management.tracing.sampling.probability=1.0'],
      '--management.opentelemetry.tracing.export.schedule-delay=10ms',
    ],
  });
  const links = new StoryLinks(story);

  const login = ({ id }: Pick<Person, 'id'>, pw: string, more = {}): Promise<Answer> =>
    story.client().post('/login', { id, pw, ...more });

  async function change(person: Person, next: string): Promise<Answer> {
    const bearer = textOf(await login(person, PASSWORD), 'access_token');
    return story.client().post('/me/password', { current: PASSWORD, new: next }, { bearer });
  }

  /** Measurements of a meter with these tags; undefined without such a series. */
  async function measured(name: string, ...tags: readonly string[]): Promise<number | undefined> {
    const query = tags.map((tag) => `tag=${tag}`).join('&');
    const answer = await managed(story.service).operator.get(`/metrics/${name}?${query}`);
    const { measurements = [] } = answer.body as { measurements?: { statistic: string; value: number }[] };
    return measurements.find(({ statistic }) => statistic === 'COUNT')?.value;
  }

  it('A4: a user cannot change the password to a breached one', async () => {
    const person = story.person();
    const refused = await change(person, BREACHED);

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject(refusedAt('new'));
    expect(Object.keys(refused.body)).toEqual(Object.keys((await change(person, 'password')).body));
    expect(await change(person, CHOSEN)).toBeAnswered(204);
  });

  it('A4: a login asks no service whether its password is breached', async () => {
    expect(await login(story.person(), PASSWORD)).toBeAnswered(200);
    expect(await login(story.person(), BREACHED)).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(ranges.asked).toEqual([]);
  });

  it('A4: a breached password cannot replace a temporary one, neither over JSON nor on the page', async () => {
    const person = story.person();
    const set = await story.command('users', 'set-password', person.id);
    const pw = /The password (\S+) is shown only once\.$/m.exec(set.stdout)?.[1] ?? '';
    const asked = ranges.asked.length;
    const refused = await login(person, pw, { new_pw: BREACHED });
    const client = story.client();
    const first = await submit(client, await visit(client, '/portal/login'), { id: person.id, pw });
    const page = await submit(client, first, { pw, new_pw: BREACHED });

    expect(asked).toBe(0);
    expect(refused.body).toMatchObject(refusedAt('new_pw'));
    expect(page.status).toBe(400);
    expect(page.text).toContain(messagesOf('en').newPassword.breached);
  });

  it('A4: a mailed link does not set a breached password, and stays valid', async () => {
    const token = await links.create(story.person(), 'password-reset');
    const refused = await story.client().post('/password/reset', { token, new: BREACHED });
    const reset = await story.client().post('/password/reset', { token, new: CHOSEN });

    expect(refused.body).toMatchObject(refusedAt('new'));
    expect(reset).toBeAnswered(204);
  });

  it('A4: an invitation is not accepted with a breached password', async () => {
    const { stdout } = await story.command('users', 'invite', 'invited', '--print-link');
    const refused = await story.client().post('/invitation', { token: tokenIn(stdout), new: BREACHED });

    expect(refused.body).toMatchObject(refusedAt('new'));
  });

  it('A4: an administrator cannot create a user with a breached password, over HTTP and as a command', async () => {
    const admin = await Administrator.of(story);
    ranges.asked.length = 0;
    const refused = await admin.send('POST', '/users', { id: 'created', pw: BREACHED });
    const command = ['users', 'add', 'added', '--password-stdin', `${KEY}.url=${ranges.url}`];
    const added = await piped(story, command, `${BREACHED}\n`);
    const generated = await story.command('users', 'add', 'generated');

    expect(refused.body).toMatchObject(refusedAt('pw'));
    expect(added).toMatchObject({ code: 1, output: expect.stringContaining('known from data breaches') as string });
    expect(generated.exitCode, generated.stderr).toBe(0);
    expect(ranges.asked).toHaveLength(2);
  });

  it('an import of users does not ask the range service', async () => {
    const file = join(story.cwd, 'people.csv');
    writeFileSync(file, `login_id,password\nimported,${BREACHED}\n`);
    const imported = await story.command('users', 'import', file);

    expect(imported.exitCode, imported.stderr).toBe(0);
    expect(ranges.asked).toEqual([]);
  });

  it('a login ends while a change of another password still waits for a range service that hangs', async () => {
    const [changing, other] = [story.person(), story.person()];
    const held: (() => void)[] = [];
    ranges.answer = (response) => void held.push(() => response.end());
    const ended: string[] = [];
    const changed = change(changing, CHOSEN).finally(() => ended.push('the change'));
    await waitUntil('the service was asked', () => held.length === 1);

    expect(await login(other, PASSWORD)).toBeAnswered(200);
    ended.push('the login');
    for (const release of held) release();

    expect(await changed).toBeAnswered(204);
    expect(ended).toEqual(['the login', 'the change']);
    expect(ranges.asked).toHaveLength(1);
  });

  it('a range service that is stopped accepts every password with one warning, and rejects again once it is back', async () => {
    const people = [story.person(), story.person(), story.person()];
    const failed = (await measured('password.breached.checks', 'result:failed')) ?? 0;
    await ranges.stop();
    const away = [await change(people[0] as Person, BREACHED), await change(people[1] as Person, BREACHED)];
    await ranges.start();
    const back = await change(people[2] as Person, BREACHED);

    for (const answer of away) expect(answer).toBeAnswered(204);
    expect(back.body).toMatchObject(refusedAt('new'));
    const lines = await waitUntil('both lines are in the log', () => {
      const found = story.service.log.filter((line) => line.includes('for breaches'));
      return found.length > 1 && found;
    });
    expect(lines).toEqual([
      'WARN New passwords are accepted without a check for breaches: the source does not respond failure=ECONNREFUSED',
      'INFO New passwords are checked for breaches again unchecked=2',
    ]);
    expect(await measured('password.breached.checks', 'result:failed')).toBe(failed + 2);
    expect(await measured('password.breached.checks', 'result:breached')).toBeGreaterThan(3);
  });

  it('M2: http.client.requests counts outgoing calls by purpose, status, outcome and failure', async () => {
    const calls = (...tags: readonly string[]): Promise<number | undefined> =>
      measured('http.client.requests', 'client.name:breached-passwords', 'method:GET', 'uri:none', ...tags);
    ranges.answer = (response) => void response.writeHead(503).end();
    await change(story.person(), CHOSEN);

    expect(await calls('status:200', 'outcome:SUCCESS', 'exception:none')).toBeGreaterThan(3);
    expect(await calls('status:503', 'outcome:SERVER_ERROR', 'exception:none')).toBe(1);
    expect(await calls('status:IO_ERROR', 'outcome:UNKNOWN', 'exception:ECONNREFUSED')).toBe(2);
    const { text } = await managed(story.service).operator.get('/metrics/http.client.requests');
    expect(text).not.toContain(PREFIX);
  });

  it('no log line, span or meter contains a breached password or a digit of its hash', async () => {
    await waitUntil('the spans of the calls have arrived', () =>
      collector.spans.some(({ attributes }) => attributes['server.port'] === Number(new URL(ranges.url).port)),
    );
    const meters = await managed(story.service).operator.get('/prometheus');
    // The digits of the prefix alone may occur in a random id.
    const texts = [
      ...[story.service.stdout, story.service.stderr, meters.text],
      ...collector.requests.map(({ text }) => text),
    ]
      .join('\n')
      .replaceAll(RANDOM_ID, '');

    expect(texts).toContain('http_client_requests_seconds_count');
    for (const secret of [BREACHED, PREFIX, PREFIX.toLowerCase(), sha1Of(BREACHED).slice(5), '/range/']) {
      expect(texts, secret).not.toContain(secret);
    }
  });
});

onSqlite('a range service that does not respond', (engine) => {
  const story = storyOn(engine, { people: 1, args: [`${KEY}.url=${ranges.url}`, `${KEY}.timeout=2s`] });

  it('app.security.password.breached.timeout ends the wait for it, and the password is accepted', async () => {
    ranges.answer = () => undefined;
    const { id } = story.person();
    const bearer = textOf(await story.client().post('/login', { id, pw: PASSWORD }), 'access_token');

    expect(await story.client().post('/me/password', { current: PASSWORD, new: BREACHED }, { bearer })).toBeAnswered(
      204,
    );
    expect(ranges.asked).toHaveLength(1);
  });
});

describe('breached passwords and a file of hashes', () => {
  const folder = temporaryFolder('breached');
  const file = join(folder, 'hashes.txt');
  const hashes = [BREACHED, ...Array.from({ length: 500 }, (_, index) => `breached ${index}`)].map(sha1Of).sort();
  beforeAll(() => {
    writeFileSync(file, hashes.map((sha1) => `${sha1}:1\r\n`).join(''));
  });

  onSqlite('of the service', (engine) => {
    const story = storyOn(engine, { people: 2, others: OTHERS, args: [`${KEY}.file=file:${file}`] });

    it('A4: a password of the file is rejected at a change and in an import, and its first and last lines are found', async () => {
      const admin = await Administrator.of(story);
      const { id } = story.person();
      const bearer = textOf(await story.client().post('/login', { id, pw: PASSWORD }), 'access_token');
      const change = (next: string): Promise<Answer> =>
        story.client().post('/me/password', { current: PASSWORD, new: next }, { bearer });
      const ends = Array.from({ length: 500 }, (_, index) => `breached ${index}`).filter((password) =>
        [hashes[0], hashes.at(-1)].includes(sha1Of(password)),
      );

      for (const password of [BREACHED, ...ends]) expect((await change(password)).body).toMatchObject(refusedAt('new'));
      const imported = await admin.import(csv('login_id,password', `one,${BREACHED}`, `two,${CHOSEN}`));
      expect(imported.body['errors']).toEqual([{ line: 2, field: 'password', code: 'breached' }]);
      expect(ends.length).toBeGreaterThan(0);
      expect(await change(CHOSEN)).toBeAnswered(204);
    });
  });

  it.each([
    ['that does not exist', () => join(folder, 'missing.txt'), 'it cannot be read (ENOENT)'],
    ['that is not sorted', () => written([...hashes].reverse()), 'its hashes are not in ascending order (byte 41)'],
    ['without hashes', () => written(['password', '123456']), 'the line at byte 0 is not a SHA-1 hash'],
  ])('a file %s prevents startup with the reason and an action', async (_, path, reason) => {
    const { exitCode, stdout, stderr } = await runCli(['config', 'check', `${KEY}.file=${path()}`]);

    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).toContain('The file of breached passwords cannot be used');
    expect(stdout + stderr).toContain(reason);
    expect(stdout + stderr).toContain('sorts it');
  });

  it('a service and a file together prevent startup', async () => {
    const { exitCode, stdout, stderr } = await runCli([
      'config',
      'check',
      `${KEY}.file=${file}`,
      `${KEY}.url=${ranges.url}`,
    ]);

    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).toContain('url and file are both set');
  });

  function written(lines: readonly string[]): string {
    const path = join(folder, `${lines.length}.txt`);
    writeFileSync(path, lines.join('\n'));
    return path;
  }
});
