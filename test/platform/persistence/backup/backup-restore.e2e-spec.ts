import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HttpClient, textOf } from '../../../support/http/http-client.js';
import { type Enrolled, type LoginStory, refresh, secondStep, storyOn } from '../../../support/login/login-story.js';
import { upTo } from '../../../support/login/races.js';
import {
  argsOn,
  browserWith,
  commandOn,
  contentOf,
  SEAL_ARGS,
  serviceOn,
} from '../../../support/programs/restored-service.js';
import { type Ended, runCli, type RunningService } from '../../../support/programs/service.js';
import { type Engine, onEachEngine, type StoryDatabase } from '../../../support/database/story-database.js';

const ARGS = [...SEAL_ARGS, '--app.security.mfa.trusted-device.enabled=true'];
let files = 0;

/** A backup of the story's database. */
async function backup(story: LoginStory): Promise<string> {
  const file = join(story.cwd, `backup-${(files += 1)}`);
  const { exitCode, stdout, stderr } = await story.command('backup', file);
  expect(exitCode, stdout + stderr).toBe(0);
  return file;
}

interface Restored {
  readonly database: StoryDatabase;
  readonly stdout: string;
  /** Runs `use` with a service on the restored database. */
  readonly during: <T>(use: (service: RunningService) => Promise<T>) => Promise<T>;
}

async function restore(
  story: LoginStory,
  engine: Engine,
  file: string,
  ...flags: readonly string[]
): Promise<Restored> {
  const database = await engine.freshDatabase();
  const { exitCode, stdout, stderr } = await commandOn(story, database, 'restore', file, ...flags);
  expect(exitCode, stdout + stderr).toBe(0);
  return {
    database,
    stdout,
    during: async (use) => {
      const service = await serviceOn(story, database);
      try {
        return await use(service);
      } finally {
        await service.release();
      }
    },
  };
}

async function mfaTokenAt({ url }: RunningService, { id, password }: Enrolled): Promise<string> {
  return textOf(await new HttpClient(url).post('/login', { id, pw: password }), 'mfa_token');
}

