import { userInfo } from 'node:os';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const ACTOR = `cli:${userInfo().username}`;
const SECRET = 'never-shown@example.com';
const DAY = 86_400;

onAnyEngine('cli mail', (engine) => {
  const story = storyOn(engine, { people: 3 });
  let person: Person;
  let subject: string;

  beforeAll(async () => {
    person = story.person();
    subject = await story.subjectOf(person);
  });
  beforeEach(() => story.database.query('DELETE FROM mail_message'));

  async function store(id: string, state: 'waiting' | 'failed', owner = subject): Promise<void> {
    const now = story.clock.millis;
    const facts = JSON.stringify({ to: SECRET });
    await story.database.query(
      `INSERT INTO mail_message (id, message_id, created_at, template, user_id, facts, state, attempts, next_attempt_at,
        give_up_at, last_error, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, 3, ?, ?, ?, ?)`,
      [
        id,
        `<${id}@example.com>`,
        now,
        'news',
        owner,
        facts,
        state,
        now,
        now + DAY * 1000,
        'EENVELOPE 550',
        Math.floor(now / 1000) + DAY,
      ],
    );
  }

  const stored = (): Promise<readonly { id: string; state: string; attempts: number }[]> =>
    story.database.query('SELECT id, state, attempts FROM mail_message ORDER BY id');

  async function resendEvents(reason: string): Promise<readonly unknown[]> {
    const rows = await story.database.query<{ actor: string; detail: string }>(
      "SELECT actor, detail FROM security_event WHERE kind = 'MAIL_RESENT' ORDER BY id",
    );
    const own = rows.filter(({ detail }) => detail.includes(reason));
    return own.map(({ actor, detail }) => [actor, JSON.parse(detail) as unknown]);
  }

  it('mail list prints waiting and failed mails, oldest first, without addresses', async () => {
    await store('mail-1', 'failed');
    await store('mail-2', 'waiting');

    const all = await story.command('mail', 'list');
    const failed = await story.command('mail', 'list', '--failed');

    expect(all.exitCode).toBe(0);
    expect(
      all.stdout
        .trimEnd()
        .split('\n')
        .map((line) => /(failed|waiting) .* id=(\S+)$/.exec(line)?.slice(1)),
    ).toEqual([
      ['failed', 'mail-1'],
      ['waiting', 'mail-2'],
    ]);
    expect(all.stdout).toContain(`subject=${subject}  attempts=3  error=EENVELOPE 550`);
    expect(all.stdout).not.toContain(SECRET);
    expect(failed.stdout).toContain('id=mail-1');
    expect(failed.stdout).not.toContain('id=mail-2');
  });

  it('mail list prints one page, and the next one after an id', async () => {
    await store('mail-1', 'failed');
    await store('mail-2', 'failed');

    const first = await story.command('mail', 'list', '--limit', '1');
    const second = await story.command('mail', 'list', '--limit', '5', '--after', 'mail-1');

    expect(first.stdout).toContain('id=mail-1');
    expect(first.stdout).toContain('More mails may follow: --after mail-1');
    expect(second.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(second.stdout).toContain('id=mail-2');
    expect((await story.command('mail', 'list', '--limit', '201')).exitCode).toBe(2);
  });

  it('A7: mail resend lets one mail wait again, with an event and a log line of the operating-system user', async () => {
    await store('mail-1', 'failed');
    await store('mail-2', 'failed');

    const { stdout, stderr } = await story.command('mail', 'resend', 'mail-1', '--reason', 'relay repaired');

    expect(stdout).toBe('Mail mail-1 will be sent again.\n');
    expect(await stored()).toMatchObject([{ state: 'waiting', attempts: 0 }, { state: 'failed' }]);
    expect(await resendEvents('relay repaired')).toEqual([
      [ACTOR, { count: '1', id: 'mail-1', stated_reason: 'relay repaired' }],
    ]);
    expect(stderr).toContain('MAIL_RESENT');
    expect(stderr).toContain(ACTOR);
  });

  it('mail resend --all lets all failed mails wait again, with one event', async () => {
    for (const id of ['mail-1', 'mail-2']) await store(id, 'failed');
    await store('mail-3', 'waiting');

    const { stdout } = await story.command('mail', 'resend', '--all', '--reason', 'all of them');

    expect(stdout).toBe('2 mails will be sent again.\n');
    expect((await stored()).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    expect(await resendEvents('all of them')).toEqual([[ACTOR, { count: '2', stated_reason: 'all of them' }]]);
  });

  it('mail resend fails without ids and for a mail that was not given up, and records nothing', async () => {
    await store('mail-1', 'waiting');

    const none = await story.command('mail', 'resend');
    const unknown = await story.command('mail', 'resend', 'mail-1', '--reason', 'in vain');

    expect([none.exitCode, unknown.exitCode]).toEqual([2, 4]);
    expect(unknown.stderr).toContain('No mail mail-1 was given up.');
    expect(await resendEvents('in vain')).toEqual([]);
  });

  it('the mails of a deleted account are deleted with it, also those that were given up', async () => {
    const leaving = story.person();
    const owner = await story.subjectOf(leaving);
    await store('mail-1', 'failed', owner);
    await store('mail-2', 'waiting', owner);
    await store('mail-3', 'failed');

    expect((await story.command('users', 'delete', leaving.id)).exitCode).toBe(0);

    expect((await stored()).map(({ id }) => id)).toEqual(['mail-3']);
  });
});
