// npm run bench -- log: measures the cost of a log line per request on the route of the http bench, in one service with the
// logger switched on and off in turns; then how long probes wait while the password step is at capacity.
import { Buffer } from 'node:buffer';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Generator } from './generator/generator.mjs';
import { Connection, requestText } from './load/connection.mjs';
import { Crowd } from './load/crowd.mjs';
import { percentile, Probe } from './load/latency.mjs';
import { accessToken, passwordStep } from './load/story.mjs';
import { goal, median, timedGoal } from './measure.mjs';
import { CHEAP, REAL, Stand } from './target/stand.mjs';
import { inTurns, medianRate, partOf } from './turns.mjs';
import { LoopDelay } from './watch/loop-delay.mjs';
import { undisturbed } from './watch/others.mjs';

const CLIENTS = 16;
const ROUNDS = 15;
/** More rounds than needed: other processes on the machine spoil some of them. */
const MOST_ROUNDS = 25;
const SECONDS = 1;
const MOST_COST = 0.12;
const AIMED_COST = 0.08;
const PROBES = 1000;
const PROBES_PER_SECOND = 50;
const MOST_WAIT_MILLIS = 20;
const OPERATOR = 'operator';
const SECRET = 'an operator of the bench';
const SETTINGS = [
  `--management.security.user=${OPERATOR}`,
  `--management.security.password=${SECRET}`,
  '--app.security.rate-limit.enabled=false',
];

const folder = mkdtempSync(join(tmpdir(), 'bench-log-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the generator runs on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
await costPart();
await probePart();

async function costPart() {
  const stand = await Stand.withUsers({ folder: join(folder, 'cost'), size: 10, cost: CHEAP });
  const output = join(folder, 'output.log');
  const loopDelay = new LoopDelay(join(folder, 'loop-delay.json'));
  const program = await stand.start({ settings: SETTINGS, node: loopDelay.nodeArguments, output });
  const generator = new Generator();
  const operator = await Connection.open(program.address);
  try {
    const headers = { Authorization: `Bearer ${await accessToken(operator, stand.population)}` };
    const route = { requests: [requestText('GET', '/me/settlement', { headers })], marker: '"sub":' };
    const asked = async (level) => {
      await setLevel(operator, level);
      const order = { kind: 'closed loop', clients: CLIENTS, seconds: SECONDS, ...route };
      const seen = await generator.ask({ program, loopDelay }, order);
      const statuses = Object.keys(seen.statuses);
      if (statuses.join() !== '200') throw new Error(`${route.requests[0]} was answered ${statuses.join(' and ')}`);
      return { ...seen, answers: seen.statuses[200], perRequest: (1000 * seen.loopMillis) / seen.statuses[200] };
    };
    const results = await inTurns(
      { line: () => asked('DEBUG'), none: () => asked('OFF') },
      { rounds: ROUNDS, mostRounds: MOST_ROUNDS, warmUp: 3 },
    );
    judgeCost(results);
    await setLevel(operator, 'OFF');
    const lines = readFileSync(output, 'utf8').match(/ http : GET \/me\/settlement 200 /g)?.length ?? 0;
    const requests = results.line.reduce((sum, { answers }) => sum + answers, 0);
    goal(`one line per request: ${lines} lines, ${requests} measured requests`, lines >= requests);
  } finally {
    operator.close();
    generator.stop();
    await program.stop();
  }
}

function judgeCost({ line, none }) {
  const {
    isQuiet,
    kept: [withLine, without],
  } = undisturbed(line, none);
  medianRate('a line for each request', withLine);
  medianRate('none', without);
  const cost = 1 - partOf(withLine, without);
  const [ours, theirs] = [withLine, without].map((rounds) => median(rounds.map(({ perRequest }) => perRequest)));
  console.log(`  time of the event loop for a request: ${ours.toFixed(0)} and ${theirs.toFixed(0)} microseconds`);
  const text = `a line costs at most ${100 * MOST_COST} % of the requests per second (aim ${100 * AIMED_COST} %)`;
  timedGoal(`${text}: ${(100 * cost).toFixed(1)} %`, cost <= MOST_COST, isQuiet);
}

async function setLevel(connection, configuredLevel) {
  const headers = { Authorization: `Basic ${Buffer.from(`${OPERATOR}:${SECRET}`).toString('base64')}` };
  const { status } = await connection.send(
    requestText('POST', '/actuator/loggers/http', { body: { configuredLevel }, headers }),
  );
  if (status !== 204) throw new Error(`the level could not be set: ${status}`);
}

async function probePart() {
  const stand = await Stand.withUsers({ folder: join(folder, 'probes'), size: 2000, cost: REAL });
  const program = await stand.start({ settings: SETTINGS });
  const crowd = await Crowd.of(program.address);
  const probe = await Probe.of(program.address);
  const liveness = requestText('GET', '/actuator/health/liveness');
  try {
    const times = await crowd.during(
      (connection) => passwordStep(connection, stand.population.next()),
      () =>
        probe.times(
          Array.from({ length: PROBES }),
          async (connection) => {
            const { status } = await connection.send(liveness);
            if (status !== 200) throw new Error(`a probe was answered ${status}`);
          },
          { perSecond: PROBES_PER_SECOND },
        ),
    );
    const p99 = percentile(times, 0.99);
    const text = `health/liveness while passwords are checked: p50 ${percentile(times, 0.5).toFixed(1)} ms`;
    goal(`${text}, p99 ${p99.toFixed(1)} ms, below ${MOST_WAIT_MILLIS} (${PROBES} probes)`, p99 < MOST_WAIT_MILLIS);
  } finally {
    for (const open of [crowd, probe]) open.close();
    await program.stop();
  }
}
