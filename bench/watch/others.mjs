import { cpus } from 'node:os';
import { median } from '../measure.mjs';

/** A round in which other processes took a larger share of the machine is not usable. */
const MOST_PART = 0.08;
const LEAST_ROUNDS = 3;

/** Measures the share of the machine that other processes take, from the creation of this object on. */
export class Others {
  #busy = busyMillis();
  #start = performance.now();

  /** @param ourMillis processor time that the bench and the measured programs took meanwhile */
  part(ourMillis) {
    const millis = (performance.now() - this.#start) * cpus().length;
    return Math.max(0, (busyMillis() - this.#busy - ourMillis) / millis);
  }
}

export function isDisturbed({ others = 0 }) {
  return others > MOST_PART;
}

/**
 * Selects the rounds in which no measured program was disturbed. Returns all rounds, marked as not quiet, if too few
 * remain.
 */
export function undisturbed(...things) {
  const indexes = Array.from(things[0].keys());
  const quiet = indexes.filter((index) => !things.some((rounds) => isDisturbed(rounds[index])));
  const isQuiet = quiet.length >= LEAST_ROUNDS;
  const kept = isQuiet ? quiet : indexes;
  const parts = kept.flatMap((index) => things.map((rounds) => rounds[index].others));
  const left = indexes.length - kept.length;
  const remark = !isQuiet
    ? ': the following figures are unreliable'
    : left > 0
      ? `, ${left} disturbed rounds skipped`
      : '';
  console.log(`  other processes took ${(100 * median(parts)).toFixed(0)} % of the machine${remark}`);
  return { isQuiet, kept: things.map((rounds) => kept.map((index) => rounds[index])) };
}

/** Busy time of all cores together, in milliseconds since the machine started. */
function busyMillis() {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}
