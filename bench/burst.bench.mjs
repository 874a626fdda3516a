// npm run bench -- burst: 20, 100 and 200 people who sign in at the same moment, on a quiet machine and with one core kept busy.
// Nobody of 100 may be rejected, and the last one must have signed in soon after the workers could have hashed all passwords.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Connection, requestText } from './load/connection.mjs';
import { Crowd } from './load/crowd.mjs';
import { loginIdOf, PASSWORD } from './load/population.mjs';
import { goal, median } from './measure.mjs';
import { REAL, Stand } from './target/stand.mjs';

const SIZES = [20, 100, 200];
const ROUNDS = 5;
const USERS = 2000;
/** Enough to keep all workers busy, so few that none waits for long. */
const CLIENTS_AT_PEAK = 6;
const PEAK_SECONDS = 3;
const FACTOR = 1.2;
const EXTRA_MILLIS = 300;
/** Between two rounds, so that the queue of one does not concern the next. */
const PAUSE_MILLIS = 1500;

const folder = mkdtempSync(join(tmpdir(), 'bench-burst-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the clients run on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
const stand = await Stand.withUsers({ folder, size: USERS, cost: REAL, secondFactor: false, isAdaptive: true });
const service = await stand.start({ settings: ['--app.security.rate-limit.enabled=false'] });
let turn = 0;
try {
  await bursts('quiet');
  const busy = new Worker('for (;;);', { eval: true });
  await bursts('one core busy');
  await busy.terminate();
} finally {
  await service.stop();
}

async function bursts(condition) {
  const before = await peakRate();
  const rounds = Object.fromEntries(SIZES.map((size) => [size, []]));
  for (let round = 0; round < ROUNDS; round += 1) for (const size of SIZES) rounds[size].push(await burst(size));
  const perSecond = median([before, await peakRate()]);
  console.log(`${condition}: ${perSecond.toFixed(0)} sign-ins per second without a pause`);
  for (const size of SIZES) {
    const served = rounds[size].map((each) => each.served);
    const last = median(rounds[size].map((each) => each.lastMillis));
    const limit = (size / perSecond) * 1000 * FACTOR + EXTRA_MILLIS;
    console.log(
      `  ${String(size).padStart(3)} at once: ${Math.min(...served)} to ${Math.max(...served)} served, the last after ${last.toFixed(0)} ms`,
    );
    if (size > 100) continue;
    goal(`${condition}: nobody of ${size} is rejected`, Math.min(...served) === size);
    goal(`${condition}: the last of ${size} within ${limit.toFixed(0)} ms`, last <= limit);
  }
}

/** Sign-ins per second of clients that keep all workers busy. */
async function peakRate() {
  const crowd = await Crowd.of(service.address, CLIENTS_AT_PEAK);
  const { rate } = await crowd.rate(async (connection) => {
    const { status } = await connection.send(signIn());
    if (status !== 200) throw new Error(`a sign-in at the peak got ${status}`);
  }, PEAK_SECONDS);
  crowd.close();
  await sleep(PAUSE_MILLIS);
  return rate;
}

async function burst(size) {
  const connections = await Promise.all(Array.from({ length: size }, () => Connection.open(service.address)));
  const since = performance.now();
  let lastMillis = 0;
  const statuses = await Promise.all(
    connections.map(async (connection) => {
      const { status } = await connection.send(signIn());
      if (status === 200) lastMillis = Math.max(lastMillis, performance.now() - since);
      return status;
    }),
  );
  for (const connection of connections) connection.close();
  await sleep(PAUSE_MILLIS);
  return { served: statuses.filter((status) => status === 200).length, lastMillis };
}

function signIn() {
  turn = (turn + 1) % USERS;
  return requestText('POST', '/login', { body: { id: loginIdOf(turn), pw: PASSWORD } });
}