onEachEngine('backup and restore', (engine) => {
  const story = storyOn(engine, { args: ARGS, people: 60 });

  it('C9: events verify right after a restore is no alarm: restored events wait for the service', async () => {
    await story.signInByPassword(story.person());
    const file = await backup(story);
    story.clock.advance(300);
    const { database } = await restore(story, engine, file);

    const { exitCode, stdout, stderr } = await commandOn(story, database, 'events', 'verify');

    expect(exitCode, stdout + stderr).toBe(0);
    expect(stdout).toContain(
      'The database was restored: the service adds the restored events to the chain when it runs.',
    );
  });

  it('a backup taken during a burst of logins has everything that was answered before it began', async () => {
    const people = await Promise.all(upTo(6).map(() => story.enrolled()));
    const [used] = people;
    if (!used) throw new Error('no people');
    expect(await secondStep(story.client(), await story.mfaToken(used), used.backupCodes[0] ?? '')).toBeAnswered(200);
    const burst = { isOver: false, logins: 0 };
    const logins = upTo(6).map(async () => {
      while (!burst.isOver) {
        await story.enrolled();
        burst.logins += 1;
        if (burst.logins > 30) return;
      }
    });

    const file = await backup(story);
    burst.isOver = true;
    await Promise.all(logins);

    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const { app } of people) expect(readFileSync(file, 'utf8')).not.toContain(app.secret);
    const { database, during } = await restore(story, engine, file, '--keep-backup-codes');
    await during(async (service) => {
      story.clock.nextStep();
      story.clock.nextStep();
      for (const person of people) {
        const client = new HttpClient(service.url);
        expect(await secondStep(client, await mfaTokenAt(service, person), story.codeOf(person.app))).toBeAnswered(200);
      }
      const again = await mfaTokenAt(service, used);
      const client = new HttpClient(service.url);
      expect(await secondStep(client, again, used.backupCodes[0] ?? '')).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await secondStep(client, again, used.backupCodes[1] ?? '')).toBeAnswered(200);
    });
    const kinds = (
      await database.query<{ kind: string }>("SELECT kind FROM security_event WHERE kind = 'MFA_CONFIRMED'")
    ).length;
    expect(kinds).toBeGreaterThanOrEqual(people.length);
    // One state: an account has its second factor exactly if its event is there.
    const [row] = await database.query<{ number: number }>(
      'SELECT COUNT(*) AS number FROM account WHERE totp_count = 1 AND EXISTS (SELECT 1 FROM totp_secret WHERE user_id = account.id)',
    );
    expect(Number(row?.number)).toBe(kinds);
  });

  it('no session, token, trusted device, code or half-finished step from before a restore works afterwards', async () => {
    const person = await story.enrolled();
    const { client, accessToken } = await story.signIn(person, story.client(), { trust_device: true });
    const pending = await story.enrolled();
    const { accessToken: fresh } = await story.signIn(pending);
    const setup = await pending.client.post('/2fa/setup', {}, { bearer: fresh });
    expect(setup).toBeAnswered(201);
    const mfaToken = await story.mfaToken(person);
    const file = await backup(story);
    const earlierCode = story.nextCode(person);

    const { database, during, stdout } = await restore(story, engine, file, '--reason', 'a disk failed');

    expect(stdout).toContain('All sessions, refresh tokens, trusted devices');
    await during(async (service) => {
      const browser = new HttpClient(service.url);
      expect(await browser.get('/me', { bearer: accessToken })).toBeAnswered(401);
      const refreshing = browserWith(service, 'refresh_token', client.cookie('refresh_token') ?? '', '/token');
      expect(await refresh(refreshing)).toBeRefused(401, 'REFRESH_INVALID');
      const trusted = browserWith(service, 'trusted_device', client.cookie('trusted_device') ?? '', '/');
      const login = await trusted.post('/login', { id: person.id, pw: person.password });
      expect(login.body['mfa_required']).toBe(true);
      expect(await secondStep(browser, mfaToken, story.codeOf(person.app))).toBeRefused(401, 'MFA_TOKEN_INVALID');
      // The code of the current step and the next one, which the window would accept.
      for (const code of [earlierCode, story.codeOf(person.app, 1)]) {
        const answer = await secondStep(browser, await mfaTokenAt(service, person), code);
        expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
      }
      const removed = await secondStep(browser, await mfaTokenAt(service, person), person.backupCodes[0] ?? '');
      expect(removed).toBeRefused(401, 'MFA_CODE_INVALID');
      const confirmed = await browser.post('/2fa/confirm', { code: '000000' }, { bearer: fresh });
      expect(confirmed.status).toBe(401);
      story.clock.nextStep();
      story.clock.nextStep();
      const done = await secondStep(browser, await mfaTokenAt(service, person), story.codeOf(person.app));
      expect(done).toBeAnswered(200);
      expect(await browser.get('/me', { bearer: textOf(done, 'access_token') })).toBeAnswered(200);
    });
    const [event] = await database.query<{ actor: string; detail: string }>(
      "SELECT actor, detail FROM security_event WHERE kind = 'DATABASE_RESTORED'",
    );
    expect(event?.actor).toMatch(/^cli:/);
    expect(JSON.parse(event?.detail ?? '')).toMatchObject({ backup_codes: 'removed', stated_reason: 'a disk failed' });
    const pendingRows =
      'SELECT id FROM account WHERE pending_totp_id IS NOT NULL UNION SELECT id FROM totp_secret WHERE activated_at IS NULL';
    expect(await database.query(pendingRows)).toEqual([]);
  });

  it('a restore needs --replace on a database with accounts, and keeps the events that are newer than the backup', async () => {
    const person = await story.enrolled();
    const file = await backup(story);
    const { database } = await restore(story, engine, file);
    expect((await commandOn(story, database, 'users', 'disable', person.id)).exitCode).toBe(0);
    const before = await contentOf(database);

    const refused = await commandOn(story, database, 'restore', file);

    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('The database has accounts')]);
    expect(await contentOf(database)).toBe(before);
    expect((await commandOn(story, database, 'restore', file, '--replace')).exitCode).toBe(0);
    const kinds = (await database.query<{ kind: string }>('SELECT kind FROM security_event ORDER BY id')).map(
      ({ kind }) => kind,
    );
    expect(kinds.filter((kind) => kind === 'DATABASE_RESTORED')).toHaveLength(2);
    expect(kinds).toContain('USER_CHANGED');
    const [account] = await database.query<{ status: string }>('SELECT status FROM account WHERE login_id = ?', [
      person.id,
    ]);
    expect(account?.status).toBe('active');
  });

  it('a file that is damaged, cut or newer is rejected, and a running service is not restored under', async () => {
    await story.enrolled();
    const file = await backup(story);
    const text = readFileSync(file, 'utf8');
    const { database } = await restore(story, engine, file);
    const before = await contentOf(database);
    const spoilt = [
      ['is damaged', text.replace(/\$argon2id\$/, '$argon2i$')],
      ['is cut', text.slice(0, -200)],
      ['is newer', text.replace('"version":1', '"version":2')],
      ['has a newer schema', text.replace('"migrations":[', '"migrations":["Later1999999999999",')],
    ] as const;

    for (const [what, content] of spoilt) {
      const other = `${file}-spoilt`;
      writeFileSync(other, content);
      const { exitCode, stderr } = await commandOn(story, database, 'restore', other, '--replace');
      expect([what, exitCode, stderr]).toEqual([what, 1, expect.stringMatching(/Nothing was changed\.\n$/)]);
      expect(await contentOf(database), what).toBe(before);
    }
    const service = await serviceOn(story, database);
    const inUse = await commandOn(story, database, 'restore', file, '--replace');
    await service.release();
    expect([inUse.exitCode, inUse.stderr]).toEqual([1, expect.stringContaining('The database is in use')]);
  });

  it('a restore without the seal key of the backup is rejected, unless the operator states that it is lost', async () => {
    await story.enrolled();
    const file = await backup(story);
    const database = await engine.freshDatabase();
    const args = argsOn(story, database).map((argument) =>
      argument.startsWith('--app.security.seal.') ? OTHER_SEAL_KEY : argument,
    );
    const run = (...flags: readonly string[]): Promise<Ended> =>
      runCli(['restore', file, ...flags, ...args], { cwd: story.cwd, nodeArguments: story.clock.nodeArguments });

    const refused = await run();

    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('sealed under "k1"')]);
    expect(await database.query('SELECT id FROM account')).toEqual([]);
    const { exitCode, stderr } = await run('--lost-seal-keys');
    expect(exitCode, stderr).toBe(0);
  });

  it('a restore replaces a database whose own seal key is lost', async () => {
    const person = await story.enrolled();
    const file = await backup(story);
    const { database, during } = await restore(story, engine, file);
    // The service has created signing keys there.
    await during(() => Promise.resolve());
    await database.query("UPDATE signing_key SET sealed = 'lost.AAAA', seal_key = 'lost'");

    const { exitCode, stderr } = await commandOn(story, database, 'restore', file, '--replace');

    expect(exitCode, stderr).toBe(0);
    await during(async (service) => {
      story.clock.nextStep();
      story.clock.nextStep();
      const token = await mfaTokenAt(service, person);
      expect(await secondStep(new HttpClient(service.url), token, story.codeOf(person.app))).toBeAnswered(200);
    });
  });
});

const OTHER_SEAL_KEY = `--app.security.seal.keys.k1=${Buffer.from(
  '9d2c51e07b8fa4463e1085d7c93b6af2440e97b1d85c23660fa8be71293cd5e4',
  'hex',
).toString('base64')}`;
