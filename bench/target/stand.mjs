import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { hashSync } from '@node-rs/argon2';
import { PASSWORD, Population, writeImportFile } from '../load/population.mjs';
import { takeOver } from '../yardstick/take-over.mjs';
import { NODE_OPTIONS, Program, runCli, startService } from './program.mjs';

const YARDSTICK = fileURLToPath(new URL('../yardstick/server.mjs', import.meta.url));
const HASHES = 4;

/** Costs of a password hash: as packaged, or minimal. */
export const REAL = { memoryKib: 19_456, iterations: 2 };
export const CHEAP = { memoryKib: 128, iterations: 1 };

/** All clients of a bench have one address, and few sessions; limits count their requests, but never reject one. */
const PATIENT = ['target-response-time=0', 'max-wait=1m', 'accept-count=10000'].map(
  (key) => `--server.embedded.${key}`,
);
const UNLIMITED = ['sign-in', 'second-factor', 'recovery', 'sso', 'open']
  .map((group) => `--app.security.rate-limit.${group}.per-address=100000000/1m`)
  .concat('--app.security.refresh.max-rate=off');

export function readyHash({ memoryKib, iterations }) {
  return hashSync(PASSWORD, { memoryCost: memoryKib, timeCost: iterations, parallelism: 1 });
}

/**
 * A service with imported users in its own folder; `database` has the settings of a database server, `root` is the folder of
 * the build if it is not this one. Unless it `isAdaptive`, it admits any number of sign-ins: on a busy machine, a rate would
 * otherwise be that of rejections.
 */
export class Stand {
  static async withUsers({ folder, size, cost, database, secondFactor, root, isAdaptive = false }) {
    mkdirSync(folder, { recursive: true });
    const stand = new Stand({ folder, size, cost, database, root, isAdaptive });
    const hashes = Array.from({ length: HASHES }, () => readyHash(cost));
    const file = join(folder, 'users.csv');
    await writeImportFile(file, { size, hashes, secondFactor });
    await runCli(['users', 'import', file], { root, cwd: folder, settings: stand.settings });
    rmSync(file);
    return stand;
  }

  constructor({ folder, size, cost, database, root, isAdaptive }) {
    this.root = root;
    this.folder = folder;
    this.cost = cost;
    this.database = database;
    this.population = new Population(size);
    this.settings = [
      `--app.security.password.hash.memory=${cost.memoryKib}KB`,
      `--app.security.password.hash.iterations=${cost.iterations}`,
      '--app.security.password.import.min-hash=any',
      ...UNLIMITED,
      // Clients send one token to every route of every build, and earlier builds issue it for one audience only.
      '--app.security.token.accept-resource-api=true',
      ...(isAdaptive ? [] : PATIENT),
      // An older build lacks keys of this one.
      ...(root === undefined ? [] : ['--app.config.unknown-keys=warn']),
      ...(database?.settings ?? []),
    ];
  }

  start({ settings = [], node = [], output } = {}) {
    return startService({ root: this.root, cwd: this.folder, settings: [...this.settings, ...settings], node, output });
  }
}

/** The yardstick on the database of a stand; the service no longer uses it. */
export async function startYardstick({ folder, cost, database }) {
  const sealKey = randomBytes(32).toString('hex');
  const own = database ? { access: database.access } : { file: join(folder, 'data/login.db') };
  await takeOver(own, sealKey);
  const settings = JSON.stringify({ database: own, sealKey, decoy: readyHash(cost) });
  return Program.start([...NODE_OPTIONS, YARDSTICK, settings], {
    cwd: folder,
    announces: /ready: http:\/\/[^\s/]+:(\d+)\//,
  });
}
