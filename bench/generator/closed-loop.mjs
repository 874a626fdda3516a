import { Load } from './load.mjs';

/** A number of clients, each of which sends its next request after the response to the previous one. */
export class ClosedLoop extends Load {
  /** @param options.waits true if a rejected client waits as long as Retry-After says */
  constructor(address, requests, { clients, waits = false }) {
    super(address, requests);
    this.clients = clients;
    this.waits = waits;
  }

  start() {
    for (let client = 0; client < this.clients; client++) this.#next(this.newVisitor());
  }

  #next(visitor) {
    if (this.isOver) return;
    this.ask(visitor, (kept, answer) => {
      const seconds = this.waits ? Number(/\r\nretry-after: *(\d+)/i.exec(answer?.head ?? '')?.[1] ?? 0) : 0;
      const next = () => this.#next(kept?.isOpen ? kept : this.newVisitor());
      if (seconds === 0) next();
      else setTimeout(next, 1000 * seconds);
    });
  }
}
