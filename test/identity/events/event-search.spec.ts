import { describe, expect, it } from 'vitest';
import { EventSearch } from '../../../src/identity/events/event-search.service.js';
import { EventStore } from '../../../src/identity/events/event.store.js';
import type { SecurityEvent } from '../../../src/identity/events/security-event.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { mapperOf } from '../../support/database/mapper.js';

const START = 1_800_000_000;
const at = (seconds: number): number => (START + seconds) * 1000;

/** One event each second. */
const EVENTS: readonly SecurityEvent[] = [
  { kind: 'LOGIN_PASSWORD_OK', subject: 'anna' },
  { kind: 'LOGIN_PASSWORD_FAILED', subject: 'bert', result: 'refused', reason: 'wrong' },
  { kind: 'MFA_OK', subject: 'anna' },
  { kind: 'LOGIN_PASSWORD_FAILED', result: 'refused' },
  { kind: 'LOGIN_PASSWORD_OK', subject: 'bert', detail: { stated: 'yes' } },
  { kind: 'MFA_FAILED', subject: 'anna', result: 'refused' },
];

onEveryDatabase('the search for security events', (database) => {
  const search = (args: readonly string[] = []): EventSearch => new EventSearch(database.work, mapperOf({ args }));
  let isFilled = false;

  async function filled(args?: readonly string[]): Promise<EventSearch> {
    if (!isFilled) {
      isFilled = true;
      for (const [second, event] of EVENTS.entries()) {
        const clock = new ManualClock(START + second);
        const events = new SecurityEvents(new EventStore(), clock, new SystemRandom(), new Loggers(), database.work);
        await database.work.run((tx) => events.record(tx, event));
      }
    }
    return search(args);
  }

  it.each([
    ['no filter', {}, [5, 4, 3, 2, 1, 0]],
    ['a user', { user: 'anna' }, [5, 2, 0]],
    ['a kind', { kind: 'LOGIN_PASSWORD_FAILED' as const }, [3, 1]],
    ['a user and a kind', { user: 'bert', kind: 'LOGIN_PASSWORD_OK' as const }, [4]],
    ['a beginning', { from: at(4) }, [5, 4]],
    ['an end', { to: at(2) }, [1, 0]],
    ['a period', { from: at(1), to: at(4) }, [3, 2, 1]],
    ['a user in a period', { user: 'anna', from: at(1), to: at(4) }, [2]],
    ['a limit', { limit: 2 }, [5, 4]],
    ['an unknown user', { user: "' OR '1'='1" }, []],
  ])('finds events by %s, newest first', async (_, filter, seconds) => {
    const found = await (await filled()).search({ limit: 10, ...filter });

    expect(found.map((event) => event.at)).toEqual(seconds.map(at));
  });

  it.each([
    [4, [4, 2]],
    [6, [6]],
    [0, [6]],
  ])('D7: an export reads default-fetch-size=%s rows at a time', async (size, batches) => {
    const events = await filled([`--mapper.configuration.default-fetch-size=${size}`]);
    const found: number[] = [];

    for await (const rows of events.all({})) found.push(rows.length);

    expect(found).toEqual(batches);
  });

  it('continues after the last event of a page', async () => {
    const events = await filled();
    const first = await events.search({ limit: 4 });
    const rest = await events.search({ limit: 4, after: first.at(-1)?.id });

    expect([...first, ...rest].map((event) => event.at)).toEqual([5, 4, 3, 2, 1, 0].map(at));
  });

  it.each([0, -3, 1000])('a limit of %d is within bounds', async (limit) => {
    expect((await (await filled()).search({ limit })).length).toBe(limit > 0 ? EVENTS.length : 1);
  });

  it.each(['true', 'false'])('an event has all columns, with call-setters-on-nulls=%s', async (value) => {
    const events = await filled([`--mapper.configuration.call-setters-on-nulls=${value}`]);
    const [event] = await events.search({ limit: 1, user: 'bert' });

    expect(event).toMatchObject({ kind: 'LOGIN_PASSWORD_OK', user_id: 'bert', actor: null, amr: null, reason: null });
    expect(event?.detail).toBe('{"stated":"yes"}');
    expect(Object.keys(event ?? {})).toHaveLength(14);
  });

  it('counts events by kind and result in a period', async () => {
    const events = await filled();

    expect(await events.report({ from: at(1), to: at(5) })).toEqual([
      { kind: 'LOGIN_PASSWORD_FAILED', result: 'refused', events: 2 },
      { kind: 'LOGIN_PASSWORD_OK', result: 'ok', events: 1 },
      { kind: 'MFA_OK', result: 'ok', events: 1 },
    ]);
    expect((await events.report({})).reduce((sum, count) => sum + count.events, 0)).toBe(EVENTS.length);
  });

  it('counts by kind, result and reason, with the times of the first and the last event', async () => {
    const events = await filled();
    const refused = { kind: 'LOGIN_PASSWORD_FAILED', result: 'refused', events: 1 };

    expect(await events.reasons({ to: at(5) })).toEqual([
      { ...refused, reason: null, firstAt: at(3), lastAt: at(3) },
      { ...refused, reason: 'wrong', firstAt: at(1), lastAt: at(1) },
      { kind: 'LOGIN_PASSWORD_OK', result: 'ok', reason: null, events: 2, firstAt: at(0), lastAt: at(4) },
      { kind: 'MFA_OK', result: 'ok', reason: null, events: 1, firstAt: at(2), lastAt: at(2) },
    ]);
  });

  if (database.engine !== 'SQLite') return;

  describe('the plan of a search', () => {
    it.each([
      ['a user', { user: 'anna' }, 'USING INDEX security_event_user (user_id=?)'],
      [
        'a user in a period',
        { user: 'anna', from: at(1), to: at(2) },
        'security_event_user (user_id=? AND id>? AND id<?)',
      ],
      ['a period', { from: at(1), to: at(2) }, 'USING PRIMARY KEY (id>? AND id<?)'],
      ['a page', { after: '~' }, 'USING PRIMARY KEY (id<?)'],
    ])('uses an index for %s, and sorts nothing', async (_, filter, expected) => {
      const log = new CollectedLog();
      log.loggers.setLevel('mapper.events', 'DEBUG');
      await new EventSearch(database.work, mapperOf({}, { loggers: log.loggers })).search({ limit: 10, ...filter });
      const sql = log.lines[0]?.message ?? '';
      const values = Array.from(sql.matchAll(/\?/g), () => 1);
      const steps = await database.work.single((tx) =>
        tx.rows<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values),
      );

      expect(steps.map(({ detail }) => detail)).toEqual([expect.stringContaining(expected)]);
    });
  });
});
