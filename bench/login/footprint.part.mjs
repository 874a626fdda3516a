// (e) Measures startup, memory and disk.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { goal } from '../measure.mjs';
import { memoryOf } from '../target/memory.mjs';
import { REAL, Stand } from '../target/stand.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LOAD_SECONDS = 20;

export async function footprintPart({ folder }) {
  await import('../start.bench.mjs');
  await memory(join(folder, 'memory'));
  await disk(join(folder, 'install'));
}

async function memory(folder) {
  const stand = await Stand.withUsers({ folder, size: 10_000, cost: REAL });
  const { idle, most } = await memoryOf(stand, { loadSeconds: LOAD_SECONDS });
  goal(`resident memory when idle: ${idle.toFixed(0)} MB, at most 115`, idle <= 115);
  goal(`resident memory under load: ${most.toFixed(0)} MB, at most 180`, most <= 180);
}

async function disk(folder) {
  mkdirSync(folder);
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    if (existsSync(join(root, file))) copyFileSync(join(root, file), join(folder, file));
  }
  const args = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', args, { cwd: folder });
  const megabytes = sizeOf(join(folder, 'node_modules')) + sizeOf(join(root, 'dist'), '.compile-cache');
  goal(`production install: ${megabytes.toFixed(0)} MB, at most 110`, megabytes <= 110);
}

/** Size of a folder on disk in MB of 10^6 bytes, without the files that the first startup creates. */
function sizeOf(folder, except = '') {
  const isMeant = ({ parentPath }) => except === '' || !parentPath.startsWith(join(folder, except));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const blocks = entries.filter(isMeant).map((entry) => lstatSync(join(entry.parentPath, entry.name)).blocks);
  return (blocks.reduce((sum, each) => sum + each, 0) * 512) / 1e6;
}
