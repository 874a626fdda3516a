import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { openBroker } from '../events/broker.js';
import { keepFolder } from '../programs/kept-process.js';
import type { DatabaseKind } from './binaries.js';
import { type DatabaseServer, type ServerAccess, startDatabaseServer } from '../database/database-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    readonly runFolder: string;
    readonly broker: string;
  }
}

/** The file system in memory on Linux. */
const MEMORY = '/dev/shm';
/** Free bytes that the databases of a run need in memory. */
const MIN_MEMORY_BYTES = 2 ** 31;
const BUILD = join(import.meta.dirname, '../../../tools/build.mjs');

/** Shared resources of a run: a temporary folder, and expensive resources that the first request creates. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = mkdtempSync(join(temporaryRoot(), 'login-service-test-'));
  const removeFolder = keepFolder(runFolder);
  const servers = new Map<DatabaseKind, Promise<DatabaseServer>>();
  let build: Promise<null> | undefined;

  const databaseServer = (kind: DatabaseKind): Promise<ServerAccess> => {
    const known = servers.get(kind);
    if (known) return known;
    const folder = join(runFolder, kind);
    mkdirSync(folder);
    const server = startDatabaseServer(kind, folder);
    servers.set(kind, server);
    return server;
  };

  const broker = join(runFolder, 'broker');
  const closeBroker = await openBroker(broker, {
    mariadb: () => databaseServer('mariadb'),
    mysql: () => databaseServer('mysql'),
    build(): Promise<null> {
      build ??= buildWhenStale();
      return build;
    },
  });
  // One check per run of the tests, since a check costs a process.
  project.onTestsRerun(() => {
    build = undefined;
  });
  project.provide('runFolder', runFolder);
  project.provide('broker', broker);

  return async () => {
    await closeBroker();
    // The tests that requested a server that failed to start have already reported it.
    for (const started of servers.values()) {
      await started.then(
        (server) => server.stop(),
        () => undefined,
      );
    }
    await removeFolder();
  };
}

/** Returns a file system in memory if enough is free, because the databases of a run would mostly wait for the disk. */
function temporaryRoot(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_MEMORY_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function buildWhenStale(): Promise<null> {
  await promisify(execFile)(process.execPath, [BUILD, '--if-stale']);
  return null;
}
