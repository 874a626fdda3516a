import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { openBroker } from './broker.js';
import { keepFolder } from './kept-process.js';
import { type MariadbAccess, type MariadbServer, startMariadb } from './mariadb-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    readonly runFolder: string;
    readonly broker: string;
  }
}

const BUILD = join(import.meta.dirname, '../../tools/build.mjs');

/** What all test files of a run share: a folder for everything temporary and, made when first asked for, big things. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const runFolder = mkdtempSync(join(tmpdir(), 'login-service-test-'));
  const removeFolder = keepFolder(runFolder);
  let mariadb: Promise<MariadbServer> | undefined;
  let build: Promise<null> | undefined;

  const broker = join(runFolder, 'broker');
  const closeBroker = await openBroker(broker, {
    async mariadb(): Promise<MariadbAccess> {
      const folder = join(runFolder, 'mariadb');
      if (!mariadb) mkdirSync(folder);
      mariadb ??= startMariadb(folder);
      return mariadb;
    },
    build(): Promise<null> {
      build ??= buildWhenStale().finally(() => (build = undefined));
      return build;
    },
  });
  provide('runFolder', runFolder);
  provide('broker', broker);

  return async () => {
    await closeBroker();
    // One that failed to start has been reported by the tests that wanted it.
    await mariadb?.then(
      (server) => server.stop(),
      () => undefined,
    );
    await removeFolder();
  };
}

async function buildWhenStale(): Promise<null> {
  await promisify(execFile)(process.execPath, [BUILD, '--if-stale']);
  return null;
}
