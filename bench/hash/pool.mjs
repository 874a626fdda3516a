import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';

/** Verifies passwords outside of the event loop, with one worker per core. */
export function hashPool() {
  const threads = availableParallelism();
  return new Piscina({
    filename: fileURLToPath(new URL('verify.worker.mjs', import.meta.url)),
    name: 'verify',
    minThreads: threads,
    maxThreads: threads,
  });
}
