import { createHash } from 'node:crypto';
import { EVENT_COLUMNS, type EventRow } from '../event-line.js';

/** A stored event and the number of its batch. */
export type BatchedEvent = EventRow & { readonly batch: number };

/** An event and the batch that it names. */
export type PlacedEvent = Pick<BatchedEvent, 'id' | 'at' | 'batch'>;

/** Events that were relayed together; a link of the chain. */
export interface EventBatch {
  /** 1, 2, 3 … */
  readonly batch: number;
  /** 1 if the chain begins here, without a link to earlier batches. */
  readonly begins: number;
  readonly first_id: string;
  readonly last_id: string;
  /** The number of its events. */
  readonly events: number;
  /** When it was relayed, in milliseconds. */
  readonly at: number;
  /** Hash of its events (`BatchContent`). */
  readonly content: string;
}

/** A batch and the hash that chains it to all earlier ones. */
export interface ChainedBatch extends EventBatch {
  readonly hash: string;
}

/** A batch by its number and its hash. */
export type BatchHash = Pick<ChainedBatch, 'batch' | 'hash'>;

/** The row that names the last batch, and the last one that the retention has deleted. */
export interface ChainHead {
  readonly batch: number;
  readonly hash: string;
  readonly deleted: number;
  /** Empty if it is unknown, because the chain began again. */
  readonly deleted_hash: string;
}

/** A head as it is stored, with the id of its seal key. */
export interface SealedHead extends ChainHead {
  readonly seal_key: string;
  readonly mac: string;
}

/** `unknown key`: the head was sealed under a key that is not configured. */
export type HeadState = 'authentic' | 'changed' | 'unknown key';

/** Hash of events in the order of their ids: SHA-256 over one line of JSON for each, with all columns. */
export class BatchContent {
  private readonly hash = createHash('sha256');

  add(row: EventRow): void {
    this.hash.update(`${JSON.stringify(EVENT_COLUMNS.map((column) => row[column]))}\n`);
  }

  digest(): string {
    return this.hash.digest('base64url');
  }
}

/** SHA-256 over the hash of the batch before and all facts of this one, as JSON; `previous` is empty where a chain begins. */
export function chainHash(previous: string, of: EventBatch): string {
  const { batch, begins, first_id, last_id, events, at, content } = of;
  const text = JSON.stringify([previous, batch, begins, first_id, last_id, events, at, content]);
  return createHash('sha256').update(text).digest('base64url');
}

/** True if the record of a batch has its hash, and is the one that followed the batch before. */
export function continues(previous: BatchHash, { hash, ...batch }: ChainedBatch): boolean {
  if (batch.begins === 1) return chainHash('', batch) === hash;
  return batch.batch === previous.batch + 1 && chainHash(previous.hash, batch) === hash;
}
