/** Middle value; of an even number of values, the mean of the two in the middle. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures two actions in turns, so that a slow moment of the machine affects both. Prints medians in milliseconds and the
 * ratio; returns the ratio of the first to the second.
 */
export async function compare(first, second, { rounds, warmUp }) {
  const times = { [first.name]: [], [second.name]: [] };
  for (let round = -warmUp; round < rounds; round++) {
    for (const { name, run } of round % 2 === 0 ? [first, second] : [second, first]) {
      const millis = await run();
      if (round >= 0) times[name].push(millis);
    }
  }
  for (const [name, values] of Object.entries(times)) {
    const range = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
    console.log(`${name.padEnd(44)} median ${median(values).toFixed(2)} ms (${range}, ${values.length} rounds)`);
  }
  const ratio = median(times[first.name]) / median(times[second.name]);
  console.log(`ratio of medians ${ratio.toFixed(2)}`);
  return ratio;
}

/** Prints whether a goal is reached; a missed goal sets the exit code. */
export function goal(text, isReached) {
  console.log(`${isReached ? 'reached' : 'MISSED '}  ${text}`);
  if (!isReached) process.exitCode = 1;
}

/** A goal for a figure that other processes affect: if they were busy, it is printed, not judged, and not reached. */
export function timedGoal(text, isReached, isQuiet) {
  goal(`${text}${isQuiet ? '' : ' (the machine was busy: not judged)'}`, isQuiet && isReached);
}
