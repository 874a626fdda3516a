// npm run bench -- overload [seconds]: ten times as many sign-ins as the service can hash passwords for: from arrivals at a
// fixed rate, from clients that wait as long as Retry-After says, and from clients that repeat at once. Prints what is served
// in comparison with the peak, how long admitted sign-ins take, and how other requests fare meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Generator } from './generator/generator.mjs';
import { Connection, requestText } from './load/connection.mjs';
import { percentile, Probe } from './load/latency.mjs';
import { loginIdOf, PASSWORD } from './load/population.mjs';
import { refresh } from './load/story.mjs';
import { goal } from './measure.mjs';
import { Program } from './target/program.mjs';
import { readyHash, REAL, Stand } from './target/stand.mjs';
import { LoopDelay } from './watch/loop-delay.mjs';

const USERS = 2000;
const SECONDS = Number(process.argv[2] ?? 60);
const PEAK_SECONDS = 8;
/** The hash workers are always busy, and no sign-in waits for long. */
const CLIENTS_AT_PEAK = 8;
const TIMES_PEAK = 10;
/** Far above the number that waits in the service: a request that is held back counts as not offered. */
const MOST_WAITING = 4000;
/** Responses that the packaged service delays at once. */
const MOST_DELAYED = 1024;
const PROBES_PER_SECOND = 10;
const MOST_PROBE_MILLIS = 50;
const MOST_ADMITTED_MILLIS = 1000;
const MOST_REJECTION_MICROS = 60;
const BARE = fileURLToPath(new URL('overload/bare-rejections.mjs', import.meta.url));
const BARE_SECONDS = 10;
const LOGINS = {
  requests: Array.from({ length: USERS }, (_, index) => signIn(index)),
  marker: '"access_token":',
};

