import { parse } from 'csv-parse/sync';
import { beforeAll, expect, it } from 'vitest';
import { ADMIN, Administrator, OTHERS } from '../../support/login/administrator.js';
import type { HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

onSqlite('exports of the administration', (engine) => {
  const story = storyOn(engine, { people: 1, others: OTHERS });
  let admin: Administrator;
  let browser: HttpClient;
  let paths: readonly string[];

  beforeAll(async () => {
    admin = await Administrator.of(story);
    browser = story.client();
    await browser.post('/session', { id: ADMIN, pw: PASSWORD });
    await browser.post('/2fa/verify', { code: story.nextCode(admin.person) });
    paths = ['/admin/events/export?format=csv', `/admin/users/${await story.subjectOf({ id: ADMIN })}/export`];
  });

  const exports = async (): Promise<number> => {
    const [row] = await story.database.query<{ total: number }>(
      "SELECT COUNT(*) AS total FROM security_event WHERE kind IN ('EVENTS_EXPORTED', 'USER_EXPORTED')",
    );
    return Number(row?.total);
  };

  it.each([
    ['Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site same-site', { 'sec-fetch-site': 'same-site' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
  ])('X8: an export by the cookie of a browser with %s is refused and recorded as none', async (_, headers) => {
    const before = await exports();

    for (const path of paths) {
      expect(await browser.get(path, { headers }), path).toBeRefused(403, 'CROSS_SITE');
    }
    expect(await exports()).toBe(before);
  });

  it.each([
    ['by a link of our own pages', { 'sec-fetch-site': 'same-origin' }],
    ['by hand', { 'sec-fetch-site': 'none' }],
    ['without these headers', {}],
  ])('an export by the cookie of a browser %s is served', async (_, headers) => {
    for (const path of paths) expect(await browser.get(path, { headers }), path).toBeAnswered(200);
  });

  it('X8: no part of a CSV cell behind a tab begins like a formula', async () => {
    const agents = ['x\t=1+1', 'x\t"=1+1', ' =1+1', '\t\t@SUM(A1)'];
    for (const [at, agent] of agents.entries()) {
      await story.database.query(
        `INSERT INTO security_event (id, at, kind, user_id, agent, result)
         VALUES ('00000000-0000-7000-8000-00000000000${at}', 1, 'BACKUP_LOW', 'nobody', '${agent}', 'ok')`,
      );
    }

    const answer = await admin.send('GET', '/events/export?format=csv&user=nobody');

    const [header = [], ...rows]: string[][] = parse(answer.text);
    const cells = rows.map((row) => row[header.indexOf('agent')] ?? '').filter((cell) => cell !== '');
    expect(cells).toHaveLength(agents.length);
    for (const cell of cells) {
      expect(cell).not.toMatch(/^\s*[=+\-@]/);
      expect(cell.split('\t').filter((part) => /^["\s]*[=+\-@]/.test(part))).toEqual([]);
    }
  });
});
