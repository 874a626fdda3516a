import { afterAll, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import { refresh, storyOn } from '../../support/login/login-story.js';
import { enrolledWithAddress, textsOfNotice } from '../../support/mail/notices.js';
import { runCli } from '../../support/programs/service.js';
import { SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { atOnce, outcomes } from '../../support/login/races.js';
import { onEachEngine, onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MAX_NOTICES = 10;
const HOUR_SECONDS = 3600;

const relay = await SmtpRelayServer.start();
afterAll(() => relay.stop());

onSqlite('an act that one user repeats', (engine) => {
  const story = storyOn(engine, { people: 2, args: [...relay.args, '--app.mail.poll-interval=200ms'] });
  const { title } = textsOfNotice('codes-reissued');
  const summary = messagesOf('en').notices.severalTimes(title);

  it('X6: an account gets ten notices of a kind in an hour, and then one summary', async () => {
    const { person, address } = await enrolledWithAddress(story, relay);
    const mails = (subject: string): number =>
      relay.received.filter((mail) => mail.to.includes(address) && mail.subject.endsWith(subject)).length;
    const reissue = async (times: number): Promise<void> => {
      const { client, accessToken: bearer } = await story.signIn(person);
      for (let time = 0; time < times; time += 1) {
        expect(await client.post('/2fa/backup-codes', {}, { bearer })).toBeAnswered(201);
      }
    };
    const relayed = (): Promise<unknown> =>
      waitUntil('all events are relayed and no mail waits', async () => {
        const events = await story.database.query('SELECT id FROM security_event WHERE batch < 0');
        return events.length === 0 && (await story.database.query('SELECT id FROM mail_message')).length === 0;
      });

    await reissue(MAX_NOTICES + 15);
    await relayed();

    expect(await story.countOf(person, 'BACKUP_REISSUED')).toBe(MAX_NOTICES + 15);
    expect([mails(title), mails(summary)]).toEqual([MAX_NOTICES, 1]);
    story.clock.advance(HOUR_SECONDS);
    await reissue(1);
    await relayed();
    expect([mails(title), mails(summary)]).toEqual([MAX_NOTICES + 1, 1]);
  });
});

onEachEngine('the refreshes of one session', (engine) => {
  const story = storyOn(engine, { people: 4, args: ['--app.security.refresh.max-rate=5/1m'] });

  it('X6: a session is refreshed as often as its limit permits, and its token stays valid beyond it', async () => {
    const person = story.person();
    const { client } = await story.signInByPassword(person);
    const statuses: number[] = [];
    for (let time = 0; time < 12; time += 1) statuses.push((await refresh(client)).status);

    const limited = await refresh(client);

    expect(statuses).toEqual([...Array.from({ length: 5 }, () => 200), ...Array.from({ length: 7 }, () => 429)]);
    expect(limited).toBeRefused(429, 'RATE_LIMITED');
    expect(limited.headers.get('retry-after')).toBe('60');
    expect(await story.countOf(person, 'TOKEN_REFRESHED')).toBe(5);
    story.clock.advance(60);
    expect(await refresh(client)).toBeAnswered(200);
  });

  it('X6: concurrent refreshes of one session do not exceed its limit', async () => {
    const person = story.person();
    const { client } = await story.signInByPassword(person);
    let browser = client;
    const burst = async (): Promise<Readonly<Record<string, number>>> => {
      const tabs = Array.from({ length: 12 }, () => browser.copy());
      const answers = await atOnce(tabs.length, (index) => refresh(tabs[index] ?? browser));
      [browser = browser] = tabs;
      return outcomes(answers);
    };
    for (const minute of [1, 2]) {
      const bursts: Readonly<Record<string, number>>[] = [];
      for (let time = 0; time < 8; time += 1) bursts.push(await burst());

      expect(bursts).toEqual([
        ...Array.from({ length: 5 }, () => ({ 200: 12 })),
        ...Array.from({ length: 3 }, () => ({ RATE_LIMITED: 12 })),
      ]);
      expect(await story.countOf(person, 'TOKEN_REFRESHED')).toBe(5 * minute);
      expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(0);
      story.clock.advance(60);
    }
  });

  it('X6: a session is limited if the token that tells the limit was deleted', async () => {
    const person = story.person();
    const { client } = await story.signInByPassword(person);
    for (let time = 0; time < 5; time += 1) expect(await refresh(client)).toBeAnswered(200);
    const old = 'DELETE FROM refresh_token WHERE user_id = ? AND generation <= 3';
    await story.database.query(old, [await story.subjectOf(person)]);

    expect(await refresh(client)).toBeRefused(429, 'RATE_LIMITED');

    story.clock.advance(60);
    expect(await refresh(client)).toBeAnswered(200);
  });

  it('X6: a bounded number of the refresh tokens of one session stays', async () => {
    const person = story.person();
    const { client } = await story.signInByPassword(person);
    const generations = async (): Promise<readonly number[]> => {
      const sql = 'SELECT generation FROM refresh_token WHERE user_id = ? ORDER BY generation';
      const rows = await story.database.query<{ generation: number }>(sql, [await story.subjectOf(person)]);
      return rows.map(({ generation }) => generation);
    };
    const columns = 'session_id, user_id, amr, auth_time, issued_at, expires_at, names_session';
    const user = await story.subjectOf(person);
    for (const generation of [100, 999, 1000, 1001]) {
      const values = [`copy-${generation}`, generation, user];
      const copy = `INSERT INTO refresh_token (token_hash, generation, rotated_at, ${columns})
        SELECT ?, ?, 1, ${columns} FROM refresh_token WHERE user_id = ? AND generation = 1`;
      await story.database.query(copy, values);
    }
    // The times of the copies are those of the first token.
    story.clock.advance(60);
    await story.database.query('UPDATE refresh_token SET generation = 1999 WHERE user_id = ? AND generation = 1', [
      user,
    ]);

    expect(await refresh(client)).toBeAnswered(200);

    expect(await generations()).toEqual([1001, 1999, 2000]);
  });
});

describe('the limit of refreshes', () => {
  it.each(['1001/1m', '5000/1d', '60/2d'])(
    'X6: a value beyond what the stored tokens can tell prevents startup: %s',
    async (limit) => {
      const checked = await runCli(['config', 'check', `--app.security.refresh.max-rate=${limit}`], {
        cwd: temporaryFolder('limit'),
      });

      expect(checked.exitCode).not.toBe(0);
      expect(checked.stdout + checked.stderr).toContain('with at most 1000 requests in at most 1d');
    },
  );
});
