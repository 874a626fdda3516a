// npm run bench -- overload: ten times as many logins as the service can serve, with the default limits, and for comparison
// with fixed ones. Admitted logins must end within a target, all others must be rejected at once. The generator shares the
// cores with the service; the output shows its share.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Generator } from './generator/generator.mjs';
import { requestText } from './load/connection.mjs';
import { Probe } from './load/latency.mjs';
import { loginIdOf, PASSWORD } from './load/population.mjs';
import { judge, show } from './overload/judge.mjs';
import { REAL, Stand } from './target/stand.mjs';
import { inTurns } from './turns.mjs';
import { LoopDelay } from './watch/loop-delay.mjs';

const USERS = 2000;
const TIMES_CAPACITY = 10;
const ROUNDS = 5;
/** More rounds than needed: other processes on the machine spoil some of them. */
const MOST_ROUNDS = 10;
const SECONDS = 4;
/** The hash workers are always busy, and no login is rejected. */
const CLIENTS_AT_PEAK = 12;
/** Far above the number that waits for a rejection, far below the number that a service without limits would collect. */
const MOST_WAITING = 1000;
const PROBES_PER_SECOND = 20;
const HEALTH = requestText('GET', '/actuator/health/liveness');
const LOGINS = {
  requests: Array.from({ length: USERS }, (_, index) =>
    requestText('POST', '/login', { body: { id: loginIdOf(index), pw: PASSWORD } }),
  ),
  marker: '"access_token":',
};
const SETTINGS = [
  '--app.security.rate-limit.enabled=false',
  // The connections of the peak load stay idle while the overload is measured.
  '--server.embedded.connection-timeout=1h',
];
const FIXED = [
  '--server.embedded.target-response-time=0',
  '--server.embedded.threads.max=24',
  '--server.embedded.accept-count=24',
];
const VARIANTS = [
  { name: 'default', settings: [] },
  { name: 'access log', settings: ['--server.embedded.accesslog.enabled=true'] },
  { name: 'fixed limits', settings: FIXED, isCompared: true },
];

const folder = mkdtempSync(join(tmpdir(), 'bench-overload-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the generator runs on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
const generator = new Generator();
const targets = [];
try {
  for (const variant of VARIANTS) targets.push(await targetOf(variant));
  const results = await inTurns(Object.assign({}, ...targets.map(turnsOf)), {
    rounds: ROUNDS,
    mostRounds: MOST_ROUNDS,
  });
  for (const { name, isCompared } of targets) {
    console.log(isCompared ? `${name}, for comparison:` : `${name}:`);
    const shown = show({ atPeak: results[`${name}, peak`], overloaded: results[`${name}, overload`] });
    if (!isCompared) judge(name, shown);
  }
} finally {
  generator.stop();
  for (const { probe, program } of targets) {
    probe.close();
    await program.stop();
  }
}

async function targetOf({ name, settings, isCompared }) {
  const own = join(folder, name.replaceAll(' ', '-'));
  const stand = await Stand.withUsers({ folder: own, size: USERS, cost: REAL, secondFactor: false, isAdaptive: true });
  const loopDelay = new LoopDelay(join(own, 'loop-delay.json'));
  const program = await stand.start({ settings: [...SETTINGS, ...settings], node: loopDelay.nodeArguments });
  return { name, isCompared, program, loopDelay, probe: await Probe.of(program.address, 2), peak: 0 };
}

function turnsOf(target) {
  const peak = async () => {
    const seen = await watched(target, { kind: 'closed loop', clients: CLIENTS_AT_PEAK });
    target.peak = seen.rate;
    return seen;
  };
  const overload = () => {
    const perSecond = TIMES_CAPACITY * target.peak;
    return watched(target, { kind: 'open loop', perSecond, mostWaiting: MOST_WAITING });
  };
  return { [`${target.name}, peak`]: peak, [`${target.name}, overload`]: overload };
}

/** Results of the generator and, at the same time, of probes. */
async function watched({ probe, ...target }, order) {
  const turns = Array.from({ length: SECONDS * PROBES_PER_SECOND }, (_, index) => index);
  const statuses = new Set();
  const [seen, probeTimes] = await Promise.all([
    generator.ask(target, { ...order, ...LOGINS, seconds: SECONDS }),
    probe.times(turns, async (connection) => statuses.add((await connection.send(HEALTH)).status), {
      perSecond: PROBES_PER_SECOND,
    }),
  ]);
  return { ...seen, probeTimes, probeStatuses: Array.from(statuses) };
}
