import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.mjs';

/** Sends requests at a constant rate on its own connections, without waiting for earlier responses. */
export class Probe {
  #free;
  #waiting = [];

  static async of(address, size = 8) {
    return new Probe(await Promise.all(Array.from({ length: size }, () => Connection.open(address))));
  }

  constructor(connections) {
    this.connections = connections;
    this.#free = [...connections];
  }

  /** Milliseconds from the due time of each run to its end. */
  async times(items, turn, { perSecond }) {
    const start = performance.now();
    const running = [];
    for (const [index, item] of items.entries()) {
      const due = start + (index * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      // A timer that fires late is the generator's delay, not the service's.
      running.push(this.#timed(performance.now(), item, turn));
    }
    return Promise.all(running);
  }

  close() {
    for (const connection of this.connections) connection.close();
  }

  async #timed(start, item, turn) {
    // All connections in turns, because the service closes idle ones after its timeout.
    const connection = this.#free.shift() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
    await turn(connection, item);
    const time = performance.now() - start;
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#free.push(connection);
    return time;
  }
}

export function percentile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)];
}
