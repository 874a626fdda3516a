import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { isOnThisMachine, SERVERS } from './test/support/runner/binaries.js';
import { SlowFirst } from './test/support/runner/slow-first.js';
import { TotalsReporter } from './test/support/runner/totals-reporter.js';

const missing = new Set(SERVERS.filter((server) => !isOnThisMachine(server)));

/** Specs of plain functions and services. */
const UNIT = ['src/**/*.spec.ts', 'test/**/*.vectors.spec.ts'];

/** Runs only where `OAUTH2_PROXY=1` requests it, since no package of a distribution has the program. */
const WITHOUT_OAUTH2_PROXY = process.env['OAUTH2_PROXY'] === '1' ? [] : ['test/examples/oauth2-proxy.e2e-spec.ts'];

/** Stories on a cluster of three nodes. */
const CLUSTER = ['test/**/*.cluster-spec.ts'];

export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: UNIT },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.spec.ts', 'test/**/*-spec.ts'],
          setupFiles: 'test/support/runner/schema.ts',
          exclude: [...UNIT, ...CLUSTER, ...WITHOUT_OAUTH2_PROXY, 'node_modules'],
        },
      },
      {
        extends: true,
        // After all others and one after the other: nodes that get no processor time exclude each other from the cluster.
        test: {
          name: 'cluster',
          include: CLUSTER,
          setupFiles: 'test/support/runner/schema.ts',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    globalSetup: 'test/support/runner/global-setup.ts',
    // What `needs()` marks, and skips where the machine has no such server.
    tags: [
      { name: 'server', description: 'needs one of the servers below' },
      ...SERVERS.map((server) => ({ name: server, description: `needs ${server}` })),
      { name: 'mysql', description: 'uses a MySQL, where the machine has one' },
    ],
    // The tier `full` is a mode of Vitest: `vitest run --mode full`.
    provide: { missing: [...missing], isFull: mode === 'full' },
    // Files of a worker share its process, and the services that it keeps started: tests change nothing outside themselves.
    isolate: false,
    // One more than cores: a test often waits for programs that it has started.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowFirst },
    reporters: [new TotalsReporter(SERVERS, missing)],
    // As long as `waitUntil` waits.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}));
