import { cpus } from 'node:os';
import { median } from '../measure.mjs';

/** A round in which others took more of the machine than this says little. */
const MOST_PART = 0.08;
const LEAST_ROUNDS = 3;

/** What part of the machine other processes take from its creation on. */
export class Others {
  #busy = busyMillis();
  #start = performance.now();

  /** @param ourMillis of processor time that the bench and what it measures took meanwhile */
  part(ourMillis) {
    const millis = (performance.now() - this.#start) * cpus().length;
    return Math.max(0, (busyMillis() - this.#busy - ourMillis) / millis);
  }
}

export function isDisturbed({ others = 0 }) {
  return others > MOST_PART;
}

/**
 * Of things that ran in turns, the rounds in which none was disturbed; all where too few would be left, which is then not
 * quiet.
 */
export function undisturbed(...things) {
  const indexes = Array.from(things[0].keys());
  const quiet = indexes.filter((index) => !things.some((rounds) => isDisturbed(rounds[index])));
  const isQuiet = quiet.length >= LEAST_ROUNDS;
  const kept = isQuiet ? quiet : indexes;
  const parts = kept.flatMap((index) => things.map((rounds) => rounds[index].others));
  const left = indexes.length - kept.length;
  const remark = !isQuiet ? ': what follows counts for little' : left > 0 ? `, ${left} worse rounds left out` : '';
  console.log(`  others took ${(100 * median(parts)).toFixed(0)} % of the machine${remark}`);
  return { isQuiet, kept: things.map((rounds) => kept.map((index) => rounds[index])) };
}

/** All cores together, in milliseconds since the machine started. */
function busyMillis() {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}
