const WINDOW_MILLIS = 60_000;
const LIMIT = 10;

/** Counts wrong passwords by key in fixed windows; consulted before each hash. */
export class Throttle {
  #windows = new Map();

  allows(key, now) {
    const window = this.#windows.get(key);
    if (window === undefined) return true;
    if (now - window.start < WINDOW_MILLIS) return window.failures < LIMIT;
    this.#windows.delete(key);
    return true;
  }

  addFailure(key, now) {
    const window = this.#windows.get(key);
    if (window && now - window.start < WINDOW_MILLIS) window.failures += 1;
    else this.#windows.set(key, { start: now, failures: 1 });
  }
}
