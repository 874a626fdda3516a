import { percentile } from '../load/latency.mjs';

/** What came of the requests that were sent in the time that counts, and what arrived in it. */
export class Seen {
  #admitted = [];
  #refused = [];
  #good = 0;
  #oddRefusals = 0;
  sent = 0;
  held = 0;

  /** @param marker what the body of a good answer has in it */
  constructor(marker) {
    this.marker = marker;
  }

  /** An answer in the time that counts, whenever it was asked for. */
  arrival(answer) {
    if (answer?.status === 200 && answer.body.includes(this.marker)) this.#good += 1;
  }

  /** The answer to a request of the time that counts, whenever it came. */
  outcome(answer, millis) {
    if (answer?.status === 200) this.#admitted.push(millis);
    if (answer?.status !== 503) return;
    this.#refused.push(millis);
    const isWhole = /\r\nretry-after: *\d/i.test(answer.head) && /\r\nconnection: *close/i.test(answer.head);
    if (!isWhole) this.#oddRefusals += 1;
  }

  summary(seconds) {
    return {
      /** Good answers per second. */
      rate: this.#good / seconds,
      offered: this.sent / seconds,
      held: this.held,
      oddRefusals: this.#oddRefusals,
      admitted: spread(this.#admitted),
      refused: spread(this.#refused),
    };
  }
}

function spread(times) {
  return times.length === 0 ? {} : { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}
