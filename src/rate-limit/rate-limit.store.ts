import { hash } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import { LruMap } from '../collections/lru-map.js';
import { expiringTable } from '../persistence/expiring-tables.js';
import type { Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { RateLimitStore } from './rate-limit-store.js';
import { type Charge, type Verdict, verdictOf } from './sliding-window.js';

// Counts are of no use after the window that follows theirs.
expiringTable('rate_limit', 'id', 0);

const ADD = 'UPDATE rate_limit SET hits = hits + ? WHERE id = ? AND hits <= ?';
const INSERT = 'INSERT INTO rate_limit (id, hits, expires_at) VALUES (?, ?, ?)';
const READ = 'SELECT hits FROM rate_limit WHERE id = ?';
const PROBE = 'SELECT id FROM rate_limit WHERE id = ?';

/** Windows of which the count of the one before is remembered: it does not change any more. */
const CAPACITY = 10_000;
/** Clocks of replicas differ by less: so close to the edge of a window, some of them count in the one before or after it. */
const SKEW_MILLIS = 5000;

/**
 * Table `rate_limit`: a row for each key and window, so that no statement has to move counts from one window to the next.
 * One conditional statement adds hits, and its row count decides; conflicts at a cluster are repeated by the unit of work.
 */
export class RateLimitTable implements RateLimitStore {
  private readonly previous = new LruMap<string, number>(CAPACITY);

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  charge(charges: readonly Charge[]): Promise<readonly Verdict[]> {
    // Statements of one connection, which sends them without waiting for each response.
    return this.work.single((tx) => Promise.all(charges.map((charge) => this.chargeOne(tx, charge))));
  }

  async probe(): Promise<void> {
    await this.work.single((tx) => tx.rows(PROBE, ['']));
  }

  private async chargeOne(tx: Tx, { key, quota, windowMillis, hits }: Charge): Promise<Verdict> {
    const now = this.clock.millis();
    const window = Math.floor(now / windowMillis);
    const elapsed = now / windowMillis - window;
    const previous = await this.previousOf(tx, key, window, elapsed * windowMillis);
    // A replica whose clock is ahead may already count in the next window.
    const next = (1 - elapsed) * windowMillis < SKEW_MILLIS ? await read(tx, idOf(key, window + 1)) : 0;
    // Whole units that this window may contain; the row holds no fraction.
    const limit = Math.floor(quota - previous * (1 - elapsed)) - next;
    const id = idOf(key, window);
    const expiresAt = Math.ceil(((window + 2) * windowMillis) / 1000);
    const { admitted, current } = await add(tx, { id, expiresAt, hits, limit });
    return verdictOf({ window, current: current + next, previous }, admitted, elapsed, quota, windowMillis);
  }

  private async previousOf(tx: Tx, key: string, window: number, sinceMillis: number): Promise<number> {
    const id = idOf(key, window - 1);
    const known = this.previous.get(id);
    if (known !== undefined) return known;
    const count = await read(tx, id);
    if (sinceMillis > SKEW_MILLIS) this.previous.set(id, count);
    return count;
  }
}

interface Addition {
  readonly id: string;
  readonly expiresAt: number;
  readonly hits: number;
  /** Largest count that the row may reach. */
  readonly limit: number;
}

/** Adds as many of the hits as the limit permits. */
async function add(
  tx: Tx,
  { id, expiresAt, hits, limit }: Addition,
): Promise<{ readonly admitted: number; readonly current: number }> {
  let wanted = Math.min(hits, limit);
  while (wanted > 0) {
    // Sent together, so that the usual case takes one round trip.
    const [changed, count] = await Promise.all([tx.change(ADD, [wanted, id, limit - wanted]), read(tx, id)]);
    if (changed === 1) return { admitted: wanted, current: count };
    if (await tx.insert(INSERT, [id, wanted, expiresAt])) return { admitted: wanted, current: wanted };
    // Other hits have come first; each turn of the loop means that they took more.
    wanted = Math.min(wanted, limit - (await read(tx, id)));
  }
  return { admitted: 0, current: await read(tx, id) };
}

async function read(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.rows<{ hits: number | string }>(READ, [id]);
  return Number(row?.hits ?? 0);
}

/** Keys name addresses and users, which the table does not show. */
function idOf(key: string, window: number): string {
  return hash('sha256', `${window} ${key}`, 'base64url');
}
