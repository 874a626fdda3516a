import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, Administrator, OTHERS } from '../../support/login/administrator.js';
import { storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const CONFIGURATION = '--mapper.configuration';

onAnyEngine('the keys of the SQL mapper', (engine) => {
  const fetchSize = 2;
  const args = [`${CONFIGURATION}.default-fetch-size=${fetchSize}`, '--logging.level.mapper.events=DEBUG'];
  const story = storyOn(engine, { people: 1, others: OTHERS, args });
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    await story.client().post('/login', { id: ADMIN, pw: 'wrong' });
  });

  async function reasons(...keys: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    const { exitCode, stdout, stderr } = await story.command('events', 'reasons', ...keys);
    expect(exitCode, stderr).toBe(0);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  const successOf = (rows: readonly Record<string, unknown>[]): Record<string, unknown> | undefined =>
    rows.find(({ kind }) => kind === 'LOGIN_PASSWORD_OK');

  describe('events reasons', () => {
    it('prints kind, result, reason, number and times of the events by default', async () => {
      const rows = await reasons();

      const times = { firstAt: expect.any(Number) as number, lastAt: expect.any(Number) as number };
      expect(successOf(rows)).toEqual({ kind: 'LOGIN_PASSWORD_OK', result: 'ok', reason: null, events: 1, ...times });
      expect(rows.find(({ kind }) => kind === 'LOGIN_PASSWORD_FAILED')).toMatchObject({ result: 'refused', events: 1 });
    });

    it.each([
      ['map-underscore-to-camel-case=false', { reason: null }],
      ['call-setters-on-nulls=false', { firstAt: expect.any(Number) as number, lastAt: expect.any(Number) as number }],
    ])('with mapper.configuration.%s, a row has other members', async (key, members) => {
      const rows = await reasons(`${CONFIGURATION}.${key}`);

      expect(successOf(rows)).toEqual({ kind: 'LOGIN_PASSWORD_OK', result: 'ok', events: 1, ...members });
    });

    it('mapper.type-aliases-package=events.totals selects the rows without times', async () => {
      const rows = await reasons('--mapper.type-aliases-package=events.totals');

      expect(successOf(rows)).toEqual({ kind: 'LOGIN_PASSWORD_OK', result: 'ok', reason: null, events: 1 });
    });

    it('counts the events of a period only', async () => {
      expect((await story.command('events', 'reasons', '--to', '2001-01-01')).stdout).toBe('');
    });
  });

  it('D7: an export over HTTP reads as many rows at a time as mapper.configuration.default-fetch-size says', async () => {
    const before = story.service.log.length;
    const { text } = await admin.send('GET', '/events/export?format=jsonl');
    const exported = text.trimEnd().split('\n').length;
    const sizes = (): readonly number[] =>
      story.service.log.slice(before).flatMap((line) => (line.includes('FROM security_event') ? rowsOf(line) : []));

    await waitUntil('the log has the last statement', () => sizes().some((size) => size < fetchSize));
    expect(exported).toBeGreaterThan(2 * fetchSize);
    expect(sizes()).toEqual([
      ...Array.from({ length: Math.floor(exported / fetchSize) }, () => fetchSize),
      exported % fetchSize,
    ]);
  });
});

function rowsOf(line: string): readonly number[] {
  const [, rows] = /"?\brows"?[=:]\s*(\d+)/.exec(line) ?? [];
  return rows === undefined ? [] : [Number(rows)];
}
