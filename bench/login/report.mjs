import { median } from '../measure.mjs';

/** Prints and answers the median of the rates of all rounds. */
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

/** Runs the things to be compared in turns, in another order each round; answers the results of each by name. */
export async function inTurns(things, { rounds, warmUp = 1 }) {
  const names = Object.keys(things);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await things[name]();
      if (round >= 0) results[name].push(result);
    }
  }
  return results;
}
