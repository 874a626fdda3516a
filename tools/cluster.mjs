// Runs the stories on a MariaDB Galera cluster of three nodes, which it starts on this machine. `--rounds 20` repeats each
// of them so many times; other arguments go to Vitest and narrow the run down, such as a file or `-t <title>`.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, tokens } = parseArgs({ options: { rounds: { type: 'string' } }, strict: false, tokens: true });
const rounds = values.rounds;
if (rounds !== undefined && !/^[1-9]\d{0,3}$/.test(rounds)) {
  console.error('--rounds takes the number of rounds, for example --rounds 20.');
  process.exit(2);
}
const own = tokens.find(({ kind, name }) => kind === 'option' && name === 'rounds');
const others = process.argv.slice(2).filter((_, index) => !isOwn(index));
const root = dirname(import.meta.dirname);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'cluster', ...others], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...(rounds !== undefined && { CLUSTER_ROUNDS: rounds }) },
});
process.exit(status ?? 1);

/** True for the place of `--rounds` and of its value. */
function isOwn(index) {
  return own !== undefined && (index === own.index || (!own.inlineValue && index === own.index + 1));
}
