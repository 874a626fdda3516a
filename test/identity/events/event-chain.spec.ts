import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { type EventRow, UNBATCHED } from '../../../src/identity/events/event-line.js';
import { BatchContent, type ChainedBatch, chainHash } from '../../../src/identity/events/chain/event-batch.js';
import type { Verification } from '../../../src/identity/events/chain/chain-check.js';
import type { Value } from '../../../src/platform/persistence/unit-of-work.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import { timeOrderedId } from '../../../src/kernel/random/random.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { eventChainParts, SEAL_KEYS } from '../../support/events/event-chain-parts.js';
import { ManualClock } from '../../support/programs/manual-clock.js';

const DAY = 86_400;

onEveryDatabase('the chain of security events', (database) => {
  const clock = new ManualClock(1_800_000_000);
  const chain = () => eventChainParts(database.work, clock);
  const change = (sql: string, ...values: readonly Value[]): Promise<number> =>
    database.work.single((tx) => tx.change(sql, values));
  const rows = <Row>(sql: string): Promise<readonly Row[]> => database.work.single((tx) => tx.rows<Row>(sql));
  const ids = async (batch: number): Promise<readonly string[]> =>
    (await rows<{ id: string }>(`SELECT id FROM security_event WHERE batch = ${batch} ORDER BY id`)).map(
      ({ id }) => id,
    );
  const verify = (options = {}): Promise<Verification> => chain().verification.verify(options);

  beforeEach(async () => {
    for (const table of ['security_event', 'event_batch', 'event_chain']) await change(`DELETE FROM ${table}`);
    clock.advance(DAY);
  });

  /** Batches of three events each, a minute apart. */
  async function batches(number: number): Promise<void> {
    for (let batch = 0; batch < number; batch += 1) {
      // A relay that was slow would split the next events into smaller batches.
      const parts = chain();
      for (const reason of ['a', 'b', 'c']) {
        await parts.record({
          kind: 'MFA_FAILED',
          subject: 'anna',
          result: 'refused',
          reason,
          detail: { batch: `${batch}` },
        });
      }
      await parts.relayAll();
      clock.advance(60);
    }
  }

  /** Computes all hashes from the tables, as a person with access to the database and without the seal key can. */
  async function rewriteHashes(): Promise<string> {
    let previous = '';
    for (const batch of await rows<ChainedBatch>('SELECT * FROM event_batch ORDER BY batch')) {
      const content = new BatchContent();
      const events = await rows<EventRow>(`SELECT * FROM security_event WHERE batch = ${batch.batch} ORDER BY id`);
      for (const event of events) content.add(event);
      const written = { ...batch, events: events.length, content: content.digest() };
      previous = chainHash(previous, written);
      const values = [written.events, written.content, previous, batch.batch];
      await change('UPDATE event_batch SET events = ?, content = ?, hash = ? WHERE batch = ?', ...values);
    }
    return previous;
  }

  it('is intact after batches of events, and an empty one is intact', async () => {
    expect(await verify()).toEqual({ problems: [], batches: 0, events: 0, deleted: 0 });
    await batches(4);

    const head = { batch: 4, hash: expect.stringMatching(/^[\w-]{43}$/) as string };
    expect(await verify()).toEqual({ problems: [], batches: 4, events: 12, head, deleted: 0 });
  });

  it('events that are committed late, with lower ids than a batch has, are in a later batch', async () => {
    await batches(2);
    const late = timeOrderedId(clock.millis() - 90_000, randomBytes(10));
    await change(
      `INSERT INTO security_event (id, at, kind, result, batch) VALUES (?, ?, 'MFA_OK', 'ok', -1)`,
      ...[late, clock.millis() - 90_000],
    );
    await chain().relayAll();

    expect(await ids(3)).toEqual([late]);
    expect(await verify()).toMatchObject({ problems: [], batches: 3, events: 7 });
  });

  it.each<[string, (row: readonly string[]) => [string, ...Value[]], string]>([
    ['a removed event', ([id = '']) => ['DELETE FROM security_event WHERE id = ?', id], '1 of its 3 events is missing'],
    ['removed events', () => ['DELETE FROM security_event WHERE batch = 2'], '3 of its 3 events are missing'],
    [
      'a changed event',
      ([, id = '']) => ["UPDATE security_event SET reason = 'z' WHERE id = ?", id],
      'at least one of its events was changed',
    ],
    [
      'an event that was given another time',
      ([, id = '']) => ['UPDATE security_event SET at = at + 1 WHERE id = ?', id],
      'at least one of its events was changed',
    ],
    [
      'a value that was set to null',
      ([id = '']) => ['UPDATE security_event SET detail = NULL WHERE id = ?', id],
      'at least one of its events was changed',
    ],
    [
      'an added event',
      ([id = '']) => [
        `INSERT INTO security_event (id, at, kind, result, batch) VALUES (?, 1, 'MFA_OK', 'ok', 2)`,
        `${id.slice(0, -1)}x`,
      ],
      '1 events were added to its 3',
    ],
    [
      'an event that was moved to another batch',
      ([id = '']) => ['UPDATE security_event SET batch = 3 WHERE id = ?', id],
      '1 of its 3 events is missing',
    ],
    [
      'a changed record of a batch',
      () => ['UPDATE event_batch SET events = 2 WHERE batch = 2'],
      'its record was changed',
    ],
  ])('L3: verification finds %s, and names the batch', async (_, tamper, problem) => {
    await batches(4);
    const [sql, ...values] = tamper(await ids(2));
    await change(sql, ...values);

    const { problems } = await verify();

    expect(problems.join('\n')).toContain(problem);
    expect(problems[0]).toMatch(/^Batch 2 of 20\d\d-\d\d-\d\dT[\d:.]+Z \(events [\da-f-]{36} to [\da-f-]{36}\): /);
  });

  it('L3: verification finds two events that were exchanged', async () => {
    await batches(3);
    const [first = '', second = ''] = await ids(2);
    await change("UPDATE security_event SET id = 'x' WHERE id = ?", first);
    await change('UPDATE security_event SET id = ? WHERE id = ?', first, second);
    await change("UPDATE security_event SET id = ? WHERE id = 'x'", second);

    expect((await verify()).problems).toEqual([expect.stringContaining('at least one of its events was changed')]);
  });

  it('L3: verification finds a removed batch with its events', async () => {
    await batches(4);
    await change('DELETE FROM security_event WHERE batch = 2');
    await change('DELETE FROM event_batch WHERE batch = 2');

    expect((await verify()).problems).toEqual(['Batch 2 is missing.']);
  });

  it('L3: verification finds two batches that were exchanged', async () => {
    await batches(4);
    for (const [from, to] of [
      [2, 9],
      [3, 2],
      [9, 3],
    ]) {
      await change(`UPDATE event_batch SET batch = ${to} WHERE batch = ${from}`);
      await change(`UPDATE security_event SET batch = ${to} WHERE batch = ${from}`);
    }

    expect((await verify()).problems[0]).toMatch(/^Batch 2 .*its record was changed/);
  });

  it('L3: verification finds a truncated chain, also if the head was set to an earlier batch', async () => {
    await batches(4);
    await change('DELETE FROM security_event WHERE batch > 2');
    await change('DELETE FROM event_batch WHERE batch > 2');
    expect((await verify()).problems).toEqual(['The batches 3 to 4 are missing.']);

    await change('UPDATE event_chain SET batch = 2, hash = (SELECT hash FROM event_batch WHERE batch = 2)');
    expect((await verify()).problems).toEqual([expect.stringContaining('The head of the chain is not authentic')]);

    await change('DELETE FROM event_chain');
    expect((await verify()).problems).toEqual(['The head of the chain is missing.']);
  });

  it('L3: a chain that was truncated to an old copy of its head lacks the head that was noted later', async () => {
    await batches(2);
    const [old] = await rows<Record<string, Value>>('SELECT batch, hash, mac FROM event_chain');
    await batches(2);
    const { head: known } = await verify();
    await change('DELETE FROM security_event WHERE batch > 2');
    await change('DELETE FROM event_batch WHERE batch > 2');
    const { batch = 0, hash = '', mac = '' } = old ?? {};
    await change('UPDATE event_chain SET batch = ?, hash = ?, mac = ?', batch, hash, mac);

    expect((await verify()).problems).toEqual([]);
    expect((await verify({ known })).problems).toEqual([expect.stringMatching(/^Batch 4 .* is not in the chain/)]);
  });

  it('L3: verification finds hashes that were computed again without the seal key', async () => {
    await batches(4);
    await change("DELETE FROM security_event WHERE batch = 2 AND reason = 'b'");
    const hash = await rewriteHashes();
    expect((await verify()).problems).toEqual([expect.stringMatching(/^Batch 4: its hash is not the one in the head/)]);

    await change('UPDATE event_chain SET hash = ?', hash);
    expect((await verify()).problems).toEqual([expect.stringContaining('The head of the chain is not authentic')]);
  });

  it('L3: the relay does not make hashes authentic that were computed again', async () => {
    await batches(4);
    await change("DELETE FROM security_event WHERE batch = 2 AND reason = 'b'");
    await rewriteHashes();
    await batches(1);

    expect((await verify()).problems).toEqual([
      expect.stringMatching(/^Batch 5 .*is not the one that followed batch 4/),
    ]);
  });

  it('L3: verification finds a batch that was added after the last one, and the events that name it', async () => {
    await batches(2);
    await chain().record({ kind: 'MFA_LOCKED' });
    await change(
      `INSERT INTO event_batch (batch, begins, first_id, last_id, events, at, content, hash) SELECT 9, begins, first_id,
        last_id, events, at, content, hash FROM event_batch WHERE batch = 2`,
    );
    await change('UPDATE security_event SET batch = 9 WHERE batch = -1');

    expect((await verify()).problems).toEqual([
      'Batch 9 follows the last one of the chain: it was added, or an old head was put back.',
      expect.stringMatching(/^Event .* names batch 9, which does not exist: it was added or moved\.$/),
    ]);
  });

  it.each([
    ['removed characters after a NUL', 'a\u0000b', 'a'],
    ['a lone surrogate that became another character', 'a\ud800', 'ab'],
    ['a changed character outside of the Basic Multilingual Plane', 'a\u{1f511}', 'a\u{1f512}'],
    ['digits with another spelling', '1e3', '1000'],
    ['an added space at the end', 'a', 'a '],
    ['another case', 'a', 'A'],
  ])('L3: events with unusual texts are intact, and verification finds %s', async (_, agent, changed) => {
    const parts = chain();
    await withRequestContext({ requestId: 'r', ip: '::1', agent }, () => parts.record({ kind: 'MFA_OK' }));
    await parts.relayAll();
    expect(await verify()).toMatchObject({ problems: [], events: 1 });
    await change('UPDATE security_event SET agent = ?', changed);

    expect((await verify()).problems).toEqual([expect.stringContaining('at least one of its events was changed')]);
  });

  it('L3: verification finds an event that names a batch which does not exist', async () => {
    await batches(1);
    await change("INSERT INTO security_event (id, at, kind, result, batch) VALUES ('x', 1, 'MFA_OK', 'ok', 7)");

    expect((await verify()).problems).toEqual([
      'Event x of 1970-01-01T00:00:00.001Z names batch 7, which does not exist: it was added or moved.',
    ]);
  });

  it('L3: verification finds events that were not relayed for more than a minute', async () => {
    await chain().record({ kind: 'MFA_OK' });
    clock.advance(59);
    expect((await verify()).problems).toEqual([]);
    clock.advance(2);

    expect((await verify()).problems).toEqual([expect.stringMatching(/^Events of more than a minute ago are not in/)]);
  });

  it('L3: the relay does not continue a chain whose head was changed: it begins again and records that', async () => {
    await batches(3);
    await change('DELETE FROM security_event WHERE batch = 3');
    await change('DELETE FROM event_batch WHERE batch = 3');
    await change('UPDATE event_chain SET batch = 2, hash = (SELECT hash FROM event_batch WHERE batch = 2)');
    const log = new CollectedLog();
    const meters = new Meters();
    const parts = eventChainParts(database.work, clock, { loggers: log.loggers, meters });
    const told: EventRow[] = [];
    parts.relay.subscribe(['EVENT_CHAIN_RESTARTED'], (_, event) => Promise.resolve(void told.push(event)));
    await parts.record({ kind: 'MFA_OK' });

    await parts.relayAll();

    expect(told).toMatchObject([{ reason: 'head_changed', result: 'refused', detail: '{"batch":"3"}' }]);
    expect(log.lines.filter(({ level }) => level === 'ERROR')).toMatchObject([
      { message: 'The head of the event chain is not authentic; the chain begins again' },
    ]);
    expect(meters.find('events.chain.restarts')?.of().measure()[0]?.value).toBe(1);
    expect((await verify()).problems).toEqual([expect.stringMatching(/^Batch 3 .*the chain begins again/)]);
    const from = clock.millis() + 1;
    clock.advance(60);
    await batches(1);
    expect((await verify({ from })).problems).toEqual([]);
  });

  it('L3: the relay begins again if an old head was put back, and keeps the later batches as evidence', async () => {
    await batches(2);
    const [old] = await rows<Record<string, Value>>('SELECT batch, hash, mac FROM event_chain');
    await batches(2);
    const { batch = 0, hash = '', mac = '' } = old ?? {};
    await change('UPDATE event_chain SET batch = ?, hash = ?, mac = ?', batch, hash, mac);
    expect((await verify()).problems).toContainEqual(
      'Batch 4 follows the last one of the chain: it was added, or an old head was put back.',
    );
    await chain().record({ kind: 'MFA_OK' });
    await chain().relayAll();

    expect(await rows("SELECT reason, detail FROM security_event WHERE kind = 'EVENT_CHAIN_RESTARTED'")).toEqual([
      { reason: 'head_changed', detail: '{"batch":"5"}' },
    ]);
    expect(await verify()).toMatchObject({
      problems: [expect.stringMatching(/^Batch 5 .*the chain begins again/)],
      events: 14,
    });
  });

  it('L3: events after a new beginning are intact although the head of deleted batches was lost', async () => {
    await batches(3);
    clock.advance(DAY);
    await batches(2);
    await chain().retention(1).sweep();
    await change('DELETE FROM event_chain');
    await batches(1);
    const from = clock.millis();
    await batches(1);

    expect((await verify()).problems).toEqual([expect.stringMatching(/^Batch 6 .*the chain begins again/)]);
    expect((await verify({ from })).problems).toEqual([]);
  });

  it('L3: after a new beginning, a period leaves out what was found before it, and nothing that follows', async () => {
    await batches(4);
    await change('UPDATE event_batch SET events = 4 WHERE batch = 2');
    await change('DELETE FROM event_batch WHERE batch = 3');
    await change('DELETE FROM event_chain');
    await batches(1);
    const from = clock.millis();
    await batches(3);

    expect((await verify()).problems).toHaveLength(4);
    expect((await verify({ from })).problems).toEqual([]);
    await change('UPDATE event_batch SET events = 4 WHERE batch = 6');
    expect((await verify({ from: clock.millis() })).problems).toEqual([expect.stringMatching(/^Batch 6 .*changed/)]);
    await change("UPDATE event_chain SET mac = 'x'");
    expect((await verify({ from: clock.millis() })).problems[0]).toContain('The head of the chain is not authentic');
  });

  it('a number that no batch can have does not stop the relay', async () => {
    await batches(1);
    await change('UPDATE security_event SET batch = 9223372036854775807 WHERE batch = 1');
    await change('DELETE FROM event_chain');
    await batches(1);

    expect((await verify()).problems).toContainEqual(
      expect.stringMatching(/names batch 9223372036854775807, which does not exist/),
    );
    expect(await rows("SELECT kind FROM security_event WHERE kind = 'EVENT_CHAIN_RESTARTED'")).toHaveLength(1);
  });

  it('a new beginning that failed is tried again in the next turn', async () => {
    await batches(1);
    await change('DELETE FROM event_chain');
    const parts = chain();
    let isBroken = true;
    parts.relay.subscribe(['MFA_OK'], () =>
      isBroken ? Promise.reject(new RangeError('a defect')) : Promise.resolve(),
    );
    await parts.record({ kind: 'MFA_OK' });
    await expect(parts.relay.relay()).rejects.toThrow(RangeError);
    isBroken = false;

    expect(await parts.relay.relay()).toBe('relayed');
  });

  it('a period limits the verification of events, and not that of the batches', async () => {
    await batches(4);
    const [second] = await rows<{ at: number }>('SELECT at FROM event_batch WHERE batch = 2');
    await change("UPDATE security_event SET reason = 'z' WHERE batch = 2");

    expect((await verify({ from: (second?.at ?? 0) + 1 })).problems).toEqual([]);
    expect((await verify({ to: second?.at ?? 0 })).problems).toEqual([]);
    expect((await verify({ from: second?.at, to: (second?.at ?? 0) + 1 })).problems).toHaveLength(1);
    await change('UPDATE event_batch SET events = 4 WHERE batch = 2');
    expect((await verify({ from: (second?.at ?? 0) + 1 })).problems).toHaveLength(1);
  });

  it('a chain that began under an earlier seal key is intact, also once that key was removed', async () => {
    await batches(2);
    const two = randomBytes(32);
    const rotated = eventChainParts(database.work, clock, { sealKeys: { ...SEAL_KEYS, two } });
    expect((await rotated.verification.verify({})).problems).toEqual([]);
    await rotated.record({ kind: 'KEY_ROTATED' });
    await rotated.relayAll();

    const removed = eventChainParts(database.work, clock, { sealKeys: { two } });
    expect(await removed.verification.verify({})).toMatchObject({ problems: [], batches: 3, events: 7 });
    expect((await verify()).problems).toEqual([expect.stringContaining('is sealed under "two", which')]);
  });

  it('events of before the chain join it in bounded steps, and subscribers do not see them', async () => {
    const number = 2500;
    for (let from = 0; from < number; from += 100) {
      const values = Array.from(
        { length: 100 },
        (_, index) => `('old-${String(from + index).padStart(5, '0')}', 1, 'MFA_OK', 'ok')`,
      );
      await change(`INSERT INTO security_event (id, at, kind, result) VALUES ${values.join(', ')}`);
    }
    const parts = chain();
    const told: EventRow[] = [];
    parts.relay.subscribe(['MFA_OK'], (_, event) => Promise.resolve(void told.push(event)));
    await parts.record({ kind: 'MFA_OK', subject: 'new' });

    const turns = await parts.relayAll();

    expect(turns.filter((turn) => turn === 'filled').length).toBeGreaterThan(2);
    expect(told.map(({ user_id }) => user_id)).toEqual(['new']);
    expect(await verify()).toMatchObject({ problems: [], batches: turns.length, events: number + 1 });
  });

  it('a subscriber sees each event of its kinds once, with all columns', async () => {
    const parts = chain();
    const told: EventRow[] = [];
    parts.relay.subscribe(['MFA_OK', 'MFA_LOCKED'], (_, event) => Promise.resolve(void told.push(event)));
    await parts.record({ kind: 'MFA_OK', subject: 'anna', amr: ['pwd', 'otp'] }, { kind: 'MFA_FAILED' });
    await parts.relayAll();
    await parts.record({ kind: 'MFA_LOCKED', subject: 'anna' });
    await parts.relayAll();

    expect(told.map(({ kind }) => kind)).toEqual(['MFA_OK', 'MFA_LOCKED']);
    const [, stored] = await database.work.single((tx) => parts.events.ofUser(tx, 'anna', { limit: 2 }));
    // The subscriber sees the event before its batch is stored.
    expect(told[0]).toMatchObject({ ...stored, batch: UNBATCHED.new });
  });

  it('what a subscriber stored is rolled back with the batch, and the events are relayed again', async () => {
    await batches(1);
    const parts = chain();
    let isBroken = true;
    parts.relay.subscribe(['MFA_OK'], async (tx) => {
      await parts.events.record(tx, { kind: 'MFA_LOCKED', subject: 'effect' });
      if (isBroken) throw new RangeError('a defect');
    });
    await parts.record({ kind: 'MFA_OK' });

    await expect(parts.relay.relay()).rejects.toThrow(RangeError);
    isBroken = false;
    await parts.relayAll();

    expect(await rows("SELECT kind FROM security_event WHERE user_id = 'effect'")).toHaveLength(1);
    expect((await verify()).problems).toEqual([]);
  });

  it('two replicas that relay under load take each event once, in one chain', async () => {
    const replicas = [chain(), chain(), chain()];
    const told = new Map<string, number>();
    for (const { relay } of replicas) {
      relay.subscribe(['MFA_OK'], (tx, { user_id }) => {
        // Told once per commit, since the work may be repeated.
        tx.afterCommit(() => told.set(user_id ?? '', (told.get(user_id ?? '') ?? 0) + 1));
        return Promise.resolve();
      });
    }
    const number = 300;
    let isRecording = true;
    const relaying = replicas.map(async ({ relay }) => {
      for (let turn = await relay.relay(); isRecording || turn !== 'none'; turn = await relay.relay()) {
        if (turn === 'none') await new Promise(setImmediate);
      }
    });
    await Promise.all(
      Array.from({ length: number }, (_, index) =>
        (replicas[index % 3] ?? chain()).record({ kind: 'MFA_OK', subject: `user-${index}` }),
      ),
    );
    isRecording = false;
    await Promise.all(relaying);

    expect(told.size).toBe(number);
    expect([...told.values()].every((times) => times === 1)).toBe(true);
    expect(await verify()).toMatchObject({ problems: [], events: number });
  });

  it('the retention deletes whole batches, and the rest is still verified', async () => {
    await batches(3);
    clock.advance(DAY);
    await batches(2);
    const { head: known } = await verify();

    expect(await chain().retention(1).sweep()).toBe(9);

    expect(await verify({ known })).toMatchObject({ problems: [], batches: 2, events: 6, deleted: 3 });
    await change('UPDATE event_chain SET deleted = 4, deleted_hash = (SELECT hash FROM event_batch WHERE batch = 4)');
    await change('DELETE FROM security_event WHERE batch = 4');
    await change('DELETE FROM event_batch WHERE batch = 4');
    expect((await verify()).problems).toEqual([expect.stringContaining('The head of the chain is not authentic')]);
  });

  it.each([
    ['changed', () => Promise.resolve('')],
    ['changed, and all hashes computed again', rewriteHashes],
  ])('L3: the retention deletes no event by a record that was %s', async (_, rewrite) => {
    await batches(2);
    clock.advance(DAY);
    await batches(3);
    const log = new CollectedLog();
    const { retention } = eventChainParts(database.work, clock, { loggers: log.loggers });
    await change("UPDATE event_batch SET last_id = '0'");
    await rewrite();

    expect(await retention(1).sweep()).toBe(0);

    expect(log.lines).toMatchObject([{ level: 'ERROR', logger: 'events.retention', fields: { batch: 1 } }]);
    expect(await verify()).toMatchObject({ deleted: 0, events: 15 });
    expect((await verify()).problems).not.toEqual([]);
  });

  it('L3: the retention notices a record that changes after it has deleted earlier ones', async () => {
    await batches(2);
    clock.advance(DAY);
    await batches(2);
    const retention = chain().retention(1);
    expect(await retention.sweep()).toBe(6);
    clock.advance(DAY / 2);
    await batches(1);
    const [recent] = await rows<ChainedBatch>('SELECT * FROM event_batch WHERE batch = 5');
    await change("UPDATE event_batch SET last_id = '0' WHERE batch = 5");
    clock.advance(DAY / 2);

    expect(await retention.sweep()).toBe(0);
    await change('UPDATE event_batch SET last_id = ? WHERE batch = 5', recent?.last_id ?? '');
    expect(await retention.sweep()).toBe(6);
    expect(await verify()).toMatchObject({ deleted: 4, events: 3 });
  });

  it('events of before a new beginning of the chain are deleted by the retention', async () => {
    await batches(2);
    await change('UPDATE event_batch SET events = 4 WHERE batch = 1');
    await change('DELETE FROM event_chain');
    await batches(1);
    clock.advance(2 * DAY);

    expect(await chain().retention(1).sweep()).toBe(10);
    expect(await verify()).toMatchObject({ problems: [], events: 0 });
  });

  it('the retention does not make a changed head authentic', async () => {
    await batches(2);
    clock.advance(2 * DAY);
    await change('UPDATE event_chain SET batch = 1, hash = (SELECT hash FROM event_batch WHERE batch = 1)');

    expect(await chain().retention(1).sweep()).toBe(0);
    expect((await verify()).problems[0]).toContain('The head of the chain is not authentic');
  });

  it('the statements of the relay follow indexes, so that no batch reads the whole table', async () => {
    await batches(100);
    const [id] = await ids(50);
    const isEmbedded = database.engine === 'SQLite';
    const explain = isEmbedded ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const plan = async (sql: string): Promise<string> =>
      JSON.stringify(await database.dataSource.query<object[]>(`${explain} ${sql}`));

    const marks = await plan(`UPDATE security_event SET batch = 7 WHERE id IN ('${id}', '${id}', 'x') AND batch <= 0`);
    const reads = await plan('SELECT * FROM security_event WHERE batch <= 0 ORDER BY batch, id LIMIT 10');

    expect(marks).toMatch(isEmbedded ? /SEARCH security_event USING PRIMARY KEY \(id=\?\)/ : /"key":"PRIMARY"/);
    expect(reads).toMatch(/security_event_batch/);
  });
});
