// The time from the start of the process to the first response on /, with the compile cache of an earlier start.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { timeToFirstAnswer } from '../target/first-answer.mjs';
import { serviceArguments } from '../target/program.mjs';
import { inTurns } from '../turns.mjs';
import { printRatio } from './ratios.mjs';

const ROUNDS = { rounds: 11, warmUp: 2 };

export async function startPart({ folder, roots }) {
  const turns = Object.entries(roots).map(([name, root]) => [
    name,
    () => {
      const cwd = mkdtempSync(join(folder, 'start-'));
      return timeToFirstAnswer((port) => serviceArguments({ root, settings: [`--server.port=${port}`] }), cwd, {});
    },
  ]);
  const rounds = await inTurns(Object.fromEntries(turns), ROUNDS);
  printRatio('startup on a new embedded database', rounds, { unit: 'ms', better: 'lower' });
}
