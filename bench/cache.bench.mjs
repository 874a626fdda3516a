// npm run bench -- cache: compares the introspection of a token with each kind of cache and without one, on the embedded
// database and on MariaDB. For information: it states no goal.
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Generator } from './generator/generator.mjs';
import { Connection } from './load/connection.mjs';
import { accessToken } from './load/story.mjs';
import { hasMariadb, startMariadb } from './target/mariadb.mjs';
import { hasRedis, startRedis } from './target/redis.mjs';
import { CHEAP, Stand } from './target/stand.mjs';
import { inTurns, medianRate, partOf } from './turns.mjs';
import { LoopDelay } from './watch/loop-delay.mjs';

const CLIENTS = 16;
const ROUNDS = 5;
const SECONDS = 1;
const SECRET = 'a-secret-of-the-shop-with-32-characters';

if (!hasRedis || !hasMariadb) {
  console.error('This bench needs redis-server and a MariaDB server.');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'bench-cache-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the generator runs on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
const redis = await startRedis(join(folder, 'redis'));
const mariadb = await startMariadb(join(folder, 'mariadb'));
const generator = new Generator([redis, mariadb]);
const programs = [];
const KINDS = {
  none: ['--app.cache.type=none'],
  caffeine: [],
  kvstore: ['--app.cache.type=kvstore'],
};
try {
  const database = await mariadb.database('login');
  for (const [engine, options] of [
    ['embedded', {}],
    ['MariaDB', { database }],
  ]) {
    const stand = await Stand.withUsers({ folder: join(folder, engine), size: 10, cost: CHEAP, ...options });
    const targets = {};
    for (const [kind, settings] of Object.entries(KINDS)) {
      targets[kind] = await target(stand, [
        ...settings,
        ...redis.settings,
        `--app.security.clients.shop.secret=${SECRET}`,
      ]);
    }
    const things = Object.entries(targets).map(([kind, each]) => [kind, () => asked(each)]);
    const results = await inTurns(Object.fromEntries(things), { rounds: ROUNDS, warmUp: 2 });
    console.log(`introspection, ${engine}:`);
    for (const kind of Object.keys(KINDS)) {
      medianRate(kind, results[kind]);
      console.log(`    ratio to none ${partOf(results[kind], results.none).toFixed(2)}`);
    }
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
  const token = await accessToken(connection, stand.population);
  connection.close();
  return { program, loopDelay, route: { requests: [introspectionText(token)], marker: '"active":true' } };
}

function introspectionText(token) {
  const body = `token=${token}`;
  const basic = Buffer.from(`shop:${SECRET}`).toString('base64');
  return [
    'POST /token/introspect HTTP/1.1',
    'Host: localhost',
    `Authorization: Basic ${basic}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

async function asked({ program, loopDelay, route }) {
  const seen = await generator.ask(
    { program, loopDelay },
    { kind: 'closed loop', clients: CLIENTS, seconds: SECONDS, ...route },
  );
  const statuses = Object.keys(seen.statuses);
  if (statuses.join() !== '200') throw new Error(`${route.requests[0]} was answered ${statuses.join(' and ')}`);
  return seen;
}
