import { setTimeout as pause } from 'node:timers/promises';

/** Repeats a check until it returns neither false, null nor undefined; fails at the limit and names the condition. */
export async function waitUntil<T>(
  awaited: string,
  ask: () => T | Promise<T>,
  { limitMillis = 30_000, everyMillis = 20 } = {},
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
