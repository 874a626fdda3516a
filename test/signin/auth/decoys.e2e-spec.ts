import bcrypt from 'bcryptjs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const BCRYPT = '2b 04';
const ARGON2 = 'argon2id v=19 m=1024,t=1,p=1';
const UNKNOWN = Array.from({ length: 40 }, (_, index) => `nobody-${index}`);

onAnyEngine('H2: hash comparison of a wrong password', (engine) => {
  const story = storyOn(engine, { people: 30, args: ['--logging.level.account=DEBUG'] });

  beforeAll(async () => {
    const hash = bcrypt.hashSync('the password of an imported account', 4);
    const lines = Array.from({ length: 30 }, (_, index) => `imported-${index},"${hash}"\n`);
    const file = join(story.cwd, 'imported.csv');
    writeFileSync(file, `login_id,password_hash\n${lines.join('')}`);
    const { exitCode, stderr } = await story.command('users', 'import', file);
    if (exitCode !== 0) throw new Error(`users import failed:\n${stderr}`);
    await story.service.stop();
    await story.restart();
  });

  /** The kind of the hash that each wrong password was compared with. */
  async function kindsOf(ids: readonly string[]): Promise<readonly string[]> {
    const before = compared().length;
    for (const id of ids) {
      expect(await story.client().post('/login', { id, pw: 'wrong' })).toBeRefused(401, 'INVALID_CREDENTIALS');
    }
    await waitUntil('the log is written', () => compared().length === before + ids.length);
    return compared().slice(before);
  }

  function compared(): readonly string[] {
    const lines = story.service.stdout.matchAll(/A password was compared work="([^"]+)"/g);
    return Array.from(lines, ([, kind = '']) => kind);
  }

  it('H2: a wrong password is compared with the hash of the account, and at unknown ids with the same kinds', async () => {
    expect(await kindsOf(['imported-1', 'person-1'])).toEqual([BCRYPT, ARGON2]);

    const kinds = await kindsOf(UNKNOWN);
    expect(kinds).toHaveLength(UNKNOWN.length);
    expect(new Set(kinds)).toEqual(new Set([BCRYPT, ARGON2]));
  });

  it('H2: an unknown login id keeps its kind of hash in each spelling and after a restart', async () => {
    const kinds = await kindsOf(UNKNOWN);

    expect(await kindsOf(UNKNOWN.map((id) => ` ${id.toUpperCase()}`))).toEqual(kinds);
    await story.service.stop();
    await story.restart();
    expect(await kindsOf(UNKNOWN)).toEqual(kinds);
  });

  it('H2: a disabled account uses its own hash, and one without a password the hash of an unknown id', async () => {
    await story.database.query("UPDATE account SET status = 'disabled' WHERE login_id = 'imported-2'");
    const [drawn] = await kindsOf(['nobody-1']);
    await story.database.query(
      "UPDATE account SET password_hash = NULL, password_kind = '', login_id = 'nobody-1' WHERE login_id = 'imported-3'",
    );

    expect(await kindsOf(['imported-2', 'nobody-1'])).toEqual([BCRYPT, drawn]);
  });
});
