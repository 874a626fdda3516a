import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { smallestIdAt } from '../../../kernel/random/random.js';
import { EventStore } from '../event.store.js';
import { ChainSeal } from './chain-seal.service.js';
import { ChainCheck, type Verification, type VerificationOptions } from './chain-check.js';
import { BatchContent, type BatchedEvent, type ChainedBatch, type SealedHead } from './event-batch.js';
import { EventChainStore } from './event-chain.store.js';

/** An event that is not relayed for longer is reported. */
const OVERDUE_MILLIS = 60_000;
const BATCHES_OF_PAGE = 500;
const EVENTS_OF_PAGE = 1000;
/** The retention may delete batches meanwhile. */
const MAX_ATTEMPTS = 3;
const LISTED = 10;

/** Computes the chain of events again, page by page, so that the memory does not depend on its length. */
@Injectable()
export class EventVerification {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: EventStore,
    private readonly chain: EventChainStore,
    private readonly seal: ChainSeal,
    private readonly clock: Clock,
  ) {}

  async verify(options: VerificationOptions): Promise<Verification> {
    for (let attempt = 1; ; attempt += 1) {
      const head = await this.work.single((tx) => this.chain.head(tx));
      const check = await this.check(head, options);
      const isMoved = check.hasProblems && (await this.deleted()) !== (head?.deleted ?? 0);
      if (!isMoved || attempt === MAX_ATTEMPTS) return check.result(head);
    }
  }

  private async deleted(): Promise<number> {
    return (await this.work.single((tx) => this.chain.head(tx)))?.deleted ?? 0;
  }

  private async check(head: SealedHead | undefined, options: VerificationOptions): Promise<ChainCheck> {
    const check = new ChainCheck(head, options);
    if (head) check.headState(this.seal.stateOf(head), head.seal_key);
    let after = head?.deleted ?? 0;
    for (;;) {
      const from = after;
      const page = await this.work.single((tx) => this.chain.after(tx, from, BATCHES_OF_PAGE));
      const batches = page.filter(({ batch }) => head === undefined || batch <= head.batch);
      for (const batch of batches) check.link(batch);
      await this.checkEvents(batches.filter(isWithin(options)), check);
      after = batches.at(-1)?.batch ?? after;
      if (batches.length < BATCHES_OF_PAGE) break;
    }
    check.end();
    await this.checkOutside(head, check);
    return check;
  }

  /** Reads the events of consecutive batches, and compares each batch with its hash. */
  private async checkEvents(batches: readonly ChainedBatch[], check: ChainCheck): Promise<void> {
    const events = this.eventsOf(batches[0]?.batch ?? 0, batches.at(-1)?.batch ?? -1);
    let next = await events.next();
    for (const batch of batches) {
      const content = new BatchContent();
      let count = 0;
      for (; !next.done && next.value.batch <= batch.batch; next = await events.next()) {
        if (next.value.batch < batch.batch) continue;
        content.add(next.value);
        count += 1;
      }
      check.content(batch, count, content.digest());
    }
    await events.return(undefined);
  }

  private async *eventsOf(first: number, last: number): AsyncGenerator<BatchedEvent, undefined> {
    let range = { first, last, afterId: '' };
    while (first <= last) {
      const read = range;
      const page = await this.work.single((tx) => this.store.batched(tx, read, EVENTS_OF_PAGE));
      yield* page;
      const end = page.at(-1);
      if (!end || page.length < EVENTS_OF_PAGE) return;
      range = { first: end.batch, last, afterId: end.id };
    }
  }

  /** Rows that do not belong to the chain, and events that no batch contains. */
  private async checkOutside(head: SealedHead | undefined, check: ChainCheck): Promise<void> {
    const last = head?.batch ?? (await this.work.single((tx) => this.chain.last(tx)));
    const events = await this.work.single((tx) => this.store.beyondChain(tx, last, LISTED));
    const batches = await this.work.single((tx) => this.chain.beyond(tx, last, LISTED));
    // The relay may have added batches before these rows were read, and the head knows them now.
    const now = Math.max(last, (await this.work.single((tx) => this.chain.head(tx)))?.batch ?? 0);
    for (const batch of batches) if (batch > now) check.beyond(batch);
    for (const event of events) if (event.batch > now) check.outside(event);
    const before = await this.work.single((tx) => this.store.beforeChain(tx, head?.deleted ?? 0, LISTED));
    for (const event of before) check.outside(event);
    await this.checkOverdue(check);
  }

  private async checkOverdue(check: ChainCheck): Promise<void> {
    const before = smallestIdAt(Math.max(0, this.clock.millis() - OVERDUE_MILLIS));
    const overdue = await this.work.single((tx) => this.store.overdue(tx, before, LISTED));
    if (overdue.length === 0) return;
    if (await this.work.single((tx) => this.store.isJustRestored(tx))) check.restored();
    else check.overdue(overdue);
  }
}

function isWithin({ from = -Infinity, to = Infinity }: VerificationOptions): (batch: ChainedBatch) => boolean {
  return ({ at }) => at >= from && at < to;
}
