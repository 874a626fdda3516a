// Compares the formulas with the simulation: use and slowest logins of planned systems, and the rate at which each resource is
// the limit.
import { percentile } from '../load/latency.mjs';
import { goal } from '../measure.mjs';
import { limitsOf, needsOf, planFor, slowestMillis, usesOf } from './formula.mjs';
import { saturatedLogins, steadyLogins } from './people.mjs';

const RATES = [100, 300, 1000];
const SECONDS = 30;
const SATURATED_SECONDS = 10;
const MOST_DIFFERENCE = 0.1;
const SIZE = { cores: 4, connections: 10, networkMillis: 0.3 };
/** Systems of three replicas, each of which meets another limit first. */
const LIMITED = {
  cores: { ...SIZE, replicas: 3, databaseCores: 8 },
  'event loops': { ...SIZE, replicas: 3, cores: 16, databaseCores: 8 },
  database: { ...SIZE, replicas: 3, cores: 8, databaseCores: 1 },
  connections: { ...SIZE, replicas: 3, connections: 2, networkMillis: 1, databaseCores: 8 },
};

export function agreementPart(times) {
  const needs = needsOf(times, SIZE);
  for (const perSecond of RATES) planned(times, needs, perSecond);
  for (const [name, plan] of Object.entries(LIMITED)) limited(times, name, plan);
}

function planned(times, needs, perSecond) {
  const plan = planFor(needs, SIZE, perSecond);
  const seen = steadyLogins(times, plan, { perSecond, seconds: SECONDS });
  const of = `${plan.replicas} replicas of ${plan.cores} cores, ${plan.databaseCores} cores of the database`;
  console.log(`  ${perSecond} logins per second on ${of}:`);
  for (const [name, use] of Object.entries(usesOf(needs, plan, perSecond))) {
    agree(`use of ${name} in percent`, 100 * use, 100 * seen.uses[name]);
  }
  agree('p99 in ms', slowestMillis(needs, plan, perSecond), percentile(seen.millis, 0.99));
}

function limited(times, name, plan) {
  const [expected, limit] = Object.entries(limitsOf(needsOf(times, plan), plan)).toSorted((a, b) => a[1] - b[1])[0];
  const { rate, uses } = saturatedLogins(times, plan, { seconds: SATURATED_SECONDS });
  // Connections are also held while their requests wait for another resource.
  const { connections, ...others } = uses;
  const [busiest, use] = Object.entries(others).toSorted((a, b) => b[1] - a[1])[0];
  const met = use < 1 - MOST_DIFFERENCE && connections > use ? 'connections' : busiest;
  goal(`the first limit is ${expected} by the formula, ${met} in the simulation`, expected === name && met === name);
  agree('logins per second at this limit', limit, rate);
}

function agree(what, formula, simulated) {
  goal(
    `${what}: ${formula.toFixed(1)} by the formula, ${simulated.toFixed(1)} in the simulation`,
    Math.abs(formula / simulated - 1) <= MOST_DIFFERENCE,
  );
}
