// npm run bench -- import [commit] [rows]: measures logins while a large file of users is imported, over HTTP and by command, on
// both engines; with a commit, in turns with the build of that commit.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './load/connection.mjs';
import { percentile } from './load/latency.mjs';
import { loginIdOf, writeImportFile } from './load/population.mjs';
import { accessToken, fullLogin } from './load/story.mjs';
import { goal, median } from './measure.mjs';
import { builtCheckout, commitId } from './target/checkout.mjs';
import { hasMariadb, startMariadb } from './target/mariadb.mjs';
import { runCli } from './target/program.mjs';
import { CHEAP, readyHash, Stand } from './target/stand.mjs';

const [commit, ROWS = 100_000] = process.argv.slice(2);
const ROUNDS = 2;
const USERS = 4000;
const LOGIN_EVERY_MILLIS = 25;
const LONGEST_LOGIN_MILLIS = 100;
const BOUNDARY = 'end-of-a-part';
const SETTINGS = ['max-file-size', 'max-request-size'].map((key) => `--app.servlet.multipart.${key}=100MB`);

const folder = mkdtempSync(join(tmpdir(), 'bench-import-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const roots = { now: undefined };
if (commit !== undefined) roots.before = await builtCheckout(await commitId(commit), join(folder, 'before'));
const mariadb = hasMariadb ? await startMariadb(join(folder, 'mariadb')) : undefined;
const file = join(folder, 'import.csv');
let imported = USERS;

for (const engine of ['sqlite', ...(mariadb ? ['mariadb'] : [])]) {
  const services = Object.fromEntries(
    await Promise.all(Object.keys(roots).map(async (name) => [name, await begin(engine, name)])),
  );
  for (const how of [byHttp, byCommand]) {
    const results = Object.fromEntries(Object.keys(services).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, service] of Object.entries(services)) results[name].push(await measured(service, how));
    }
    for (const [name, rounds] of Object.entries(results)) report(`${engine} ${how.name} ${name}`, rounds);
    const longest = median(results.now.map(({ times }) => Math.max(...times)));
    goal(
      `${engine} ${how.name}: no login takes ${LONGEST_LOGIN_MILLIS} ms longer`,
      longest - quietMedian(results.now) <= LONGEST_LOGIN_MILLIS,
    );
  }
  for (const { service } of Object.values(services)) await service.stop();
}
await mariadb?.stop();

async function begin(engine, name) {
  const database = engine === 'mariadb' ? await mariadb.database(`import_${name}`) : undefined;
  const own = join(folder, `${engine}-${name}`);
  const stand = await Stand.withUsers({ folder: own, size: USERS, cost: CHEAP, database, root: roots[name] });
  await runCli(['users', 'set-roles', loginIdOf(0), 'ROLE_ADMIN'], {
    root: stand.root,
    cwd: own,
    settings: stand.settings,
  });
  const service = await stand.start({ settings: SETTINGS, output: join(own, 'output.txt') });
  return { stand, service };
}

/** Times of logins without an import, then during one, and the time of the import. */
async function measured(each, how) {
  const { stand, service } = each;
  // The first user of the population is the administrator; its token is valid for several imports.
  each.token ??= await withConnection(service, (connection) => accessToken(connection, stand.population));
  const quiet = await loginsUntil(each, sleep(2000));
  await writeImportFile(file, { size: Number(ROWS), hashes: [readyHash(CHEAP)], secondFactor: false, from: imported });
  imported += Number(ROWS);
  const begun = performance.now();
  let millis;
  const ended = how(each).then(() => (millis = performance.now() - begun));
  const times = await loginsUntil(each, ended);
  return { quiet, times, millis };
}

async function byHttp({ service, token }) {
  const { host, port } = service.address;
  const part = 'Content-Disposition: form-data; name="file"; filename="import.csv"';
  const answer = await fetch(`http://${host}:${port}/admin/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: `--${BOUNDARY}\r\n${part}\r\n\r\n${readFileSync(file, 'latin1')}\r\n--${BOUNDARY}--\r\n`,
  });
  const { created } = await answer.json();
  if (created !== Number(ROWS)) throw new Error(`the import answered ${answer.status} and created ${created}`);
}

function byCommand({ stand }) {
  return runCli(['users', 'import', file], { root: stand.root, cwd: stand.folder, settings: stand.settings });
}

/** Begins a login at a constant rate, without waiting for earlier ones, until `event`; returns their times. */
async function loginsUntil(each, event) {
  let isOver = false;
  event.then(
    () => (isOver = true),
    () => undefined,
  );
  const times = [];
  while (!isOver) {
    times.push(loginTime(each));
    await sleep(LOGIN_EVERY_MILLIS);
  }
  await event;
  return Promise.all(times);
}

async function loginTime({ stand, service }) {
  return withConnection(service, async (connection) => {
    const begun = performance.now();
    await fullLogin(connection, stand.population);
    return performance.now() - begun;
  });
}

async function withConnection(service, use) {
  const connection = await Connection.open(service.address);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

function quietMedian(rounds) {
  return median(rounds.flatMap(({ quiet }) => quiet));
}

function report(name, rounds) {
  const of = (figure) => median(rounds.map(figure)).toFixed(0).padStart(5);
  const longest = rounds.map(({ times }) => Math.max(...times).toFixed(0)).join(', ');
  console.log(
    `${name.padEnd(26)} longest ${of(({ times }) => Math.max(...times))} ms (${longest}), p99 ${of(({ times }) => percentile(times, 0.99))} ms, ` +
      `median ${of(({ times }) => median(times))} ms, without an import ${quietMedian(rounds).toFixed(1)} ms; import ${of(({ millis }) => millis)} ms`,
  );
}
