import { AsyncLocalStorage } from 'node:async_hooks';
import type { Charge, LimitVerdict } from './sliding-window.js';

interface Caller extends PromiseWithResolvers<LimitVerdict> {
  readonly hits: number;
}

interface Waiting {
  readonly charge: Charge;
  readonly callers: Caller[];
}

/**
 * Sends the charges that arrive in one turn of the event loop, and those that arrive while an earlier batch is on its way,
 * as one batch with one charge for each key: under load, a busy key costs one statement for many requests.
 */
export class ChargeQueue {
  /** A batch is work of many requests: it must run in the context of none of them. */
  private readonly inBackground = AsyncLocalStorage.snapshot();
  private waiting = new Map<string, Waiting>();
  private isBusy = false;

  constructor(private readonly send: (charges: readonly Charge[]) => Promise<readonly LimitVerdict[]>) {}

  charge(charge: Charge): Promise<LimitVerdict> {
    const caller: Caller = { ...Promise.withResolvers<LimitVerdict>(), hits: charge.hits };
    const known = this.waiting.get(charge.key);
    if (known) known.callers.push(caller);
    else this.waiting.set(charge.key, { charge, callers: [caller] });
    if (!this.isBusy) {
      this.isBusy = true;
      this.inBackground(() => setImmediate(() => void this.flush()));
    }
    return caller.promise;
  }

  private async flush(): Promise<void> {
    while (this.waiting.size > 0) {
      const batch = [...this.waiting.values()];
      this.waiting = new Map();
      await this.settle(batch);
    }
    this.isBusy = false;
  }

  private async settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await this.send(batch.map(({ charge, callers }) => ({ ...charge, hits: sumOf(callers) })));
      batch.forEach(({ callers }, at) => {
        const verdict = verdicts[at];
        if (verdict) share(verdict, callers);
        else for (const caller of callers) caller.reject(new TypeError('a charge without a verdict'));
      });
    } catch (error) {
      for (const { callers } of batch) for (const caller of callers) caller.reject(error);
    }
  }
}

function sumOf(callers: readonly Caller[]): number {
  return callers.reduce((sum, { hits }) => sum + hits, 0);
}

/** The first callers are admitted, as far as the admitted hits go. */
function share(verdict: LimitVerdict, callers: readonly Caller[]): void {
  let left = verdict.admitted;
  for (const { hits, resolve } of callers) {
    const admitted = Math.min(hits, left);
    left -= admitted;
    resolve({ ...verdict, admitted });
  }
}
