import { median } from '../measure.mjs';

/**
 * Prints the median ratio of the rounds of this build to those of the other, its range, both medians and which direction is
 * `better`, higher or lower.
 */
export function printRatio(what, { now, before }, { unit, better }) {
  const ratios = now.map((value, round) => value / before[round]);
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const [ours, theirs] = [now, before].map((values) => median(values).toFixed(0));
  const measured = `${ours} and ${theirs} ${unit}`;
  console.log(`  ${what.padEnd(44)} ${median(ratios).toFixed(3)} (${range}), ${measured}, ${better} is better`);
}

/** Prints the rates of rounds, and the processor time that the service took for each of its responses. */
export function printRates(what, rounds) {
  const of = (member) => Object.fromEntries(Object.entries(rounds).map(([name, all]) => [name, all.map(member)]));
  printRatio(
    what,
    of(({ rate }) => rate),
    { unit: 'per second', better: 'higher' },
  );
  printRatio(
    `${what}, processor time`,
    of(({ cpuMillis }) => 1000 * cpuMillis),
    { unit: 'microseconds', better: 'lower' },
  );
}
