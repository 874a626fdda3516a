import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.mjs';

export const CLIENTS = 32;
/** Warm-up: no result is counted until every client has a request in progress. */
export const RAMP_MILLIS = 500;

/** Clients with open sockets that repeat one action without a pause. */
export class Crowd {
  #connections;

  static async of(address, size = CLIENTS) {
    return new Crowd(await Promise.all(Array.from({ length: size }, () => Connection.open(address))));
  }

  constructor(connections) {
    this.#connections = connections;
  }

  /** Completed runs of `turn` per second, and the share of a core that the clients took. */
  async rate(turn, seconds) {
    let done = 0;
    const stop = this.#start(async (connection) => {
      await turn(connection);
      done += 1;
    });
    try {
      await Promise.race([sleep(RAMP_MILLIS), stop.failed]);
      const before = { done, at: performance.now(), cpu: process.cpuUsage() };
      await Promise.race([sleep(seconds * 1000), stop.failed]);
      const elapsed = (performance.now() - before.at) / 1000;
      const { user, system } = process.cpuUsage(before.cpu);
      return { rate: (done - before.done) / elapsed, generatorShare: (user + system) / 1e6 / elapsed };
    } finally {
      await stop();
    }
  }

  /** Keeps all clients busy while `other` runs. */
  async during(turn, other) {
    const stop = this.#start(turn);
    try {
      await Promise.race([sleep(RAMP_MILLIS), stop.failed]);
      return await Promise.race([other(), stop.failed]);
    } finally {
      await stop();
    }
  }

  /** Runs `turn` once for each item, on all connections. */
  async each(items, turn) {
    const queue = [...items];
    const results = [];
    await Promise.all(
      this.#connections.map(async (connection) => {
        for (let item = queue.pop(); item !== undefined; item = queue.pop()) results.push(await turn(connection, item));
      }),
    );
    return results;
  }

  close() {
    for (const connection of this.#connections) connection.close();
  }

  #start(turn) {
    let isOver = false;
    const loops = this.#connections.map(async (connection) => {
      while (!isOver) await turn(connection);
    });
    const stop = async () => {
      isOver = true;
      await Promise.allSettled(loops);
    };
    // Settles only if a client fails, which ends the bench.
    stop.failed = new Promise((_, reject) => Promise.all(loops).catch(reject));
    stop.failed.catch(() => undefined);
    return stop;
  }
}
