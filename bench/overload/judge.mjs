import { availableParallelism } from 'node:os';
import { percentile } from '../load/latency.mjs';
import { goal, median, timedGoal } from '../measure.mjs';
import { medianRate, partOf } from '../turns.mjs';
import { undisturbed } from '../watch/others.mjs';

/** Prints what was seen at the peak and under overload, and whether each goal is reached. */
export function judge(name, rounds) {
  const {
    isQuiet,
    kept: [atPeak, overloaded],
  } = undisturbed(rounds.atPeak, rounds.overloaded);
  const peak = medianRate('good logins at the peak', atPeak);
  medianRate('good logins under overload', overloaded);
  const show = (what, of) =>
    console.log(`  ${what.padEnd(40)} ${millis(atPeak, of).text}, under overload ${millis(overloaded, of).text}`);
  show('admitted logins p50', ({ admitted }) => admitted.p50);
  show('admitted logins p99', ({ admitted }) => admitted.p99);
  show('refusals p50', ({ refused }) => refused.p50);
  show('refusals p99', ({ refused }) => refused.p99);
  show('probes p50', ({ probeTimes }) => percentile(probeTimes, 0.5));
  show('probes p99', ({ probeTimes }) => percentile(probeTimes, 0.99));
  show('event-loop delay of the service p99', ({ delay }) => delay.p99);
  show('event-loop delay of the generator p99', ({ generatorDelay }) => generatorDelay);
  const offered = median(overloaded.map((round) => round.offered));
  const held = sum(overloaded.map((round) => round.held));
  console.log(
    `  offered ${offered.toFixed(0)} per second, ${(offered / peak).toFixed(1)} times the peak; ${held} held back`,
  );
  console.log(`  answers at the peak: ${counts(atPeak)}; under overload: ${counts(overloaded)}`);
  const part = partOf(overloaded, atPeak);
  showCosts({ atPeak, overloaded, part });

  const refusals = millis(overloaded, ({ refused }) => refused.p99);
  const admitted = millis(overloaded, (round) => round.admitted.p99);
  timedGoal(`${name}: refusals p99 ${refusals.text}, below 50`, refusals.middle < 50, isQuiet);
  timedGoal(`${name}: admitted logins p99 ${admitted.text}, at most 300`, admitted.middle <= 300, isQuiet);
  timedGoal(`${name}: throughput at 0.80 of the peak or more, better 0.88: ${part.toFixed(3)}`, part >= 0.8, isQuiet);
  const isExpected = ({ statuses }) => Object.keys(statuses).every((status) => status === '200' || status === '503');
  goal(`${name}: nothing but 200 and 503, nobody without an answer`, overloaded.every(isExpected));
  const odd = sum(overloaded.map((round) => round.oddRefusals));
  goal(`${name}: refusals without Retry-After or an end of the connection: ${odd}`, odd === 0);
  const isSeen = ({ probeStatuses }) => probeStatuses.join() === '200';
  goal(`${name}: all probes answered 200`, [...atPeak, ...overloaded].every(isSeen));
}

/** What it costs to send somebody away, and what would be left if the generator had a machine of its own. */
function showCosts({ atPeak, overloaded, part }) {
  const login = median(atPeak.map(({ loopMillis, statuses }) => loopMillis / statuses[200]));
  const refusal = median(
    overloaded.map(({ loopMillis, statuses }) => (loopMillis - login * statuses[200]) / (statuses[503] ?? 0)),
  );
  console.log(`  time of the event loop for a login ${login.toFixed(2)} ms, for a refusal ${refusal.toFixed(3)} ms`);
  const left = (rounds) => availableParallelism() - median(rounds.map(({ generatorShare }) => generatorShare));
  const ofLeft = (part * left(atPeak)) / left(overloaded);
  console.log(`  throughput on what the generator left of the machine: ${ofLeft.toFixed(3)} of the peak`);
}

/** Median over the rounds, and as text with their range. */
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
