// P2: measures whether the time of a rejected password reveals anything about the account: all kinds of rejections in turns.
// The throttle stays enabled; each attempt has another login id, and the limit of the address is high.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Connection, requestText } from './load/connection.mjs';
import { loginIdOf, PASSWORD } from './load/population.mjs';
import { goal, median } from './measure.mjs';
import { REAL, Stand } from './target/stand.mjs';

const ROUNDS = 200;
const WARM_UP = 20;
const TRIES = ROUNDS + WARM_UP;
const MOST_PART = 0.05;
const MOST_MILLIS = 2;
const WRONG = `${PASSWORD}!`;

/** Each kind has its own users, the n-th those from n * TRIES on; `prepare` changes imported users as the kind requires. */
const KINDS = [
  { name: 'wrong password, second factor active', pw: WRONG },
  { name: 'wrong password, no second factor', pw: WRONG, prepare: 'totp_count = 0' },
  { name: 'disabled, wrong password', pw: WRONG, prepare: "status = 'disabled'" },
  { name: 'disabled, right password', pw: PASSWORD, prepare: "status = 'disabled'" },
  { name: 'without a password', pw: WRONG, prepare: 'password_hash = NULL' },
  { name: 'unknown', pw: WRONG, prefix: 'un' },
  { name: 'empty password, known', pw: '', group: 'empty' },
  { name: 'empty password, without a password', pw: '', group: 'empty', prepare: 'password_hash = NULL' },
  { name: 'empty password, unknown', pw: '', group: 'empty', prefix: 'un' },
];

const folder = mkdtempSync(join(tmpdir(), 'bench-enumeration-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const stand = await Stand.withUsers({ folder, size: KINDS.length * TRIES, cost: REAL });
prepareUsers(join(folder, 'data/login.db'));
const service = await stand.start({
  settings: [`--app.security.rate-limit.address-failures=${10 * KINDS.length * TRIES}`],
});
const connection = await Connection.open(service.address);
const times = KINDS.map(() => []);
const answers = KINDS.map(() => new Set());
for (let round = 0; round < TRIES; round++) {
  for (const kind of shuffled(KINDS.keys())) {
    const millis = await refusalTime(kind, kind * TRIES + round);
    if (round >= WARM_UP) times[kind].push(millis);
  }
}
connection.close();
await service.stop();

const medians = times.map(median);
for (const [index, { name }] of KINDS.entries())
  console.log(`${name.padEnd(40)} median ${medians[index].toFixed(2)} ms`);
const statuses = new Map(KINDS.map(({ name }, index) => [name, Array.from(answers[index]).join(' and ')]));
for (const [name, status] of statuses) if (!/^4\d\d \w+$/.test(status)) throw new Error(`${name}: answered ${status}`);

judge('refused passwords', (kind) => kind.group === undefined);
judge('refused empty passwords', (kind) => kind.group === 'empty');

function judge(what, isMeant) {
  const own = medians.filter((_, index) => isMeant(KINDS[index]));
  const [fastest, slowest] = [Math.min(...own), Math.max(...own)];
  const millis = slowest - fastest;
  const part = millis / fastest;
  const text = `P2 ${what}: medians differ by ${millis.toFixed(2)} ms, ${(100 * part).toFixed(1)} %, at most 5 % or 2 ms`;
  goal(text, part <= MOST_PART || millis <= MOST_MILLIS);
  const kinds = new Set(KINDS.filter(isMeant).map(({ name }) => statuses.get(name)));
  goal(`${what}: all responses alike: ${Array.from(kinds).join(', ')}`, kinds.size === 1);
}

async function refusalTime(kind, index) {
  const { pw, prefix = '' } = KINDS[kind];
  const text = requestText('POST', '/login', { body: { id: `${prefix}${loginIdOf(index)}`, pw } });
  const start = performance.now();
  const { status, body } = await connection.send(text);
  const millis = performance.now() - start;
  answers[kind].add(`${status} ${/"code":"(\w+)"/.exec(body)?.[1]}`);
  return millis;
}

/** A random order, so that a kind does not always follow the same other kind. */
function shuffled(items) {
  const rest = [...items];
  return Array.from(rest, () => rest.splice(randomInt(rest.length), 1)[0]);
}

function prepareUsers(file) {
  const database = new DatabaseSync(file);
  for (const [kind, { prepare }] of KINDS.entries()) {
    if (prepare === undefined) continue;
    const range = [loginIdOf(kind * TRIES), loginIdOf((kind + 1) * TRIES - 1)];
    database.prepare(`UPDATE account SET ${prepare} WHERE login_id BETWEEN ? AND ?`).run(...range);
  }
  database.close();
}
