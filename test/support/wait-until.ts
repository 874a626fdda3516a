import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again and again until the answer is neither false, null nor undefined; fails at the limit, saying what was
 * awaited.
 */
export async function waitUntil<T>(
  awaited: string,
  ask: () => T | Promise<T>,
  { limitMillis = 10_000, everyMillis = 20 } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const giveUpAt = performance.now() + limitMillis;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) {
      return answer as Exclude<T, false | null | undefined>;
    }
    if (performance.now() > giveUpAt) throw new Error(`waited ${limitMillis} ms in vain until ${awaited}`);
    await pause(everyMillis);
  }
}