const folder = mkdtempSync(join(tmpdir(), 'bench-overload-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the generator runs on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
const generator = new Generator();
const stand = await Stand.withUsers({ folder, size: USERS, cost: REAL, secondFactor: false, isAdaptive: true });
const loopDelay = new LoopDelay(join(folder, 'loop-delay.json'));
const program = await stand.start({
  settings: ['--app.security.rate-limit.enabled=false'],
  node: loopDelay.nodeArguments,
});
try {
  const rates = [];
  const peak = async () => {
    const seen = await generator.ask(
      { program, loopDelay },
      { kind: 'closed loop', clients: CLIENTS_AT_PEAK, ...LOGINS, seconds: PEAK_SECONDS },
    );
    rates.push(seen);
    return seen;
  };
  const { rate } = await peak();
  const perSecond = TIMES_PEAK * rate;
  const loads = [
    {
      name: 'arrivals at a fixed rate',
      least: 0.9,
      order: { kind: 'open loop', perSecond, mostWaiting: MOST_WAITING },
    },
    // A client that is rejected sends a request each second, or each two seconds if its response is delayed.
    {
      name: 'clients that wait',
      least: 0.9,
      order: { kind: 'closed loop', clients: Math.round(perSecond + Math.min(perSecond, MOST_DELAYED)), waits: true },
    },
    { name: 'clients that repeat at once', least: 0.85, order: { kind: 'closed loop', clients: TIMES_PEAK * 32 } },
  ];
  for (const load of loads) {
    const seen = await underLoad(load.order);
    await peak();
    judge(load, seen, rates.slice(-2));
  }
  await bareRejections(perSecond);
} finally {
  generator.stop();
  await program.stop();
}

/** Cost of a rejection by a program on Node's HTTP server alone, from arrivals at the same rate, while passwords are hashed. */
async function bareRejections(perSecond) {
  const delay = new LoopDelay(join(folder, 'bare-loop-delay.json'));
  const args = [...delay.nodeArguments, BARE, readyHash(REAL), String(availableParallelism())];
  const bare = await Program.start(args, { cwd: folder, announces: /ready: http:\/\/[^\s/]+:(\d+)\// });
  const order = { kind: 'open loop', perSecond, mostWaiting: MOST_WAITING, ...LOGINS, seconds: BARE_SECONDS };
  const seen = await generator.ask({ program: bare, loopDelay: delay }, order);
  await bare.stop();
  const micros = (1000 * seen.loopMillis) / seen.statuses[503];
  console.log(`a program on Node's HTTP server alone: ${micros.toFixed(0)} µs of the event loop for each rejection`);
}

/** Results of the generator and, at the same time, of other requests. */
async function underLoad(order) {
  const connection = await Connection.open(program.address);
  const answer = await connection.send(signIn(0));
  connection.close();
  const access = /"access_token":"([^"]+)"/.exec(answer.body)[1];
  let token = /\r\nset-cookie: *refresh_token=([^;\r]+)/i.exec(answer.head)[1];
  const me = requestText('GET', '/me', { headers: { Authorization: `Bearer ${access}` } });
  const ok = async (on, text) => {
    const { status } = await on.send(text);
    if (status !== 200) throw new Error(`a request that must not suffer got ${status}`);
  };
  const probes = {
    liveness: (on) => ok(on, requestText('GET', '/actuator/health/liveness')),
    refresh: async (on) => {
      token = await refresh(on, token);
    },
    '/me': (on) => ok(on, me),
  };
  const seen = generator.ask({ program, loopDelay }, { ...order, ...LOGINS, seconds: SECONDS });
  const turns = Array.from({ length: SECONDS * PROBES_PER_SECOND }, (_, index) => index);
  const times = {};
  await Promise.all(
    Object.entries(probes).map(async ([name, turn]) => {
      const probe = await Probe.of(program.address, 1);
      times[name] = await probe.times(turns, turn, { perSecond: PROBES_PER_SECOND });
      probe.close();
    }),
  );
  return { ...(await seen), times };
}

function judge({ name, least }, seen, peaks) {
  const peak = (peaks[0].rate + peaks[1].rate) / 2;
  const part = seen.rate / peak;
  const left = (each) => availableParallelism() - each.generatorShare;
  const ofLeft = (part * (left(peaks[0]) + left(peaks[1]))) / 2 / left(seen);
  const refusals = seen.statuses[503] ?? 0;
  const login = peaks[0].loopMillis / (peaks[0].statuses[200] ?? 1);
  const refusal = (seen.loopMillis - login * (seen.statuses[200] ?? 0)) / refusals;
  console.log(
    `${name}: ${seen.offered.toFixed(0)} offered per second, ${seen.rate.toFixed(0)} served (${peak.toFixed(0)} at the peak), ` +
      `${refusals} rejections; ${seen.held} held back; ` +
      `the generator took ${seen.generatorShare.toFixed(2)} of a core (${peaks[0].generatorShare.toFixed(2)} at the peak)`,
  );
  goal(
    `${name}: served ${part.toFixed(3)} of the peak (${ofLeft.toFixed(3)} without the generator), at least ${least}`,
    part >= least,
  );
  const micros = 1000 * refusal;
  goal(
    `${name}: a rejection takes ${micros.toFixed(0)} µs of the event loop, at most ${MOST_REJECTION_MICROS}`,
    micros <= MOST_REJECTION_MICROS,
  );
  goal(
    `${name}: admitted p99 ${seen.admitted.p99.toFixed(0)} ms, at most ${MOST_ADMITTED_MILLIS}`,
    seen.admitted.p99 <= MOST_ADMITTED_MILLIS,
  );
  for (const [probe, times] of Object.entries(seen.times)) {
    const p99 = percentile(times, 0.99);
    goal(`${name}: ${probe} p99 ${p99.toFixed(0)} ms, at most ${MOST_PROBE_MILLIS}`, p99 <= MOST_PROBE_MILLIS);
  }
  const others = Object.entries(seen.statuses).filter(([status]) => status !== '200' && status !== '503');
  if (others.length > 0) console.log(`  other responses: ${JSON.stringify(others)}`);
  goal(`${name}: only 200 and 503, all with Retry-After`, others.length === 0 && seen.oddRefusals === 0);
}

function signIn(index) {
  return requestText('POST', '/login', { body: { id: loginIdOf(index), pw: PASSWORD } });
}
