import { Load } from './load.mjs';

/** A number of clients, each of which asks again as soon as it is answered. */
export class ClosedLoop extends Load {
  constructor(address, requests, { clients }) {
    super(address, requests);
    this.clients = clients;
  }

  start() {
    for (let client = 0; client < this.clients; client++) this.#next(this.newVisitor());
  }

  #next(visitor) {
    if (!this.isOver) this.ask(visitor, (kept) => this.#next(kept ?? this.newVisitor()));
  }
}
