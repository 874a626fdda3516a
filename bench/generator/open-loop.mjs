import { Load } from './load.mjs';

const TICK_MILLIS = 1;

/** Sends requests at a fixed rate, whatever their outcome, on kept or new connections. */
export class OpenLoop extends Load {
  #kept = [];

  /** @param options.mostWaiting maximum of requests without a response; further ones are held back and counted */
  constructor(address, requests, { perSecond, mostWaiting }) {
    super(address, requests);
    this.perSecond = perSecond;
    this.mostWaiting = mostWaiting;
  }

  start() {
    const start = performance.now();
    let sent = 0;
    const tick = () => {
      if (this.isOver) return;
      const due = ((performance.now() - start) * this.perSecond) / 1000;
      for (; sent < due; sent += 1) this.#send();
      setTimeout(tick, TICK_MILLIS);
    };
    tick();
  }

  #send() {
    if (this.waiting >= this.mostWaiting) {
      if (this.seen) this.seen.held += 1;
      return;
    }
    let visitor = this.#kept.pop();
    while (visitor && !visitor.isOpen) visitor = this.#kept.pop();
    this.ask(visitor ?? this.newVisitor(), (kept) => {
      if (kept) this.#kept.push(kept);
    });
  }
}
