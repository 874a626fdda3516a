import { setTimeout as sleep } from 'node:timers/promises';
import { Visitor } from './visitor.mjs';

/** Who has no answer so long after the end never gets one. */
const PATIENCE_MILLIS = 10_000;

/** What both kinds of load have: visitors who ask, and what is seen of the answers while `seen` is set. */
export class Load {
  #open = new Set();
  #waiting = new Set();
  #turn = 0;
  seen;
  /** How many answers had which status, at any time. */
  statuses = {};
  isOver = false;

  constructor(address, requests) {
    this.address = address;
    this.requests = requests;
  }

  /** How many wait for an answer. */
  get waiting() {
    return this.#waiting.size;
  }

  newVisitor() {
    const visitor = new Visitor(this.address);
    this.#open.add(visitor);
    return visitor;
  }

  /** Calls back with the visitor where it can ask again. */
  ask(visitor, then) {
    const { seen } = this;
    if (seen) seen.sent += 1;
    this.#turn = (this.#turn + 1) % this.requests.length;
    this.#waiting.add(visitor);
    const start = performance.now();
    visitor.ask(this.requests[this.#turn], (answer) => {
      const millis = performance.now() - start;
      this.#waiting.delete(visitor);
      const status = answer?.status ?? 'no answer';
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
      this.seen?.arrival(answer);
      seen?.outcome(answer, millis);
      const stays = answer !== undefined && !/\r\nconnection: *close/i.test(answer.head);
      // Whoever closes first keeps the port for a while: that is left to the service.
      if (!stays) this.#open.delete(visitor);
      then(stays ? visitor : undefined);
    });
  }

  async stop() {
    this.isOver = true;
    const limit = performance.now() + PATIENCE_MILLIS;
    while (this.#waiting.size > 0 && performance.now() < limit) await sleep(10);
    for (const visitor of this.#open) visitor.leave();
  }
}
