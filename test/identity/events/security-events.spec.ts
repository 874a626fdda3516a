import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';

onEveryDatabase('security events', (database) => {
  const recorder = (loggers = new Loggers()): SecurityEvents =>
    new SecurityEvents(new EventStore(), new ManualClock(1_800_000_000), new SystemRandom(), loggers, database.work);

  it('L3: events of one millisecond are read in slices in recorded order, newest first', async () => {
    const events = recorder();
    await database.work.run(async (tx) => {
      for (let number = 0; number < 30; number += 1) {
        await events.record(tx, { kind: 'MFA_FAILED', subject: 'ordered', reason: String(number) });
      }
    });

    const first = await database.work.single((tx) => events.ofUser(tx, 'ordered', { limit: 20 }));
    const after = first.at(-1)?.id ?? '';
    const second = await database.work.single((tx) => events.ofUser(tx, 'ordered', { after, limit: 20 }));

    expect([...first, ...second].map(({ reason }) => Number(reason))).toEqual(
      Array.from({ length: 30 }, (_, index) => 29 - index),
    );
  });

  it('L3: an event contains address, agent and id of its request, and truncates a long agent', async () => {
    const events = recorder();
    const facts = { requestId: 'request-1', ip: '192.0.2.1', agent: 'a'.repeat(4000) };
    await withRequestContext(facts, () =>
      database.work.run((tx) => events.record(tx, { kind: 'MFA_OK', subject: 'asked', amr: ['pwd', 'otp'] })),
    );

    const [event] = await database.work.single((tx) => events.ofUser(tx, 'asked', { limit: 1 }));

    expect(event).toMatchObject({ ip: '192.0.2.1', request_id: 'request-1', amr: 'pwd otp', result: 'ok' });
    expect(event?.agent).toHaveLength(255);
  });

  it('L3: docs/reference/events.md lists the columns of an event', async () => {
    const events = recorder();
    await database.work.run((tx) => events.record(tx, { kind: 'MFA_OK', subject: 'columns' }));
    const [row = {}] = await database.work.single((tx) =>
      tx.rows<object>('SELECT * FROM security_event WHERE user_id = ?', ['columns']),
    );

    const page = readFileSync(new URL('../../../docs/reference/events.md', import.meta.url), 'utf8');
    const cells = Array.from(page.matchAll(/^\| ((?:`[a-z_]+` ?)+) +\|/gm), ([, cell = '']) => cell);
    expect(cells.join(' ').match(/[a-z_]+/g)).toEqual(Object.keys(row));
  });

  it('L3: an event is not stored when its transaction is rolled back', async () => {
    const events = recorder();
    const failing = database.work.run(async (tx) => {
      await events.record(tx, { kind: 'MFA_OK', subject: 'undone' });
      throw new RangeError('stop');
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(await database.work.single((tx) => events.ofUser(tx, 'undone', { limit: 1 }))).toEqual([]);
  });

  it('L3: each committed event is one log line, and a rejected attempt is a warning', async () => {
    const log = new CollectedLog();
    const events = recorder(log.loggers);
    const facts = { requestId: 'request-2', ip: '192.0.2.2', agent: 'a browser' };
    await withRequestContext(facts, () =>
      database.work.run(async (tx) => {
        await events.record(tx, { kind: 'LOGIN_PASSWORD_OK', subject: 'line', amr: ['pwd'] });
        await events.record(tx, { kind: 'MFA_FAILED', subject: 'line', result: 'refused', reason: 'wrong_code' });
        expect(log.lines).toEqual([]);
      }),
    );

    const common = { subject: 'line', ip: '192.0.2.2', requestId: 'request-2' };
    expect(log.lines).toMatchObject([
      {
        logger: 'events',
        level: 'INFO',
        message: 'LOGIN_PASSWORD_OK',
        fields: { ...common, result: 'ok', amr: 'pwd' },
      },
      {
        logger: 'events',
        level: 'WARN',
        message: 'MFA_FAILED',
        fields: { ...common, result: 'refused', reason: 'wrong_code' },
      },
    ]);
    expect(Object.keys(log.lines[0]?.fields ?? {})).not.toContain('actor');
  });

  it('L3: an event that is rolled back is not logged', async () => {
    const log = new CollectedLog();
    const events = recorder(log.loggers);
    const failing = database.work.run(async (tx) => {
      await events.record(tx, { kind: 'MFA_OK', subject: 'undone' });
      throw new RangeError('stop');
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(log.lines).toEqual([]);
  });

  it('listeners of a kind see its events after the commit, and no other kind', async () => {
    const events = recorder();
    const seen: unknown[] = [];
    events.onCommitted('MFA_LOCKED', (event) => seen.push(event));
    await database.work.run(async (tx) => {
      await events.record(tx, { kind: 'MFA_FAILED', subject: 'heard' }, { kind: 'MFA_LOCKED', subject: 'heard' });
      expect(seen).toEqual([]);
    });

    expect(seen).toEqual([{ kind: 'MFA_LOCKED', subject: 'heard' }]);
  });

  it('listeners are not told of an event that is rolled back', async () => {
    const events = recorder();
    const seen: unknown[] = [];
    events.onCommitted('MFA_LOCKED', (event) => seen.push(event));
    const failing = database.work.run(async (tx) => {
      await events.record(tx, { kind: 'MFA_LOCKED', subject: 'undone' });
      throw new RangeError('stop');
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(seen).toEqual([]);
  });

  it('a listener that fails is logged, and neither fails the caller nor silences the next listener', async () => {
    const log = new CollectedLog();
    const events = recorder(log.loggers);
    const defect = new TypeError('no such counter');
    const seen: unknown[] = [];
    events.onCommitted('MFA_LOCKED', () => {
      throw defect;
    });
    events.onCommitted('MFA_LOCKED', ({ subject }) => seen.push(subject));
    await database.work.run((tx) => events.record(tx, { kind: 'MFA_LOCKED', subject: 'kept' }));

    expect(seen).toEqual(['kept']);
    expect(log.lines.at(-1)).toMatchObject({ level: 'ERROR', error: defect, fields: { kind: 'MFA_LOCKED' } });
  });
});
