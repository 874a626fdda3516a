import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';

/** Password checks off the event loop, as many at once as there are cores. */
export function hashPool() {
  const threads = availableParallelism();
  return new Piscina({
    filename: fileURLToPath(new URL('verify.worker.mjs', import.meta.url)),
    name: 'verify',
    minThreads: threads,
    maxThreads: threads,
  });
}
