import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Administrator, csv, OTHERS } from '../../support/login/administrator.js';
import type { Answer } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import type { FilePart } from '../../support/http/multipart.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const ROWS = 1000;
const PW = 'five grey herons & 2 piers';
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
/** Seconds after which another process settles an import that does not go on. */
const LEASE = 30;

onEachEngine('R2: import stopped in the middle', (engine) => {
  const location = temporaryFolder('location');
  const stop = join(temporaryFolder('flag'), 'stop');
  const preload = new URL('../../support/programs/held-import-preload.ts', import.meta.url);
  preload.searchParams.set('folder', location);
  preload.searchParams.set('when', stop);
  const story = storyOn(engine, {
    people: 1,
    others: OTHERS,
    args: [`--app.servlet.multipart.location=${location}`],
    isAlone: true,
    nodeArguments: ['--import', preload.href],
  });
  let admin: Administrator;
  let ready: string;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    ready = await hash(PW, { memoryCost: 1024, timeCost: 1, parallelism: 1 });
  });
  beforeEach(() => {
    writeFileSync(stop, '');
  });
  afterEach(() => {
    rmSync(stop, { force: true });
  });

  const fileOf = (name: string): FilePart => {
    const uri = (row: number): string => (row % 2 === 0 ? '' : `otpauth://totp/Old:${row}?secret=${SECRET}`);
    const rows = Array.from({ length: ROWS }, (_, row) => `${name}-${row},"${ready}",${uri(row)}`);
    return csv('login_id,password_hash,otpauth_uri', ...rows);
  };
  const count = async (what: string): Promise<number> => {
    const [row] = await story.database.query<{ total: number }>(`SELECT COUNT(*) AS total FROM ${what}`);
    return Number(row?.total);
  };
  const staged = (): Promise<number> => count("account WHERE status = 'staged'");
  const secretsOfNobody = (): Promise<number> => count('totp_secret WHERE user_id NOT IN (SELECT id FROM account)');
  const login = (id: string): Promise<Answer> => story.client().post('/login', { id, pw: PW });

  it('R2: other users sign in during an import, which shows none of its accounts before its end', async () => {
    const person = story.person();
    const answer = admin.import(fileOf('whole'));
    await waitUntil('accounts are stored', async () => (await staged()) > 0);

    expect(await story.client().post('/login', { id: person.id, pw: person.password })).toBeAnswered(200);
    expect(await login('whole-0')).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(await story.command('users', 'show', 'whole-0')).toMatchObject({ exitCode: 4 });
    expect((await story.command('users', 'list', '--query', 'whole')).stdout).not.toContain('whole');
    expect(await story.command('users', 'add', 'whole-0')).toMatchObject({ exitCode: 1 });
    expect(await staged()).toBeGreaterThan(0);

    rmSync(stop);
    expect((await answer).body).toEqual({ created: ROWS, errors: [], errors_total: 0 });
    expect(await login('whole-0')).toBeAnswered(200);
    expect(await login(`whole-${ROWS - 1}`)).toBeAnswered(200);
    expect(await staged()).toBe(0);
  });

  it('R2: a service killed during an import has created no account of it, and the file can be imported again', async () => {
    const before = await count('account');
    const answer = admin.import(fileOf('killed')).catch(() => undefined);
    await waitUntil('accounts are stored', async () => (await staged()) > 0);
    await story.service.kill();
    expect(await answer).toBeUndefined();
    rmSync(stop);

    await story.restart();

    expect(await login('killed-0')).toBeRefused(401, 'INVALID_CREDENTIALS');
    story.clock.advance(LEASE + 1);
    expect((await admin.import(fileOf('killed'))).body).toEqual({ created: ROWS, errors: [], errors_total: 0 });
    expect(await login('killed-0')).toBeAnswered(200);
    expect(await count('account')).toBe(before + ROWS);
    expect([await staged(), await secretsOfNobody(), await count('account_import')]).toEqual([0, 0, 0]);
  });
});
