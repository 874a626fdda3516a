import { median } from './measure.mjs';
import { isDisturbed } from './watch/others.mjs';

/** Prints and returns the median of the rates of all rounds. */
export function medianRate(name, rounds, unit = 'per second') {
  const rates = rounds.map((round) => round.rate ?? round);
  const middle = median(rates);
  const shares = rounds.map((round) => round.generatorShare).filter((share) => share !== undefined);
  const asking = shares.length === 0 ? '' : `, asking took ${Math.round(100 * median(shares))} % of a core`;
  const range = `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`;
  console.log(
    `  ${name.padEnd(40)} ${middle.toFixed(0).padStart(6)} ${unit} (${range}, ${rates.length} rounds${asking})`,
  );
  return middle;
}

/** The rate of the first as a share of the second: the median over the rounds, each of which has both. */
export function partOf(first, second) {
  return median(first.map(({ rate }, index) => rate / second[index].rate));
}

/**
 * Runs the compared actions in turns, in another order each round, and returns the results by name. Stops after `rounds`
 * undisturbed rounds, or after `mostRounds`.
 */
export async function inTurns(things, { rounds, warmUp = 1, mostRounds = rounds }) {
  const names = Object.keys(things);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  let quiet = 0;
  for (let round = -warmUp; round < mostRounds && quiet < rounds; round++) {
    const ofRound = [];
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await things[name]();
      ofRound.push(result);
      if (round >= 0) results[name].push(result);
    }
    if (round >= 0 && !ofRound.some(isDisturbed)) quiet += 1;
  }
  return results;
}
