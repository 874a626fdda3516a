import { percentile } from '../load/latency.mjs';

/** Outcomes of the requests that were sent in the measured period, and responses that arrived in it. */
export class Seen {
  #admitted = [];
  #refused = [];
  #good = 0;
  #oddRefusals = 0;
  sent = 0;
  held = 0;

  /** @param marker text that the body of a correct response contains */
  constructor(marker) {
    this.marker = marker;
  }

  /** Records a response that arrived in the measured period. */
  arrival(answer) {
    if (answer?.status === 200 && answer.body.includes(this.marker)) this.#good += 1;
  }

  /** Records the response to a request that was sent in the measured period. */
  outcome(answer, millis) {
    if (answer?.status === 200) this.#admitted.push(millis);
    if (answer?.status !== 503) return;
    this.#refused.push(millis);
    if (!/\r\nretry-after: *\d/i.test(answer.head)) this.#oddRefusals += 1;
  }

  summary(seconds) {
    return {
      /** Correct responses per second. */
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
