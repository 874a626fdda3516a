import { describe } from 'vitest';
import type { Server } from './binaries.js';

/** A `describe` for tests that need real servers: `needs('mariadb')('stores', …)` is skipped if the server is missing. */
export function needs(...servers: readonly Server[]): (title: string, tests: () => void) => void {
  return (title, tests) => {
    describe(title, { tags: [...servers] }, tests);
  };
}
