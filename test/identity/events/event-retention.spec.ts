import { beforeEach, expect, it } from 'vitest';
import type { EventRetention } from '../../../src/identity/events/event-retention.service.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type EventChainParts, eventChainParts } from '../../support/events/event-chain-parts.js';
import { ManualClock } from '../../support/programs/manual-clock.js';

const DAY = 86_400;

onEveryDatabase('retention of security events', (database) => {
  const clock = new ManualClock(1_800_000_000);
  const log = new CollectedLog();
  const { loggers } = log;

  const parts = (): EventChainParts => eventChainParts(database.work, clock, { loggers });
  const retention = (days?: number): EventRetention => parts().retention(days);
  async function record(reasons: readonly string[]): Promise<void> {
    const { record: store, relayAll } = eventChainParts(database.work, clock);
    await store(...reasons.map((reason) => ({ kind: 'MFA_FAILED', subject: 'kept', reason }) as const));
    await relayAll();
  }
  const reasons = async (): Promise<readonly unknown[]> =>
    (
      await database.work.single((tx) =>
        tx.rows<{ reason: string }>("SELECT reason FROM security_event WHERE user_id = 'kept' ORDER BY id"),
      )
    ).map(({ reason }) => reason);

  beforeEach(async () => {
    for (const table of ['security_event', 'event_batch', 'event_chain']) {
      await database.work.single((tx) => tx.change(`DELETE FROM ${table}`));
    }
  });

  it('deletes the events before the limit in batches, keeps all others, and logs the number', async () => {
    await record(Array.from({ length: 300 }, () => 'old'));
    clock.advance(1);
    await record(['at the limit']);
    clock.advance(DAY);
    await record(['new']);

    expect(await retention(1).sweep()).toBe(300);

    expect(await reasons()).toEqual(['at the limit', 'new']);
    expect(log.lines).toMatchObject([
      { logger: 'events.retention', level: 'INFO', message: 'Security events beyond their retention are deleted' },
    ]);
    expect(log.lines[0]?.fields).toEqual({ count: 300, end: new Date(clock.millis() - DAY * 1000).toISOString() });
    expect(await retention(1).sweep()).toBe(0);
    expect(log.lines).toHaveLength(1);
  });

  it('two replicas delete each event once', async () => {
    await record(Array.from({ length: 200 }, () => 'old'));
    clock.advance(3 * DAY);

    const counts = await Promise.all([retention(1), retention(1)].map((task) => task.sweep()));

    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(200);
    expect(await reasons()).toEqual([]);
  });

  it('keeps all events and runs no task without a configured retention', async () => {
    await record(['oldest']);
    clock.advance(10_000 * DAY);
    const [unset, set] = [parts(), parts()];

    expect(await unset.retention().sweep()).toBe(0);
    set.retention(1);

    expect(await reasons()).toEqual(['oldest']);
    expect(unset.tasks.all).toEqual([]);
    expect(set.tasks.all.map(({ target }) => target)).toEqual(['EventRetention.sweep']);
  });

  it('keeps events that are not in the chain yet, and a batch with an event that has not expired', async () => {
    const { events, relayAll } = eventChainParts(database.work, clock);
    await events.recordAlone({ kind: 'MFA_FAILED', subject: 'kept', reason: 'expired' });
    clock.advance(DAY);
    await events.recordAlone({ kind: 'MFA_FAILED', subject: 'kept', reason: 'kept with it' });
    clock.advance(1);

    expect(await retention(1).sweep()).toBe(0);
    await relayAll();
    expect(await retention(1).sweep()).toBe(0);
    clock.advance(DAY);
    expect(await retention(1).sweep()).toBe(2);
  });
});
