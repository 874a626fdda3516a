// H2, P2: measures whether the time of a wrong password distinguishes an unknown login id from an account with an imported
// hash. For each kind of hash that accounts have, it tries accounts of that kind and unknown ids that draw it, in turns.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import bcrypt from 'bcryptjs';
import { Connection, requestText } from './load/connection.mjs';
import { compare, goal } from './measure.mjs';
import { runCli, startService } from './target/program.mjs';
import { readyHash, REAL } from './target/stand.mjs';

const ROUNDS = Number(process.argv[2] ?? 50);
const WARM_UP = 5;
const EACH = ROUNDS + WARM_UP;
const PASSWORD = 'correct horse battery staple';
const MOST_PART = 0.05;
const LONGEST_LOG_MILLIS = 5000;

const base64 = (bytes) => bytes.toString('base64').replaceAll('=', '');
const salt = randomBytes(16);
/** Cost parameters that other services use. */
const KINDS = {
  bcrypt: { hash: bcrypt.hashSync(PASSWORD, 10), word: /^2b / },
  pbkdf2: {
    hash: `$pbkdf2-sha256$210000$${base64(salt)}$${base64(pbkdf2Sync(PASSWORD, salt, 210_000, 32, 'sha256'))}`,
    word: /^pbkdf2/,
  },
  scrypt: {
    hash: `$scrypt$ln=14,r=8,p=1$${base64(salt)}$${base64(scryptSync(PASSWORD, salt, 32, { N: 2 ** 14, r: 8, p: 1 }))}`,
    word: /^scrypt/,
  },
  argon2id: { hash: readyHash(REAL), word: /^argon2id/ },
};
const NAMES = Object.keys(KINDS);

const folder = mkdtempSync(join(tmpdir(), 'bench-imported-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const output = join(folder, 'output.txt');
await importAccounts();
const service = await startService({
  cwd: folder,
  settings: ['--app.security.rate-limit.enabled=false', '--logging.level.account=DEBUG'],
  output,
});
const connection = await Connection.open(service.address);
const unknown = await unknownIds();

for (const name of NAMES) {
  const [ids, accounts] = [unknown[name].values(), accountIds(name).values()];
  const next = (from) => () => refusalTime(from.next().value);
  const ratio = await compare(
    { name: `${name}: unknown id`, run: next(ids) },
    { name: `${name}: account`, run: next(accounts) },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  goal(`H2 ${name}: medians differ by at most 5 %`, Math.abs(ratio - 1) <= MOST_PART);
}
connection.close();
await service.stop();

function accountIds(name) {
  return Array.from({ length: EACH }, (_, index) => `${name}-${index}`);
}

async function importAccounts() {
  const lines = NAMES.flatMap((name) => accountIds(name).map((id) => `${id},"${KINDS[name].hash}"\n`));
  const file = join(folder, 'users.csv');
  writeFileSync(file, `login_id,password_hash\n${lines.join('')}`, { mode: 0o600 });
  const settings = ['--app.security.password.import.min-hash=any'];
  await runCli(['users', 'import', file], { cwd: folder, settings });
}

/** Tries unknown ids until enough of them draw each kind; the log says which kind each id has drawn. */
async function unknownIds() {
  const drawn = Object.fromEntries(NAMES.map((name) => [name, []]));
  for (let index = 0; NAMES.some((name) => drawn[name].length < EACH); index++) {
    if (index === 40 * EACH) throw new Error('unknown ids do not draw every kind that accounts have');
    const id = `nobody-${index}`;
    const before = compared().length;
    await refusalTime(id);
    const word = await comparedAfter(before);
    const name = NAMES.find((kind) => KINDS[kind].word.test(word));
    if (name === undefined) throw new Error(`unknown kind of hash in the log: ${word}`);
    drawn[name].push(id);
  }
  return drawn;
}

async function comparedAfter(before) {
  for (const end = performance.now() + LONGEST_LOG_MILLIS; performance.now() < end; await wait(1)) {
    const word = compared()[before];
    if (word !== undefined) return word;
  }
  throw new Error('the log does not say with what a password was compared');
}

function compared() {
  return Array.from(
    readFileSync(output, 'utf8').matchAll(/A password was compared work="([^"]+)"/g),
    ([, work]) => work,
  );
}

async function refusalTime(id) {
  const text = requestText('POST', '/login', { body: { id, pw: 'wrong' } });
  const start = performance.now();
  const { status } = await connection.send(text);
  const millis = performance.now() - start;
  if (status !== 401) throw new Error(`${id}: answered ${status}`);
  return millis;
}
