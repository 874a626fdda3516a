// Measures a full login on one, two and three processes that share a database. On few cores the rate cannot grow with the
// processes, so the processor time of each part of a login is compared.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { CLIENTS } from '../load/crowd.mjs';
import { fullLogin, passwordStep } from '../load/story.mjs';
import { goal, median, timedGoal } from '../measure.mjs';
import { CHEAP, REAL, Stand } from '../target/stand.mjs';
import { isDisturbed } from '../watch/others.mjs';
import { Processes } from './processes.mjs';

const SIZES = [1, 2, 3];
const USERS = 20_000;
const MOST_GROWTH = 1.15;
const MOST_LOCK_WAITS = 0.01;
const FLUSHES = 300;
/** With the packaged hash, the code runs less often, so it takes longer until it is compiled. */
const KINDS = {
  cheap: { name: 'cheap', cost: CHEAP, warmUpSeconds: 6 },
  packaged: { name: 'packaged', cost: REAL, warmUpSeconds: 20 },
};
const BLOCK = Buffer.alloc(4096, 1);

/** Prints what a login takes, and returns the times of both steps as the simulation and the formula need them. */
export async function measuredPart({ folder, mariadb, seconds }) {
  const cheap = await loginsWith(KINDS.cheap, { folder, mariadb, seconds });
  const packaged = await loginsWith(KINDS.packaged, { folder, mariadb, seconds });
  const steps = stepsOf(cheap);
  // A process with many cores is limited by its event loop when that is busy, which it is only with cheap hashes here. What it
  // takes in addition on cores whose caches belong to hashes is use of the cores, as the hash is.
  const hashMillis = medianOf(packaged.rounds, 'processMillis') - steps[0].loopMillis - steps[1].loopMillis;
  const times = { hashMillis, flushMillis: flushMillis(folder), steps };
  console.log(`  a flush of the disk takes ${times.flushMillis.toFixed(2)} ms`);
  return times;
}

async function loginsWith({ name, cost, warmUpSeconds }, { folder, mariadb, seconds }) {
  const database = await mariadb.database(`replicas_${name}`);
  const stand = await Stand.withUsers({ folder: join(folder, name), size: USERS, cost, database });
  const processes = await Processes.start(stand, { size: Math.max(...SIZES), mariadb });
  const login = (connection) => fullLogin(connection, stand.population);
  const password = (connection) => passwordStep(connection, stand.population.next());
  try {
    await processes.measure(login, { size: Math.max(...SIZES), clients: CLIENTS, seconds: warmUpSeconds });
    const rounds = [];
    for (const size of SIZES) rounds.push(await processes.measure(login, { size, clients: CLIENTS, seconds }));
    print(name, rounds);
    judge(name, rounds);
    if (cost !== CHEAP) return { rounds };
    const [step, alone, aloneStep] = [
      await processes.measure(password, { size: 1, clients: CLIENTS, seconds }),
      // One client never shares a flush: as many flushes as commits.
      await processes.measure(login, { size: 1, clients: 1, seconds: seconds / 2 }),
      await processes.measure(password, { size: 1, clients: 1, seconds: seconds / 2 }),
    ];
    return { rounds, step, alone, aloneStep };
  } finally {
    await processes.stop();
  }
}

function print(name, rounds) {
  const columns = {
    'logins/s': ({ rate }) => rate.toFixed(0),
    'event loop ms': ({ loopMillis }) => loopMillis.toFixed(2),
    'other threads ms': ({ workerMillis }) => workerMillis.toFixed(2),
    'process ms': ({ processMillis }) => processMillis.toFixed(2),
    'database ms': ({ databaseMillis }) => databaseMillis.toFixed(2),
    flushes: ({ flushes }) => flushes.toFixed(2),
    'lock waits': ({ lockWaits }) => lockWaits.toFixed(4),
    'clients ms': ({ clientMillis }) => clientMillis.toFixed(2),
    'other programs': ({ others }) => `${(100 * others).toFixed(0)} %`,
  };
  console.log(`  full login, ${name} hash:`);
  console.log(`    processes ${Object.keys(columns).join('  ')}`);
  for (const round of rounds) {
    const cells = Object.entries(columns).map(([title, text]) => text(round).padStart(title.length));
    console.log(`    ${String(round.size).padStart(9)} ${cells.join('  ')}`);
  }
}

/** The database is all that the processes share, so it alone could keep the rate from growing with their number. */
function judge(name, rounds) {
  const [one, many] = [rounds[0], rounds.at(-1)];
  const growth = many.databaseMillis / one.databaseMillis;
  const isQuiet = !rounds.some(isDisturbed);
  timedGoal(
    `a login with the ${name} hash takes ${growth.toFixed(2)} times as much of the database on ${many.size} processes as on one, ` +
      `at most ${MOST_GROWTH}`,
    growth <= MOST_GROWTH,
    isQuiet,
  );
  goal(
    `a login with the ${name} hash waits for a row in ${many.lockWaits.toFixed(4)} cases on ${many.size} processes, ` +
      `at most ${MOST_LOCK_WAITS}`,
    many.lockWaits <= MOST_LOCK_WAITS,
  );
}

/** Times of the password step and of the second step. */
function stepsOf({ rounds, step, alone, aloneStep }) {
  const login = {
    loopMillis: medianOf(rounds, 'loopMillis'),
    databaseMillis: medianOf(rounds, 'databaseMillis'),
    statements: Math.round(alone.statements),
    commits: Math.round(alone.flushes),
  };
  const first = {
    loopMillis: (login.loopMillis * step.loopMillis) / rounds[0].loopMillis,
    databaseMillis: (login.databaseMillis * step.databaseMillis) / rounds[0].databaseMillis,
    statements: Math.round(aloneStep.statements),
    commits: Math.round(aloneStep.flushes),
  };
  const second = Object.fromEntries(Object.entries(login).map(([name, value]) => [name, value - first[name]]));
  return [first, second];
}

function medianOf(rounds, name) {
  return median(rounds.map((round) => round[name]));
}

/** How long the disk takes to store a block, as the database waits for it at a commit. */
function flushMillis(folder) {
  const file = openSync(join(folder, 'flush'), 'w');
  const times = Array.from({ length: FLUSHES }, () => {
    const start = performance.now();
    writeSync(file, BLOCK);
    fdatasyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return median(times);
}
