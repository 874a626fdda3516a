import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Administrator, csv } from '../../support/login/administrator.js';
import { type LoginStory, storyOn } from '../../support/login/login-story.js';
import { type FilePart, multipart } from '../../support/http/multipart.js';
import { SlowRequest } from '../../support/http/slow-request.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const SENDERS = Array.from({ length: 21 }, (_, number) => `sender-${number}`);
const OTHERS = Object.fromEntries(['boss', ...SENDERS].map((id) => [id, 'ROLE_ADMIN']));

/** Ways in which an administrator loses the rights that the import needs. */
const LOSSES: readonly (readonly [string, (boss: Administrator, subject: string) => Promise<unknown>, string])[] = [
  ['is disabled', (boss, sub) => boss.send('PATCH', `/users/${sub}`, { status: 'disabled' }), 'INVALID_TOKEN'],
  ['is deleted', (boss, sub) => boss.send('DELETE', `/users/${sub}`, {}), 'INVALID_TOKEN'],
  ['is demoted', (boss, sub) => boss.send('PATCH', `/users/${sub}`, { roles: [] }), 'INVALID_TOKEN'],
  ['has no session any more', (boss, sub) => boss.send('DELETE', `/users/${sub}/sessions`, {}), 'INVALID_TOKEN'],
  [
    'proved the second factor too long ago',
    ({ story }) => {
      story.clock.advance(301);
      return Promise.resolve();
    },
    'STEP_UP_REQUIRED',
  ],
];

onAnyEngine('X2: rights of the sender of an import', (engine) => {
  const location = temporaryFolder('location');
  const stop = join(temporaryFolder('flag'), 'stop');
  const preload = new URL('../../support/programs/held-import-preload.ts', import.meta.url);
  preload.searchParams.set('folder', location);
  preload.searchParams.set('when', stop);
  const story: LoginStory = storyOn(engine, {
    people: 1,
    others: OTHERS,
    args: [`--app.servlet.multipart.location=${location}`],
    isAlone: true,
    nodeArguments: ['--import', preload.href],
  });
  let boss: Administrator;
  let hashed: string;
  let senders = 0;

  beforeAll(async () => {
    boss = await Administrator.of(story, 'boss');
    hashed = await hash('five grey herons & 2 piers', { memoryCost: 1024, timeCost: 1, parallelism: 1 });
  });
  afterEach(() => {
    rmSync(stop, { force: true });
  });

  /** The administrator with a second factor that was proven just now. */
  const fresh = async ({ person }: Administrator): Promise<Administrator> =>
    Administrator.signedIn(story, { ...person, accessToken: (await story.signIn(person)).accessToken });
  const nextSender = async (): Promise<Administrator> => {
    boss = await fresh(boss);
    senders += 1;
    return Administrator.of(story, SENDERS[senders - 1]);
  };
  const fileOf = (name: string, rows: number): FilePart =>
    csv(
      'login_id,password_hash,roles',
      ...Array.from({ length: rows }, (_, row) => `${name}-${row},"${hashed}",ROLE_ADMIN`),
    );
  const count = async (condition: string): Promise<number> => {
    const [row] = await story.database.query<{ total: number }>(
      `SELECT COUNT(*) AS total FROM account WHERE ${condition}`,
    );
    return Number(row?.total);
  };

  describe.each(LOSSES)('a sender who %s', (loss, lose, code) => {
    it.each(['', '?partial=true', '?preview=true'])(
      `X2: an upload%s that began before its sender ${loss} is refused and creates no user`,
      async (query) => {
        const sender = await nextSender();
        const name = `early-${senders}`;
        const body = multipart(fileOf(name, 1));
        const upload = await SlowRequest.upload(story, sender.person.accessToken, body.length, query);
        upload.socket.write(body.subarray(0, -10));
        await waitUntil('the file exists', () => readdirSync(location).length === 1);

        await lose(boss, await story.subjectOf(sender.person));
        upload.socket.write(body.subarray(-10));

        expect(await upload.answered()).toBe(401);
        await waitUntil('the error arrives', () => upload.code);
        expect(upload.code).toBe(code);
        expect(await count(`login_id LIKE '${name}-%'`)).toBe(0);
        await waitUntil('the file is deleted', () => readdirSync(location).length === 0);
      },
    );

    it(`X2: an import whose sender ${loss} while its rows are stored publishes none of them`, async () => {
      const sender = await nextSender();
      const name = `stored-${senders}`;
      writeFileSync(stop, '');
      const answer = sender.import(fileOf(name, 600));
      await waitUntil('rows are stored', async () => (await count("status = 'staged'")) > 0);

      await lose(boss, await story.subjectOf(sender.person));
      rmSync(stop);

      expect(await answer).toBeRefused(401, code);
      expect(await count(`login_id LIKE '${name}-%'`)).toBe(0);
    });
  });

  it('X2: a partial import creates no further user once its sender is disabled', async () => {
    const sender = await nextSender();
    const name = `part-${senders}`;
    writeFileSync(stop, '');
    const answer = sender.import(fileOf(name, 600), '?partial=true');
    const stored = (): Promise<number> => count(`login_id LIKE '${name}-%'`);
    await waitUntil('rows are stored', async () => (await stored()) > 0);

    await boss.send('PATCH', `/users/${await story.subjectOf(sender.person)}`, { status: 'disabled' });
    const before = await stored();
    rmSync(stop);

    expect(await answer).toBeRefused(401, 'INVALID_TOKEN');
    expect(before).toBeLessThan(600);
    expect(await stored()).toBe(before);
  });
});
