import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { kindOf, type HashKind } from './decoys.js';

/** Further kinds are ignored: a hasher with a random cost for each hash produces thousands. */
const MAX_KINDS = 100;
/** Rows that one statement reads. */
const SLICE = 10_000;
/** Rows that are classified in one transaction; a login that writes to one of them waits for its end. */
const BATCH = 200;

const UNCLASSIFIED = `SELECT id, password_hash FROM account WHERE password_kind = 'new' ORDER BY id LIMIT ${BATCH}`;
/** Hashes that one statement classifies. Others are classified one by one, so that only two texts have to be prepared. */
const TOGETHER = 50;
const CLASSIFY_ONE = classifySql(1);
const CLASSIFY_TOGETHER = classifySql(TOGETHER);
const HAS_NONE = "UPDATE account SET password_kind = '' WHERE id = ? AND password_hash IS NULL";
/** Kinds begin with `$`: after the empty one, before `new`. */
const NEXT_KIND = "SELECT MIN(password_kind) AS kind FROM account WHERE password_kind > ? AND password_kind < 'new'";
const COUNT_SLICE =
  'SELECT COUNT(*) AS number, MAX(id) AS last FROM ' +
  `(SELECT id FROM account WHERE password_kind = ? AND id > ? ORDER BY id LIMIT ${SLICE}) AS slice`;

interface HashRow {
  readonly id: string;
  readonly password_hash: string | null;
}

/** Column `account.password_kind`: counts accounts by the kind of their hash, in slices of an index. */
@Injectable()
export class HashKindStore {
  /** Stores the kinds of unclassified hashes; true if there may be more. */
  async classify(tx: Tx): Promise<boolean> {
    const rows = await tx.rows<HashRow>(UNCLASSIFIED);
    const byKind = Map.groupBy(rows, ({ password_hash: hash }) => (hash === null ? undefined : kindOf(hash)));
    for (const [kind, ofKind] of byKind) {
      if (kind === undefined) await Promise.all(ofKind.map(({ id }) => tx.change(HAS_NONE, [id])));
      else await this.classifyAs(tx, kind, ofKind);
    }
    return rows.length === BATCH;
  }

  private async classifyAs(tx: Tx, kind: HashKind, rows: readonly HashRow[]): Promise<void> {
    const change = (sql: string, some: readonly HashRow[]): Promise<number> =>
      tx.change(sql, [kind, ...some.map(({ id }) => id), ...some.map(({ password_hash: hash }) => hash)]);
    const rest = rows.length % TOGETHER;
    const changes = rows.slice(0, rest).map((row) => change(CLASSIFY_ONE, [row]));
    for (let from = rest; from < rows.length; from += TOGETHER) {
      changes.push(change(CLASSIFY_TOGETHER, rows.slice(from, from + TOGETHER)));
    }
    await Promise.all(changes);
  }

  /** All kinds that accounts have, however rare. */
  async kinds(tx: Tx): Promise<readonly HashKind[]> {
    const kinds: HashKind[] = [];
    for (let last = ''; kinds.length < MAX_KINDS;) {
      const [row] = await tx.rows<{ readonly kind: HashKind | null }>(NEXT_KIND, [last]);
      if (!row?.kind) break;
      kinds.push(row.kind);
      last = row.kind;
    }
    return kinds;
  }

  /** Counts the accounts of a kind whose ids follow `after`, up to a limit; `next` is where the next slice begins. */
  async countSlice(
    tx: Tx,
    kind: HashKind,
    after: string,
  ): Promise<{ readonly number: number; readonly next?: string }> {
    const [row] = await tx.rows<{ readonly number: number; readonly last: string | null }>(COUNT_SLICE, [kind, after]);
    const number = row?.number ?? 0;
    return row?.last && number === SLICE ? { number, next: row.last } : { number };
  }
}

/** A row that has another of these hashes has the same kind. A hash that was replaced since it was read stays unclassified. */
function classifySql(number: number): string {
  const marks = Array<string>(number).fill('?').join(', ');
  return `UPDATE account SET password_kind = ? WHERE id IN (${marks}) AND password_hash IN (${marks})`;
}
