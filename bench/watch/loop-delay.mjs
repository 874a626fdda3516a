import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const preload = new URL('loop-delay.preload.mjs', import.meta.url);
const LIMIT_MILLIS = 5000;

/** Measures the event-loop delay of another process, in milliseconds. */
export class LoopDelay {
  #file;

  /** @param file where the process may write */
  constructor(file) {
    this.#file = file;
    const url = new URL(preload);
    url.searchParams.set('file', file);
    /** Arguments for Node, before the program to be measured. */
    this.nodeArguments = ['--import', url.href];
  }

  /** Delay since the previous call; the first call only starts the measurement. */
  async take({ pid }) {
    rmSync(this.#file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const limit = performance.now() + LIMIT_MILLIS;
    for (;;) {
      try {
        return JSON.parse(readFileSync(this.#file, 'utf8'));
      } catch (error) {
        if (performance.now() > limit) throw error;
        await sleep(10);
      }
    }
  }
}
