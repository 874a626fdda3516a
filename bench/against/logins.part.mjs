// Full logins with a cheap hash, and refreshes, on both engines: what a login costs besides the hash.
import { join } from 'node:path';
import { Crowd } from '../load/crowd.mjs';
import { fullLogin, refresh } from '../load/story.mjs';
import { hasMariadb, startMariadb } from '../target/mariadb.mjs';
import { CHEAP, Stand } from '../target/stand.mjs';
import { inTurns } from '../turns.mjs';
import { MeasuredService, roundsOfProcesses, turnsOf } from './measured-service.mjs';
import { printRates } from './ratios.mjs';

const CLIENTS = 16;
const SECONDS = 2.5;
const ROUNDS = { rounds: 3, warmUp: 2 };
const PROCESSES = 3;
const USERS = 30_000;

export async function loginsPart({ folder, roots }) {
  await loginsOn('SQLite', { folder, roots });
  if (!hasMariadb) {
    console.log('  MariaDB is not installed: its logins are not measured');
    return;
  }
  const mariadb = await startMariadb(join(folder, 'mariadb'));
  try {
    await loginsOn('MariaDB', { folder, roots, mariadb });
  } finally {
    await mariadb.stop();
  }
}

/** @param mariadb undefined for SQLite */
async function loginsOn(engine, { folder, roots, mariadb }) {
  const stands = {};
  for (const [name, root] of Object.entries(roots)) {
    stands[name] = await Stand.withUsers({
      folder: join(folder, `logins-${engine}-${name}`),
      size: USERS,
      cost: CHEAP,
      database: await mariadb?.database(`against_${name}`),
      root,
    });
  }
  const all = await roundsOfProcesses(PROCESSES, {
    names: Object.keys(stands),
    start: (name) => MeasuredService.start(stands[name], join(stands[name].folder, 'cpu.json')),
    rounds: roundsOf,
  });
  for (const [what, rounds] of Object.entries(all)) printRates(`${what} on ${engine}`, rounds);
}

async function roundsOf(services) {
  for (const service of Object.values(services)) service.crowd = await Crowd.of(service.program.address, CLIENTS);
  const login = (service) => rateOf(service, (connection) => fullLogin(connection, service.stand.population));
  const tokens = new WeakMap();
  const refreshed = (service) =>
    rateOf(service, async (connection) => {
      const token = tokens.get(connection) ?? (await fullLogin(connection, service.stand.population));
      tokens.set(connection, await refresh(connection, token));
    });
  try {
    return {
      'full login': await inTurns(turnsOf(services, login), ROUNDS),
      refresh: await inTurns(turnsOf(services, refreshed), ROUNDS),
    };
  } finally {
    for (const { crowd } of Object.values(services)) crowd.close();
  }
}

/** Completed turns per second, and processor time of the service for each turn. */
async function rateOf(service, turn) {
  let turns = 0;
  const before = await service.cpuMillis();
  const { rate } = await service.crowd.rate(async (connection) => {
    await turn(connection);
    turns += 1;
  }, SECONDS);
  return { rate, cpuMillis: ((await service.cpuMillis()) - before) / turns };
}
