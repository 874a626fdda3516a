import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const preload = new URL('loop-delay.preload.mjs', import.meta.url);
const LIMIT_MILLIS = 5000;

/** The delay of another process's event loop, in milliseconds. */
export class LoopDelay {
  #file;

  /** @param file where the process may write */
  constructor(file) {
    this.#file = file;
    const url = new URL(preload);
    url.searchParams.set('file', file);
    /** Arguments for Node in front of the program to be watched. */
    this.nodeArguments = ['--import', url.href];
  }

  /** What was seen since the last call; the first call only begins. */
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
