// npm run bench -- admin: times to the first byte of the pages of administrators with 100,000 accounts and a million events, on both
// engines.
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { loginIdOf, PASSWORD } from './load/population.mjs';
import { goal, median } from './measure.mjs';
import { hasMariadb, startMariadb } from './target/mariadb.mjs';
import { runCli } from './target/program.mjs';
import { CHEAP, Stand } from './target/stand.mjs';

const [USERS = 100_000, EVENTS = 1_000_000] = process.argv.slice(2).map(Number);
const DAYS = 30;
const ROUNDS = 15;
const ROWS_PER_STATEMENT = 1000;
const LONGEST_MILLIS = 150;
/** The kinds of a month of sign-ins, and how often each occurs among ten events. */
const KINDS = [
  ...Array(3).fill('LOGIN_PASSWORD_OK'),
  ...Array(3).fill('MFA_CHALLENGED'),
  ...Array(3).fill('MFA_OK'),
  'LOGIN_PASSWORD_FAILED',
];
const PAGES = {
  overview: '/portal/admin',
  'users, first page': '/portal/admin/users',
  'users, in the middle': `/portal/admin/users?after=${loginIdOf(USERS / 2)}`,
  'users, previous page': `/portal/admin/users?before=${loginIdOf(USERS / 2)}`,
  'users, part of a name': '/portal/admin/users?query=9999',
  'users, none found': '/portal/admin/users?query=nobody-has-this',
  'users, locked': '/portal/admin/users?state=locked',
  'users, without a factor': '/portal/admin/users?state=no-factor',
  'users, not ready': '/portal/admin/users?state=unready',
  'users, with a role': '/portal/admin/users?role=ROLE_ADMIN',
  'users, inactive': '/portal/admin/users?inactive=30',
  events: '/portal/admin/events',
};

const folder = mkdtempSync(join(tmpdir(), 'bench-admin-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const mariadb = hasMariadb ? await startMariadb(join(folder, 'mariadb')) : undefined;

for (const engine of ['sqlite', ...(mariadb ? ['mariadb'] : [])]) {
  const database = engine === 'mariadb' ? await mariadb.database('admin') : undefined;
  const own = join(folder, engine);
  const stand = await Stand.withUsers({ folder: own, size: USERS, cost: CHEAP, database });
  await runCli(['users', 'set-roles', loginIdOf(0), 'ROLE_ADMIN'], { cwd: own, settings: stand.settings });
  await insertEvents(own, database);
  // The administrator may send more requests than its limit.
  const service = await stand.start({
    settings: ['--app.security.rate-limit.administration.per-session=off'],
    output: join(own, 'output.txt'),
  });
  const { host, port } = service.address;
  const cookie = await signedIn(`http://${host}:${port}`, stand.population);
  await untilCounted(`http://${host}:${port}`, cookie);
  for (const [name, path] of Object.entries(PAGES)) {
    const times = [];
    for (let round = 0; round <= ROUNDS; round++) times.push(await firstByte(`http://${host}:${port}${path}`, cookie));
    const [first, ...others] = times;
    const middle = median(others);
    console.log(`${engine} ${name.padEnd(26)} first ${first.toFixed(1)} ms, then median ${middle.toFixed(1)} ms`);
    goal(`${engine} ${name}: first byte within ${LONGEST_MILLIS} ms`, middle <= LONGEST_MILLIS);
  }
  await service.stop();
}
await mariadb?.stop();

/** Events of the last days, evenly spread, of all users in turn. They are outside of the chain. */
async function insertEvents(own, database) {
  const now = Date.now();
  const rowOf = (index) => {
    const at = Math.floor(now - ((EVENTS - index) / EVENTS) * DAYS * 86_400_000);
    const kind = KINDS[index % KINDS.length];
    return [idOf(at, index), at, kind, kind === 'LOGIN_PASSWORD_FAILED' ? 'refused' : 'ok', 1];
  };
  const insert = (rows) =>
    `INSERT INTO security_event (id, at, kind, result, batch) VALUES ${rows.map(() => '(?, ?, ?, ?, ?)').join(', ')}`;
  const rowsFrom = (start) =>
    Array.from({ length: Math.min(ROWS_PER_STATEMENT, EVENTS - start) }, (_, at) => rowOf(start + at));
  if (database === undefined) {
    const file = new DatabaseSync(join(own, 'data/login.db'));
    file.exec('BEGIN');
    for (let start = 0; start < EVENTS; start += ROWS_PER_STATEMENT) {
      const rows = rowsFrom(start);
      file.prepare(insert(rows)).run(...rows.flat());
    }
    file.exec('COMMIT');
    file.close();
    return;
  }
  const connection = await createConnection(database.access);
  await connection.query('BEGIN');
  for (let start = 0; start < EVENTS; start += ROWS_PER_STATEMENT) {
    const rows = rowsFrom(start);
    await connection.query(insert(rows), rows.flat());
  }
  await connection.query('COMMIT');
  await connection.end();
}

/** A UUID of version 7 (RFC 9562). */
function idOf(millis, index) {
  const time = millis.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${index.toString(16).padStart(12, '0')}`;
}

/** The cookies of a session of the first user, the administrator, with a second factor. */
async function signedIn(url, population) {
  const user = population.next();
  const half = await post(`${url}/session`, { id: user.id, pw: PASSWORD });
  const whole = await post(`${url}/2fa/verify`, { code: population.takeCode(user) }, cookiesOf(half));
  if (whole.status !== 200) throw new Error(`the sign-in ended with ${whole.status}: ${await whole.text()}`);
  return cookiesOf(whole);
}

function post(url, body, cookie = '') {
  const headers = { 'content-type': 'application/json', cookie, origin: new URL(url).origin };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

function cookiesOf({ headers }) {
  return headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
}

/** Waits until the hours of the events are counted, as they are minutes after an upgrade. */
async function untilCounted(url, cookie) {
  for (const end = performance.now() + 600_000; performance.now() < end; await sleep(2000)) {
    const page = await (await fetch(`${url}/portal/admin`, { headers: { cookie, accept: 'text/html' } })).text();
    const [, completed] = /Last 30 days: (\d+) completed/.exec(page) ?? [];
    if (Number(completed) > EVENTS * 0.28) return;
  }
  throw new Error('the sign-ins of the month were not counted in time');
}

/** Milliseconds until the headers of the response arrive; the page is read to its end. */
async function firstByte(url, cookie) {
  const begun = performance.now();
  const answer = await fetch(url, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
  const millis = performance.now() - begun;
  const page = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${page.slice(0, 300)}`);
  return millis;
}
