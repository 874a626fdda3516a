import { hash } from 'node:crypto';
import type { Clock } from '../../../kernel/clock/clock.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx, UnitOfWork, Value } from '../../../platform/persistence/unit-of-work.js';
import type { FailureChange, Failures, FailureStore, Forgetting } from './shared-failures.js';

expiringTable('password_failure', 'id', 0);

/** `remembered` in SQL. MariaDB assigns from left to right, so `last_at` comes after its use. */
const ADD = `UPDATE password_failure SET
  failures = 1 + CASE WHEN ? - last_at >= ? THEN 0
    WHEN last_at >= ? THEN failures
    WHEN failures > (? - last_at) * ? THEN failures - (? - last_at) * ?
    ELSE 0 END,
  last_at = CASE WHEN last_at > ? THEN last_at ELSE ? END,
  expires_at = ?
  WHERE id = ?`;
const INSERT = 'INSERT INTO password_failure (id, failures, last_at, expires_at) VALUES (?, 1, ?, ?)';
const DELETE = 'DELETE FROM password_failure WHERE id = ?';

interface FailureRow {
  readonly id: string;
  readonly failures: number;
  readonly last_at: number | string;
}

/** Table `password_failure`: the failures of a login id, a browser or an address; it shows none of them. */
export class GuessFailureTable implements FailureStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  read(keys: readonly string[]): Promise<ReadonlyMap<string, Failures>> {
    return this.work.single((tx) => this.readIn(tx, keys));
  }

  async readIn(tx: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Failures>> {
    const ids = keys.map(idOf);
    const sql = `SELECT id, failures, last_at FROM password_failure WHERE id IN (${ids.map(() => '?').join(', ')})`;
    const rows = await tx.rows<FailureRow>(sql, ids);
    const found = new Map(rows.map((row) => [row.id, { count: row.failures, lastAt: Number(row.last_at) }]));
    return new Map(
      keys.flatMap((key, at) => {
        const failures = found.get(ids[at] ?? '');
        return failures ? [[key, failures]] : [];
      }),
    );
  }

  async save(changes: readonly FailureChange[]): Promise<void> {
    // Statements of one connection, which sends them without waiting for each response.
    await this.work.single((tx) => Promise.all(changes.map((change) => this.saveOne(tx, change))));
  }

  private async saveOne(tx: Tx, { key, to }: FailureChange): Promise<void> {
    const id = idOf(key);
    if (to === 'none') await tx.change(DELETE, [id]);
    else await this.add(tx, id, to);
  }

  private async add(tx: Tx, id: string, { perMilli, afterMillis }: Forgetting): Promise<void> {
    const now = this.clock.millis();
    const expiresAt = Math.ceil((now + afterMillis) / 1000);
    const values: readonly Value[] = [now, afterMillis, now, now, perMilli, now, perMilli, now, now, expiresAt, id];
    while ((await tx.change(ADD, values)) === 0) {
      if (await tx.insert(INSERT, [id, now, expiresAt])) return;
      // Another replica was faster, so the row is there now.
    }
  }
}

function idOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
