import { availableParallelism } from 'node:os';
import { percentile } from '../load/latency.mjs';
import { goal, median, timedGoal } from '../measure.mjs';
import { medianRate, partOf } from '../turns.mjs';
import { undisturbed } from '../watch/others.mjs';

/** Prints the results at the peak and under overload, and returns what is judged. */
export function show(rounds) {
  const {
    isQuiet,
    kept: [atPeak, overloaded],
  } = undisturbed(rounds.atPeak, rounds.overloaded);
  const peak = medianRate('good logins at the peak', atPeak);
  medianRate('good logins under overload', overloaded);
  const line = (what, of) =>
    console.log(`  ${what.padEnd(40)} ${millis(atPeak, of).text}, under overload ${millis(overloaded, of).text}`);
  line('admitted logins p50', ({ admitted }) => admitted.p50);
  line('admitted logins p99', ({ admitted }) => admitted.p99);
  line('refusals p50', ({ refused }) => refused.p50);
  line('refusals p99', ({ refused }) => refused.p99);
  line('probes p50', ({ probeTimes }) => percentile(probeTimes, 0.5));
  line('probes p99', ({ probeTimes }) => percentile(probeTimes, 0.99));
  line('event-loop delay of the service p99', ({ delay }) => delay.p99);
  line('event-loop delay of the generator p99', ({ generatorDelay }) => generatorDelay);
  const offered = median(overloaded.map((round) => round.offered));
  const held = sum(overloaded.map((round) => round.held));
  console.log(
    `  offered ${offered.toFixed(0)} per second, ${(offered / peak).toFixed(1)} times the peak; ${held} held back`,
  );
  console.log(`  responses at the peak: ${counts(atPeak)}; under overload: ${counts(overloaded)}`);
  const part = partOf(overloaded, atPeak);
  const partOfLeft = showCosts({ atPeak, overloaded, part });
  return { isQuiet, atPeak, overloaded, part, partOfLeft };
}

/** Prints the outcome of each goal. */
export function judge(name, { isQuiet, atPeak, overloaded, part, partOfLeft }) {
  const refusals = millis(overloaded, ({ refused }) => refused.p99);
  const admitted = millis(overloaded, (round) => round.admitted.p99);
  timedGoal(`${name}: refusals p99 ${refusals.text}, below 50`, refusals.middle < 50, isQuiet);
  timedGoal(`${name}: admitted logins p99 ${admitted.text}, at most 300`, admitted.middle <= 300, isQuiet);
  const throughput = `${part.toFixed(3)} (${partOfLeft.toFixed(3)} without the generator)`;
  timedGoal(`${name}: throughput at 0.85 of the peak or more: ${throughput}`, part >= 0.85, isQuiet);
  const isExpected = ({ statuses }) => Object.keys(statuses).every((status) => status === '200' || status === '503');
  goal(`${name}: only 200 and 503, and a response to every request`, overloaded.every(isExpected));
  const odd = sum(overloaded.map((round) => round.oddRefusals));
  goal(`${name}: rejections without Retry-After: ${odd}`, odd === 0);
  const isSeen = ({ probeStatuses }) => probeStatuses.join() === '200';
  goal(`${name}: all probes got 200`, [...atPeak, ...overloaded].every(isSeen));
}

/** Prints the cost of a rejection; prints and returns the throughput relative to what the generator left of the machine. */
function showCosts({ atPeak, overloaded, part }) {
  const login = median(atPeak.map(({ loopMillis, statuses }) => loopMillis / statuses[200]));
  const refusal = median(
    overloaded.map(({ loopMillis, statuses }) => (loopMillis - login * statuses[200]) / (statuses[503] ?? 0)),
  );
  console.log(`  time of the event loop for a login ${login.toFixed(2)} ms, for a rejection ${refusal.toFixed(3)} ms`);
  const left = (rounds) => availableParallelism() - median(rounds.map(({ generatorShare }) => generatorShare));
  const ofLeft = (part * left(atPeak)) / left(overloaded);
  console.log(`  throughput relative to the processor time that the generator left: ${ofLeft.toFixed(3)} of the peak`);
  return ofLeft;
}

/** Median of the rounds, and a text with their range. */
function millis(rounds, of) {
  const values = rounds.map(of).filter((value) => value !== undefined);
  if (values.length === 0) return { middle: Infinity, text: 'none' };
  const middle = median(values);
  const range = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  return { middle, text: `${middle.toFixed(1)} ms (${range})` };
}

function counts(rounds) {
  const statuses = new Set(rounds.flatMap((round) => Object.keys(round.statuses)));
  const texts = Array.from(statuses, (status) => {
    const count = sum(rounds.map((round) => round.statuses[status] ?? 0));
    return `${count} times ${status}`;
  });
  return texts.join(', ');
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
