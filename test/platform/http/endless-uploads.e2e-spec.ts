import { readdirSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { Administrator, csv } from '../../support/login/administrator.js';
import { storyOn } from '../../support/login/login-story.js';
import { multipart } from '../../support/http/multipart.js';
import { SlowRequest } from '../../support/http/slow-request.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const OTHERS = { boss: 'ROLE_ADMIN', second: 'ROLE_ADMIN' };

onSqlite('X2: uploads that never end', (engine) => {
  const location = temporaryFolder('location');
  const story = storyOn(engine, {
    people: 1,
    others: OTHERS,
    args: [
      `--app.servlet.multipart.location=${location}`,
      '--app.servlet.multipart.max-per-user=3',
      '--server.embedded.threads.max=2',
      '--server.embedded.accept-count=0',
    ],
  });
  let boss: Administrator;
  let second: Administrator;

  beforeAll(async () => {
    boss = await Administrator.of(story, 'boss');
    second = await Administrator.of(story, 'second');
  });

  const body = multipart(csv('login_id', 'never-made'));
  const stored = (): number => readdirSync(location).length;
  const begin = async (who: Administrator): Promise<SlowRequest> => {
    const before = stored();
    const upload = await SlowRequest.upload(story, who.person.accessToken, body.length);
    upload.socket.write(body.subarray(0, -10));
    await waitUntil('the file exists', () => stored() > before);
    return upload;
  };
  const gone = async (...uploads: readonly SlowRequest[]): Promise<void> => {
    for (const { socket } of uploads) socket.destroy();
    await waitUntil('the files are deleted', () => stored() === 0);
  };

  it('X2: uploads that do not arrive occupy no slot: other requests and the uploads of other administrators are served', async () => {
    const uploads = [await begin(boss), await begin(boss), await begin(boss)];

    expect(await story.client().get('/me', { bearer: second.person.accessToken })).toBeAnswered(200);
    expect((await second.import(csv('login_id', 'made-meanwhile'))).body).toMatchObject({ created: 1 });

    await gone(...uploads);
  });

  it('X2: an administrator sends max-per-user uploads at once, and a further one gets 429 before it is read', async () => {
    const uploads = [await begin(boss), await begin(boss), await begin(boss)];

    const refused = await boss.import(csv('login_id', 'one-too-many'));
    expect(refused).toBeRefused(429, 'RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    uploads[0]?.socket.write(body.subarray(-10));
    expect(await uploads[0]?.answered()).toBe(200);
    expect((await boss.import(csv('login_id', 'as-many-again'))).body).toMatchObject({ created: 1 });

    await gone(...uploads);
  });

  it('X2: an upload whose sender is disabled ends although its client goes on sending', async () => {
    const upload = await begin(second);

    const { exitCode } = await story.command('users', 'disable', 'second');
    expect(exitCode).toBe(0);

    expect(await upload.answered()).toBe(401);
    await waitUntil('the file is deleted', () => stored() === 0);
  });
});

onSqlite('app.servlet.multipart.receive-timeout', (engine) => {
  const location = temporaryFolder('location');
  const story = storyOn(engine, {
    people: 1,
    others: OTHERS,
    args: [`--app.servlet.multipart.location=${location}`, '--app.servlet.multipart.receive-timeout=1500ms'],
  });

  it('X2: an upload that has not arrived after receive-timeout gets 408, however steadily its client sends', async () => {
    const boss = await Administrator.of(story, 'boss');
    const upload = await SlowRequest.upload(story, boss.person.accessToken, 100_000);
    upload.socket.write(multipart(csv('login_id', 'never-made')).subarray(0, -10));
    const drip = setInterval(() => upload.socket.write('\n'), 50);

    expect(await upload.answered().finally(() => clearInterval(drip))).toBe(408);
    await waitUntil('the file is deleted', () => readdirSync(location).length === 0);
  });
});

/** More than the buffers of a connection hold. */
const EVENTS = 60_000;

onSqlite('X2: exports that outlive the rights of their caller', (engine) => {
  const story = storyOn(engine, {
    people: 2,
    others: OTHERS,
    args: [
      ...[
        '--server.embedded.threads.max=3',
        '--server.embedded.accept-count=0',
        '--server.embedded.connection-timeout=5m',
      ],
      '--app.servlet.multipart.max-per-user=2',
    ],
  });
  let known: Administrator | undefined;
  let boss: Administrator;

  beforeAll(async () => {
    boss = await Administrator.of(story, 'boss');
    const subject = await story.subjectOf({ id: 'boss' });
    const agent = 'x'.repeat(250);
    for (let from = 0; from < EVENTS; from += 2000) {
      const rows = Array.from({ length: 2000 }, (_, at) => {
        return `('00000001-0000-7000-8000-${String(from + at).padStart(12, '0')}', ${from + at}, 'BACKUP_LOW', '${subject}', '${agent}', 'ok')`;
      });
      await story.database.query(
        `INSERT INTO security_event (id, at, kind, user_id, agent, result) VALUES ${rows.join(', ')}`,
      );
    }
  });

  /** The administrator `second`, with a session that has just begun. */
  const caller = async (): Promise<Administrator> => {
    if (!known) return (known = await Administrator.of(story, 'second'));
    const { accessToken } = await story.signIn(known.person);
    return Administrator.signedIn(story, { ...known.person, accessToken });
  };

  it.each([
    ['events', () => Promise.resolve('/admin/events/export?format=jsonl')],
    ['a user', async () => `/admin/users/${await story.subjectOf({ id: 'boss' })}/export`],
  ])('X2: an export of %s ends without its last chunk once its caller is disabled', async (_, path) => {
    await story.command('users', 'enable', 'second');
    const second = await caller();
    const download = await SlowRequest.get(story, second.person.accessToken, await path());
    download.socket.pause();

    const { exitCode } = await story.command('users', 'disable', 'second');
    expect(exitCode).toBe(0);
    download.socket.resume();

    const text = await download.ended();
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(text.length).toBeLessThan(EVENTS * 250);
    expect(story.service.troubles.join()).not.toContain('ERROR');
  });

  const EXPORT = '/admin/events/export?format=jsonl';

  /** An export whose client reads nothing of it after its beginning. */
  const stalled = async ({ person }: Administrator): Promise<SlowRequest> => {
    const download = await SlowRequest.get(story, person.accessToken, EXPORT);
    expect(await download.answered()).toBe(200);
    download.socket.pause();
    return download;
  };

  it('X2: slow exports of one administrator stop neither sign-ins nor exports of others, and a further one gets 429', async () => {
    await story.command('users', 'enable', 'second');
    const second = await caller();
    const slow = [await stalled(second), await stalled(second)];

    const refused = await second.send('GET', '/events/export?format=jsonl');
    expect(refused).toBeRefused(429, 'RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await story.login(story.person())).toBeAnswered(200);
    expect(await boss.send('GET', '/events/export?format=jsonl&kind=EVENTS_EXPORTED')).toBeAnswered(200);

    for (const { socket } of slow) socket.destroy();
    await waitUntil('exports of the administrator are served again', async () => {
      const { status } = await second.send('GET', '/events/export?format=jsonl&kind=EVENTS_EXPORTED');
      return status === 200;
    });
  });

  it('X2: a client that reads nothing loses its export, and the slot, once its caller is disabled', async () => {
    await story.command('users', 'enable', 'second');
    const second = await caller();
    const person = story.person();
    const slow = [await stalled(second), await stalled(second), await stalled(boss)];
    const signIn = async (): Promise<number> =>
      (await story.client().post('/login', { id: person.id, pw: person.password })).status;
    expect(await signIn()).toBe(503);

    await story.command('users', 'disable', 'second');

    await waitUntil('a slot is free', async () => (await signIn()) === 200);
    for (const { socket } of slow) socket.destroy();
  });
});
