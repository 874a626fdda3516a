// Runs every file with property tests on new cases: thirty times the usual number, from a seed drawn for this run.
// `--seed=<number>` repeats a run; other arguments go to Vitest and narrow it down, such as a file or `-t <title>`.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FACTOR = 30;
const root = dirname(import.meta.dirname);
const args = process.argv.slice(2);
const seed = args.find((arg) => arg.startsWith('--seed='))?.slice('--seed='.length) ?? String(randomInt(2 ** 31));
if (!/^-?\d{1,10}$/.test(seed)) {
  console.error('--seed takes the number that an earlier run printed.');
  process.exit(2);
}

const others = args.filter((arg) => !arg.startsWith('--seed='));
const files = globSync('{src,test}/**/*{.,-}spec.ts', { cwd: root }).filter(usesProperties);
const chosen = others.some((arg) => /spec\.ts$/.test(arg)) ? [] : files;
console.log(`Property tests with ${FACTOR} times the usual cases, seed ${seed}.`);

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', `--test-timeout=${FACTOR * 20_000}`, ...chosen, ...others],
  { cwd: root, stdio: 'inherit', env: { ...process.env, EXPLORE_SEED: seed, EXPLORE_FACTOR: String(FACTOR) } },
);
if (status !== 0) {
  console.log(`Seed ${seed} failed. To repeat the run, add --seed=${seed}: npm run test:explore -- --seed=${seed}`);
}
process.exit(status ?? 1);

function usesProperties(file) {
  return readFileSync(join(root, file), 'utf8').includes("runner/property.js'");
}
