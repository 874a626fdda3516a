import { setTimeout as sleep } from 'node:timers/promises';
import { Visitor } from './visitor.mjs';

/** A request without a response this long after the end counts as unanswered. */
const PATIENCE_MILLIS = 10_000;

/** Base of both kinds of load: visitors that send requests; responses are recorded while `seen` is set. */
export class Load {
  #open = new Set();
  #waiting = new Set();
  #turn = 0;
  seen;
  /** Number of responses by status, also outside of the measured period. */
  statuses = {};
  isOver = false;

  constructor(address, requests) {
    this.address = address;
    this.requests = requests;
  }

  /** Number of visitors that wait for a response. */
  get waiting() {
    return this.#waiting.size;
  }

  newVisitor() {
    const visitor = new Visitor(this.address);
    this.#open.add(visitor);
    return visitor;
  }

  /** Calls back with the visitor if it can send another request, and with the response. */
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
      // The side that closes first keeps the port for a while, so the service closes first.
      if (!stays) this.#open.delete(visitor);
      then(stays ? visitor : undefined, answer);
    });
  }

  async stop() {
    this.isOver = true;
    const limit = performance.now() + PATIENCE_MILLIS;
    while (this.#waiting.size > 0 && performance.now() < limit) await sleep(10);
    for (const visitor of this.#open) visitor.leave();
  }
}
