import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';

/** Retention of dead letters: a month after the last attempt. */
const KEPT_SECONDS = 30 * 86_400;
expiringTable('webhook_delivery', 'id', KEPT_SECONDS);

/** An event to send. */
export interface NewDelivery {
  readonly id: string;
  /** Events of one queue are sent one after the other. */
  readonly queue: string;
  /** The client id of the application that gets it; empty for the webhook. */
  readonly target: string;
  readonly kind: string;
  readonly body: string;
}

/** An event that is due. */
export interface DueDelivery extends NewDelivery {
  readonly position: number;
  /** Attempts before this one. */
  readonly attempts: number;
  readonly created_at: number;
}

/** The columns that operators see. */
const LISTED = {
  ...{ id: true, kind: true, queue: true, state: true },
  ...{ attempts: true, failure: true, next_at: true, created_at: true },
};

/** A delivery as operators see it. */
export type ListedDelivery = Pick<WebhookDeliveryEntity, keyof typeof LISTED>;

/**
 * Times in epoch seconds. A stored time beyond its limit was written before the clock was set back, and counts as past.
 */
export interface DueTimes {
  readonly now: number;
  /** The latest time for which an attempt can be planned. */
  readonly lastAttempt: number;
  /** The latest time at which a lease can end. */
  readonly lastLease: number;
}

const ADD = `INSERT INTO webhook_delivery
  (id, queue, target, position, kind, body, state, attempts, next_at, leased_until, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, ?, 0, ?, ?)`;
/** Events are relayed one after the other, so a new one is the last of its queue. */
const END_OF_QUEUE = `SELECT MAX(position) AS position, MAX(CASE WHEN state = 'pending' THEN next_at END) AS next_at
  FROM webhook_delivery WHERE queue = ?`;
/**
 * `condition` on `next_at` alone is a range of the index, so that no turn reads all deliveries that have to wait; the index also
 * has the target.
 */
const due = (
  condition: string,
  targets: number,
): string => `SELECT id, queue, target, position, kind, body, attempts, created_at
  FROM webhook_delivery due
  WHERE state = 'pending' AND ${condition}${targets === 0 ? '' : ` AND target NOT IN (${marks(targets)})`} AND leased_until NOT BETWEEN ? AND ? AND NOT EXISTS (
    SELECT 1 FROM webhook_delivery earlier
    WHERE earlier.queue = due.queue AND earlier.state = 'pending' AND earlier.position < due.position)
  ORDER BY next_at LIMIT ?`;
const PASSED = 'next_at <= ?';
const BEFORE_CLOCK_CHANGE = 'next_at > ?';
const LEASE = `UPDATE webhook_delivery SET leased_until = ?, attempts = attempts + 1
  WHERE id = ? AND state = 'pending' AND attempts = ?`;
const DELETE = 'DELETE FROM webhook_delivery WHERE id = ?';
const FAIL = `UPDATE webhook_delivery SET next_at = ?, leased_until = 0, failure = ?
  WHERE id = ? AND state = 'pending' AND attempts = ?`;
const POSTPONE = `UPDATE webhook_delivery SET next_at = ?
  WHERE queue = ? AND state = 'pending' AND position > ? AND next_at < ?`;
const BURY = `UPDATE webhook_delivery SET state = 'dead', leased_until = 0, failure = ?, expires_at = ?
  WHERE id = ? AND state = 'pending' AND attempts = ?`;
const REVIVE = `UPDATE webhook_delivery
  SET state = 'pending', attempts = 0, next_at = ?, leased_until = 0, created_at = ?, expires_at = ? WHERE state = 'dead'`;
const COUNT = 'SELECT state, COUNT(*) AS number FROM webhook_delivery GROUP BY state';

function marks(number: number): string {
  return Array<string>(number).fill('?').join(', ');
}

/** Events that the receiver has not accepted yet. */
@Injectable()
export class WebhookDeliveryStore {
  async add(tx: Tx, { id, queue, target, kind, body }: NewDelivery, now: number, expiresAt: number): Promise<void> {
    const [end] = await tx.rows<{ readonly position: number | null; readonly next_at: number | null }>(END_OF_QUEUE, [
      queue,
    ]);
    const position = (end?.position ?? 0) + 1;
    // Plans the event after the earlier ones of its queue, so that a turn reads few deliveries that must wait.
    const nextAt = Math.max(now, end?.next_at ?? 0);
    await tx.insert(ADD, [id, queue, target, position, kind, body, nextAt, now, expiresAt]);
  }

  /** Deliveries that are due, at most one of each queue, and none to the targets in `except`. */
  async due(
    tx: Tx,
    { now, lastAttempt, lastLease }: DueTimes,
    limit: number,
    except: readonly string[],
  ): Promise<readonly DueDelivery[]> {
    const read = (condition: string, at: number, most: number): Promise<readonly DueDelivery[]> =>
      tx.rows<DueDelivery>(due(condition, except.length), [at, ...except, now + 1, lastLease, most]);
    const passed = await read(PASSED, now, limit);
    if (passed.length === limit) return passed;
    return [...passed, ...(await read(BEFORE_CLOCK_CHANGE, lastAttempt, limit - passed.length))];
  }

  /** Leases the delivery until `until`. Returns false if another process has it: each lease counts an attempt. */
  async lease(tx: Tx, { id, attempts }: DueDelivery, until: number): Promise<boolean> {
    return (await tx.change(LEASE, [until, id, attempts])) === 1;
  }

  async delete(tx: Tx, { id }: DueDelivery): Promise<void> {
    await tx.change(DELETE, [id]);
  }

  /**
   * Plans the next attempt, before which no later event of the queue is tried. After the end of the lease, another process
   * may have decided already.
   */
  async fail(tx: Tx, { id, queue, position, attempts }: DueDelivery, failure: string, nextAt: number): Promise<void> {
    const isOurs = (await tx.change(FAIL, [nextAt, failure, id, attempts + 1])) === 1;
    if (isOurs) await tx.change(POSTPONE, [nextAt, queue, position, nextAt]);
  }

  /** Makes it a dead letter. Returns false if another process has decided already. */
  async bury(tx: Tx, { id, attempts }: DueDelivery, failure: string, now: number): Promise<boolean> {
    return (await tx.change(BURY, [failure, now, id, attempts + 1])) === 1;
  }

  async list(tx: Tx, state: ListedDelivery['state'], after: string, limit: number): Promise<readonly ListedDelivery[]> {
    const deliveries = await tx.repository(WebhookDeliveryEntity);
    const where = { state, id: MoreThan(after) };
    return deliveries.find({ select: LISTED, where, order: { id: 'ASC' }, take: limit });
  }

  /** Makes dead letters pending again: one, or all. Returns their number. */
  revive(tx: Tx, id: string | undefined, now: number, expiresAt: number): Promise<number> {
    const values = [now, now, expiresAt];
    return id === undefined ? tx.change(REVIVE, values) : tx.change(`${REVIVE} AND id = ?`, [...values, id]);
  }

  async counts(tx: Tx): Promise<Readonly<Record<ListedDelivery['state'], number>>> {
    const rows = await tx.rows<{ readonly state: string; readonly number: number }>(COUNT);
    const numberOf = (state: string): number => rows.find((row) => row.state === state)?.number ?? 0;
    return { pending: numberOf('pending'), dead: numberOf('dead') };
  }
}
