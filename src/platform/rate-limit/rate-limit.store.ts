import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock/clock.js';
import { batchesOf } from '../persistence/batch-size.js';
import { expiringTable } from '../persistence/expiring-tables.js';
import type { Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { RateLimitStore } from './rate-limit-store.js';
import { type Charge, type LimitVerdict, verdictOf } from './sliding-window.js';

// Counts are of no use after the window that follows theirs.
expiringTable('rate_limit', 'id', 0);

const ADD = 'UPDATE rate_limit SET hits = hits + ? WHERE id = ? AND hits <= ?';
const INSERT = 'INSERT INTO rate_limit (id, hits, expires_at) VALUES ';
const ROW = '(?, ?, ?)';

/**
 * Maximum difference of the clocks of replicas: near the edge of a window, some of them count in the previous or the
 * next one.
 */
const SKEW_MILLIS = 5000;
/** Maximum number of keys in one statement: its text grows with them, and `CASE` compares each row with all of them. */
const MAX_KEYS = 64;

/** Another replica has added hits between the read and the change of several keys. */
class Overtaken extends Error {}

/** State of the row of a charge, and the hits that it may add. */
interface Addition {
  readonly charge: Charge;
  /** Number of the current window, and the part of it that has passed. */
  readonly window: number;
  readonly elapsed: number;
  readonly previous: number;
  readonly next: number;
  readonly id: string;
  /** Maximum count that the row may reach. */
  readonly limit: number;
  /** Count of the row when it was read; undefined if there was none. */
  readonly current: number | undefined;
}

/**
 * Table `rate_limit`: a row for each key and window, so that no statement has to move counts from one window to the next.
 * One conditional statement adds the hits of all keys of a batch that have a row, and its row count decides; the rows of the
 * others are inserted together. Conflicts at a cluster are repeated by the unit of work.
 */
export class RateLimitTable implements RateLimitStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async charge(charges: readonly Charge[]): Promise<readonly LimitVerdict[]> {
    const verdicts = [];
    for (const batch of batchesOf(charges, MAX_KEYS)) verdicts.push(...(await this.chargeBatch(batch)));
    return verdicts;
  }

  private async chargeBatch(charges: readonly Charge[]): Promise<readonly LimitVerdict[]> {
    // A statement alone needs no transaction, nor does a read.
    if (charges.length === 1 || charges.every(({ hits }) => hits === 0))
      return this.work.single((tx) => this.addTo(tx, charges, addEach));
    try {
      return await this.work.run((tx) => this.addTo(tx, charges, addTogether));
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
    return this.work.run((tx) => this.addTo(tx, charges, addEach));
  }

  private async addTo(
    tx: Tx,
    charges: readonly Charge[],
    add: (tx: Tx, additions: readonly Addition[]) => Promise<readonly Counted[]>,
  ): Promise<readonly LimitVerdict[]> {
    const additions = await this.additionsOf(tx, charges);
    const counted = await add(tx, additions);
    return counted.map(({ addition, admitted, current }) => {
      const { charge, window, elapsed, previous, next } = addition;
      const counts = { window, current: current + next, previous };
      return verdictOf(counts, admitted, elapsed, charge.quota, charge.windowMillis);
    });
  }

  /** Reads the counts of the windows of all keys with one statement. */
  private async additionsOf(tx: Tx, charges: readonly Charge[]): Promise<readonly Addition[]> {
    const now = this.clock.millis();
    const windows = charges.map((charge) => {
      const window = Math.floor(now / charge.windowMillis);
      const elapsed = now / charge.windowMillis - window;
      const before = idOf(charge.key, window - 1);
      // A replica whose clock is ahead may already count in the next window.
      const isAtEnd = (1 - elapsed) * charge.windowMillis < SKEW_MILLIS;
      const after = isAtEnd ? idOf(charge.key, window + 1) : undefined;
      return { charge, window, elapsed, id: idOf(charge.key, window), before, after };
    });
    const counts = await read(
      tx,
      windows.flatMap(({ id, before, after }) => [id, before, ...(after === undefined ? [] : [after])]),
    );
    return windows.map(({ charge, window, elapsed, id, before, after }) => {
      const previous = counts.get(before) ?? 0;
      const next = after === undefined ? 0 : (counts.get(after) ?? 0);
      // Whole units that this window may contain; the row holds no fraction.
      const limit = Math.floor(charge.quota - previous * (1 - elapsed)) - next;
      return { charge, window, elapsed, previous, next, id, limit, current: counts.get(id) };
    });
  }
}

interface Counted {
  readonly addition: Addition;
  readonly admitted: number;
  /** Count of the row, with the admitted hits. */
  readonly current: number;
}

/**
 * Adds the hits of all keys that have enough room together, and those of the others one by one.
 * @throws Overtaken if another replica came first: the transaction must be rolled back
 */
async function addTogether(tx: Tx, additions: readonly Addition[]): Promise<readonly Counted[]> {
  const fitting = additions.filter(hasRoom);
  const known = fitting.filter(({ current }) => current !== undefined);
  if (known.length > 0 && (await tx.change(...additionOf(known))) !== known.length) throw new Overtaken();
  for (const batch of inPowersOfTwo(fitting.filter(({ current }) => current === undefined))) {
    if (!(await insert(tx, batch))) throw new Overtaken();
  }
  const others = await addEach(
    tx,
    additions.filter((addition) => !hasRoom(addition)),
  );
  const ofOthers = others.values();
  return additions.map((addition) =>
    hasRoom(addition)
      ? { addition, admitted: addition.charge.hits, current: (addition.current ?? 0) + addition.charge.hits }
      : (ofOthers.next().value as Counted),
  );
}

function hasRoom({ current = 0, charge, limit }: Addition): boolean {
  return current + charge.hits <= limit;
}

/** Adds as many of the hits of each key as its limit permits. */
async function addEach(tx: Tx, additions: readonly Addition[]): Promise<readonly Counted[]> {
  return Promise.all(additions.map((addition) => addOne(tx, addition)));
}

async function addOne(tx: Tx, addition: Addition): Promise<Counted> {
  const { charge, id, limit } = addition;
  let { current } = addition;
  for (;;) {
    const admitted = Math.min(charge.hits, limit - (current ?? 0));
    if (admitted <= 0) return { addition, admitted: 0, current: current ?? 0 };
    const isAdded =
      current === undefined
        ? await insert(tx, [{ ...addition, charge: { ...charge, hits: admitted } }])
        : (await tx.change(ADD, [admitted, id, limit - admitted])) === 1;
    if (isAdded) return { addition, admitted, current: (current ?? 0) + admitted };
    // Other hits have come first; each turn of the loop means that they took more.
    current = (await read(tx, [id])).get(id);
  }
}

/** False if one of the rows exists. */
function insert(tx: Tx, additions: readonly Addition[]): Promise<boolean> {
  return tx.insert(
    `${INSERT}${additions.map(() => ROW).join(', ')}`,
    additions.flatMap(({ id, window, charge: { hits, windowMillis } }) => [
      id,
      hits,
      Math.ceil(((window + 2) * windowMillis) / 1000),
    ]),
  );
}

/** The statement that adds the hits of several keys to those rows that have room for them, and its values. */
function additionOf(additions: readonly Addition[]): [sql: string, values: readonly (string | number)[]] {
  const rows = padded(additions);
  const cases = `CASE id ${'WHEN ? THEN ? '.repeat(rows.length)}END`;
  const sql = `UPDATE rate_limit SET hits = hits + ${cases} WHERE id IN (${marks(rows)}) AND hits <= ${cases}`;
  return [
    sql,
    [
      ...rows.flatMap(({ id, charge }) => [id, charge.hits]),
      ...rows.map(({ id }) => id),
      ...rows.flatMap(({ id, charge, limit }) => [id, limit - charge.hits]),
    ],
  ];
}

/** The counts of those of the rows that exist. */
async function read(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const all = padded(ids);
  const rows = await tx.rows<{ id: string; hits: number | string }>(
    `SELECT id, hits FROM rate_limit WHERE id IN (${marks(all)})`,
    all,
  );
  return new Map(rows.map(({ id, hits }) => [id, Number(hits)]));
}

/** Batches whose lengths are powers of two, so that there are few texts to prepare. */
function inPowersOfTwo<T>(rows: readonly T[]): readonly (readonly T[])[] {
  if (rows.length === 0) return [];
  const length = 2 ** Math.floor(Math.log2(rows.length));
  return [rows.slice(0, length), ...inPowersOfTwo(rows.slice(length))];
}

/** Repeats the last value up to the next power of two, so that there are few texts to prepare. */
function padded<T>(values: readonly T[]): readonly T[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length }, (_, at) => values[Math.min(at, values.length - 1)] as T);
}

function marks(values: readonly unknown[]): string {
  return Array.from(values, () => '?').join(', ');
}

/** Id of the row of a key and window; a hash, because keys name addresses and users. */
function idOf(key: string, window: number): string {
  return hash('sha256', `${window} ${key}`, 'base64url');
}
