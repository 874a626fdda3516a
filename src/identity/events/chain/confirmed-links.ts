import { type BatchHash, type ChainedBatch, type ChainHead, continues } from './event-batch.js';

/** Batches of one read; the hash of the last one is kept, 100 bytes for each. */
const BATCHES_OF_PAGE = 1000;

/**
 * Confirms that batches at the beginning of the chain are those that its authentic head depends on. Their records are not
 * authenticated by themselves. The first confirmation follows all links up to the head; later ones follow them up to a
 * batch that an earlier one has passed.
 */
export class ConfirmedLinks {
  /** Batches that lead to an authentic head, in ascending order. */
  private passed: readonly BatchHash[] = [];

  /** `read` returns batches after one number, in ascending order. */
  constructor(private readonly read: (after: number, limit: number) => Promise<readonly ChainedBatch[]>) {}

  /** `first` are the batches after the deleted ones, without a gap. False also if `signal` is aborted. */
  async confirm(head: ChainHead, first: readonly ChainedBatch[], signal?: AbortSignal): Promise<boolean> {
    const from = first.at(-1)?.batch ?? head.deleted;
    const target = this.passed.find(({ batch }) => batch >= from && batch <= head.batch) ?? head;
    const links = new Links({ batch: head.deleted, hash: head.deleted_hash });
    links.follow(first);
    const passed: BatchHash[] = [];
    while (links.last.batch < target.batch) {
      const { batch } = links.last;
      const limit = Math.min(BATCHES_OF_PAGE, target.batch - batch);
      const page = await this.read(batch, limit);
      if (page.length === 0 || signal?.aborted) return false;
      links.follow(page);
      passed.push(links.last);
    }
    const isConfirmed = links.lead(target);
    if (isConfirmed && passed.length > 0) {
      this.passed = [...passed, ...this.passed.filter(({ batch }) => batch > target.batch)];
    }
    return isConfirmed;
  }
}

/** The links from one batch on. */
class Links {
  private isIntact = true;

  constructor(public last: BatchHash) {}

  follow(batches: readonly ChainedBatch[]): void {
    for (const batch of batches) {
      // Nothing protects the batches before one with which the chain begins again.
      const isUnknown = this.last.hash === '' && batch.batch === this.last.batch + 1;
      this.isIntact = (batch.begins === 1 || this.isIntact) && (isUnknown || continues(this.last, batch));
      this.last = { batch: batch.batch, hash: batch.hash };
    }
  }

  lead({ batch, hash }: BatchHash): boolean {
    return this.isIntact && this.last.batch === batch && this.last.hash === hash;
  }
}
