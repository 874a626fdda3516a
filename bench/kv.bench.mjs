// npm run bench -- kv: compares a cheap route with a shared limit, through a key-value store and through MariaDB alone, with
// the same route without a limit.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Generator } from './generator/generator.mjs';
import { Connection, requestText } from './load/connection.mjs';
import { accessToken } from './load/story.mjs';
import { timedGoal } from './measure.mjs';
import { hasMariadb, startMariadb } from './target/mariadb.mjs';
import { hasRedis, startRedis } from './target/redis.mjs';
import { CHEAP, Stand } from './target/stand.mjs';
import { inTurns, medianRate, partOf } from './turns.mjs';
import { LoopDelay } from './watch/loop-delay.mjs';
import { undisturbed } from './watch/others.mjs';

const CLIENTS = 16;
const ROUNDS = 11;
/** More rounds than needed: other processes on the machine spoil some of them. */
const MOST_ROUNDS = 15;
const SECONDS = 1;
/** With many sessions, each request of a batch has a key of its own; with one, a batch has one key. */
const SESSIONS = 100;
const LEAST_PART_KVSTORE = 0.85;
const LEAST_PART_MARIADB = 0.75;
/** So high that it rejects nothing. */
const LIMITED = ['--app.security.rate-limit.self-service.per-session=100000000/1m'];

if (!hasRedis || !hasMariadb) {
  console.error('This bench needs redis-server and a MariaDB server.');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'bench-kv-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the generator runs on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
const redis = await startRedis(join(folder, 'redis'));
const mariadb = await startMariadb(join(folder, 'mariadb'));
const generator = new Generator([redis, mariadb]);
const programs = [];
try {
  const embedded = await Stand.withUsers({ folder: join(folder, 'embedded'), size: 2 * SESSIONS, cost: CHEAP });
  const database = await mariadb.database('login');
  const shared = await Stand.withUsers({ folder: join(folder, 'shared'), size: 2 * SESSIONS, cost: CHEAP, database });
  // One after the other, so that the first one creates the keys that both use.
  const withKvstore = await target(embedded, [...LIMITED, ...redis.settings]);
  const withoutLimit = await target(embedded, redis.settings);
  const withDatabase = await target(shared, LIMITED);
  const withoutLimitThere = await target(shared, []);
  for (const [ofSessions, route] of [
    ['of one busy session', 'one'],
    [`of ${SESSIONS} sessions in turn`, 'many'],
  ]) {
    const results = await inTurns(
      {
        kvstore: () => asked(withKvstore, route),
        none: () => asked(withoutLimit, route),
        mariadb: () => asked(withDatabase, route),
        noneThere: () => asked(withoutLimitThere, route),
      },
      { rounds: ROUNDS, mostRounds: MOST_ROUNDS, warmUp: 3 },
    );
    compared(
      `requests ${ofSessions}, limit through the key-value store`,
      results.kvstore,
      results.none,
      LEAST_PART_KVSTORE,
    );
    compared(`requests ${ofSessions}, limit through MariaDB`, results.mariadb, results.noneThere, LEAST_PART_MARIADB);
  }
} finally {
  generator.stop();
  for (const program of programs) await program.stop();
  await redis.stop();
  await mariadb.stop();
}

async function target(stand, settings) {
  const loopDelay = new LoopDelay(join(folder, `loop-${programs.length}.json`));
  const program = await stand.start({ settings, node: loopDelay.nodeArguments });
  programs.push(program);
  const connection = await Connection.open(program.address);
  const tokens = [];
  while (tokens.length < SESSIONS) tokens.push(await accessToken(connection, stand.population));
  connection.close();
  const requests = tokens.map((token) =>
    requestText('GET', '/me/settlement', { headers: { Authorization: `Bearer ${token}` } }),
  );
  return { program, loopDelay, routes: { one: requests.slice(0, 1), many: requests } };
}

async function asked({ program, loopDelay, routes }, route) {
  const requests = routes[route];
  const seen = await generator.ask(
    { program, loopDelay },
    { kind: 'closed loop', clients: CLIENTS, seconds: SECONDS, requests, marker: '"sub":' },
  );
  const statuses = Object.keys(seen.statuses);
  if (statuses.join() !== '200') throw new Error(`${requests[0]} was answered ${statuses.join(' and ')}`);
  return seen;
}

function compared(what, ofLimited, ofOpen, least) {
  console.log(`${what}:`);
  const {
    isQuiet,
    kept: [limited, open],
  } = undisturbed(ofLimited, ofOpen);
  medianRate('with a limit', limited);
  medianRate('without', open);
  const part = partOf(limited, open);
  timedGoal(`${what}: at ${least} of the requests per second or more: ${part.toFixed(3)}`, part >= least, isQuiet);
}
