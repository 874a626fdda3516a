import { Load } from './load.mjs';

/** A number of clients, each of which sends its next request after the response to the previous one. */
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
