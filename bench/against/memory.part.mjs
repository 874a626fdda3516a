// Resident memory of an idle service, and its maximum while clients log in.
import { join } from 'node:path';
import { memoryOf } from '../target/memory.mjs';
import { REAL, Stand } from '../target/stand.mjs';
import { inTurns } from '../turns.mjs';
import { printRatio } from './ratios.mjs';

const LOAD_SECONDS = 8;

export async function memoryPart({ folder, roots }) {
  const turns = {};
  for (const [name, root] of Object.entries(roots)) {
    const stand = await Stand.withUsers({ folder: join(folder, `memory-${name}`), size: 10_000, cost: REAL, root });
    turns[name] = () => memoryOf(stand, { loadSeconds: LOAD_SECONDS });
  }
  const rounds = await inTurns(turns, { rounds: 3, warmUp: 0 });
  for (const [what, member] of [
    ['resident memory when idle', 'idle'],
    ['resident memory under load, maximum', 'most'],
  ]) {
    const values = Object.entries(rounds).map(([name, all]) => [name, all.map((round) => round[member])]);
    printRatio(what, Object.fromEntries(values), { unit: 'MB', better: 'lower' });
  }
}
