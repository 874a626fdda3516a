import { describe, inject } from 'vitest';
import type { Server } from './binaries.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Servers that are not on this machine. */
    readonly missing: readonly Server[];
  }
}

/**
 * A `describe` for tests that need real servers: `needs('mariadb')('stores', …)` is skipped, with its hooks, if one of the
 * servers is missing. The `skip` of a tag does not do it: of several tags the last wins, and hooks run all the same.
 */
export function needs(...servers: readonly Server[]): (title: string, tests: () => void) => void {
  const missing = inject('missing');
  const isSkipped = servers.some((server) => missing.includes(server));
  return (title, tests) => {
    describe(title, { tags: ['server', ...servers], ...(isSkipped && { skip: true }) }, tests);
  };
}

/** A `describe` for tests of a server that this machine has, and that no other one needs. */
export function serverTests(title: string, tests: () => void): void {
  describe(title, { tags: ['server'] }, tests);
}
