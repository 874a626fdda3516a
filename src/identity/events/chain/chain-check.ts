import type { EventRow } from '../event-line.js';
import type { BatchHash, ChainedBatch, HeadState, PlacedEvent, SealedHead } from './event-batch.js';
import { chainHash } from './event-batch.js';

/**
 * The events of batches of this period are verified; the links between all batches always are, from the last new beginning
 * of the chain before the period on.
 */
export interface VerificationOptions {
  /** Milliseconds since 1970; `from` belongs to the period, `to` does not. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The chain must contain it; an earlier verification has printed it. */
  readonly known?: BatchHash | undefined;
}

/** The outcome of a verification; without problems, the chain is intact. */
export interface Verification {
  /** Sentences for operators, at most `MAX_PROBLEMS`. */
  readonly problems: readonly string[];
  readonly batches: number;
  readonly events: number;
  /** The last batch; undefined without any. */
  readonly head?: BatchHash;
  /** Batches up to this one were deleted by the retention. */
  readonly deleted: number;
  /** True if restored events wait for the service, which has not run since the restore. */
  readonly isJustRestored?: boolean;
}

/** Findings that are listed; further ones are counted. */
const MAX_PROBLEMS = 100;

/** Follows the chain from batch to batch, and collects problems. */
export class ChainCheck {
  private headProblem: string | undefined;
  private readonly problems: string[] = [];
  private unlisted = 0;
  private batches = 0;
  private events = 0;
  private previous: BatchHash;
  private isKnownFound = false;
  private isJustRestored = false;

  constructor(
    private readonly head: SealedHead | undefined,
    private readonly options: VerificationOptions,
  ) {
    const { deleted = 0, deleted_hash = '' } = head ?? {};
    this.previous = { batch: deleted, hash: deleted_hash };
    this.seeKnown(deleted, deleted_hash);
  }

  get hasProblems(): boolean {
    return this.headProblem !== undefined || this.problems.length > 0;
  }

  result(head: SealedHead | undefined): Verification {
    const { headProblem, problems, unlisted, batches, events, isJustRestored } = this;
    return {
      problems: [
        ...(headProblem === undefined ? [] : [headProblem]),
        ...problems,
        ...(unlisted > 0 ? [`${unlisted} further findings are not listed.`] : []),
      ],
      batches,
      events,
      ...(head && { head: { batch: head.batch, hash: head.hash } }),
      deleted: head?.deleted ?? 0,
      ...(isJustRestored && { isJustRestored }),
    };
  }

  headState(state: HeadState, sealKey: string): void {
    if (state === 'changed') {
      this.headProblem =
        'The head of the chain is not authentic: it was changed, or its seal key is another one of that name.';
    }
    if (state === 'unknown key') {
      const key = JSON.stringify(sealKey);
      this.headProblem = `The head of the chain is sealed under ${key}, which app.security.seal.keys does not have.`;
    }
  }

  /** Compares a batch with the one before. */
  link(batch: ChainedBatch): void {
    this.batches += 1;
    const { previous } = this;
    const isNext = batch.batch === previous.batch + 1;
    if (!isNext) this.findMissing(previous.batch + 1, batch.batch - 1);
    this.checkBegin(batch);
    // The hash before the first batch is unknown after the chain has begun again.
    const isKnown = isNext && previous.hash !== '';
    const before = batch.begins === 1 ? '' : isKnown ? previous.hash : undefined;
    if (before !== undefined && chainHash(before, batch) !== batch.hash) {
      this.find(
        `${nameOf(batch)}: its record was changed, or it is not the one that followed batch ${previous.batch}.`,
      );
    }
    this.previous = batch;
    this.seeKnown(batch.batch, batch.hash);
  }

  /** Compares the events of a batch with its hash. */
  content(batch: ChainedBatch, count: number, content: string): void {
    this.events += count;
    const missing = batch.events - count;
    if (missing > 0) this.find(`${nameOf(batch)}: ${missing} of its ${batch.events} events ${are(missing)} missing.`);
    else if (missing < 0) this.find(`${nameOf(batch)}: ${-missing} events were added to its ${batch.events}.`);
    else if (content !== batch.content) this.find(`${nameOf(batch)}: at least one of its events was changed.`);
  }

  /** Compares the last batch with the head. */
  end(): void {
    const { head, previous, options } = this;
    if (!head && this.batches > 0) this.find('The head of the chain is missing.');
    if (head && previous.batch < head.batch) this.findMissing(previous.batch + 1, head.batch);
    else if (head && previous.hash !== head.hash) {
      this.find(`Batch ${head.batch}: its hash is not the one in the head, so batches were replaced.`);
    }
    if (options.known && !this.isKnownFound) {
      const { batch, hash } = options.known;
      this.find(
        batch < (head?.deleted ?? 0)
          ? `Batch ${batch} was deleted by the retention, so ${hash} cannot be compared; give a newer one.`
          : `Batch ${batch} with the hash ${hash} is not in the chain: it was truncated or replaced.`,
      );
    }
  }

  /** Reports batches after the last one. */
  beyond(batch: number): void {
    this.find(`Batch ${batch} follows the last one of the chain: it was added, or an old head was put back.`);
  }

  outside({ id, at, batch }: PlacedEvent): void {
    this.find(`Event ${id} of ${instant(at)} names batch ${batch}, which does not exist: it was added or moved.`);
  }

  /** Restored events are old, and not in the chain before the service runs again. */
  restored(): void {
    this.isJustRestored = true;
  }

  overdue(events: readonly Pick<EventRow, 'id' | 'at'>[]): void {
    const [first] = events;
    this.find(
      `Events of more than a minute ago are not in the chain, such as ${first?.id} of ${instant(first?.at ?? 0)}: the ` +
        'service relays them while it runs. After an update, try again later.',
    );
  }

  private checkBegin(batch: ChainedBatch): void {
    if (batch.begins !== 1 || batch.batch === 1) return;
    const { from = -Infinity } = this.options;
    // Known to the operator, who asks for a later period: what was found before it stays as it is.
    if (batch.at < from) this.forget();
    else if (this.isWithin(batch)) {
      this.find(
        `${nameOf(batch)}: the chain begins again, because its head was not authentic. Nothing protects the batches ` +
          'before it; see the event EVENT_CHAIN_RESTARTED.',
      );
    }
  }

  private forget(): void {
    this.problems.length = 0;
    this.unlisted = 0;
  }

  private isWithin({ at }: ChainedBatch): boolean {
    const { from = -Infinity, to = Infinity } = this.options;
    return at >= from && at < to;
  }

  private findMissing(first: number, last: number): void {
    this.find(first === last ? `Batch ${first} is missing.` : `The batches ${first} to ${last} are missing.`);
  }

  private seeKnown(batch: number, hash: string): void {
    const { known } = this.options;
    if (known?.batch === batch && known.hash === hash) this.isKnownFound = true;
  }

  private find(problem: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
    else this.unlisted += 1;
  }
}

function nameOf({ batch, at, first_id, last_id }: ChainedBatch): string {
  return `Batch ${batch} of ${instant(at)} (events ${first_id} to ${last_id})`;
}

function are(number: number): string {
  return number === 1 ? 'is' : 'are';
}

/** The table may contain anything. */
function instant(millis: number): string {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? String(millis) : date.toISOString();
}
