// U6: 10,000 forged assertions for known passkeys lock nobody, and their rejections take the time of those for unknown ones: all
// kinds in turns. The throttle stays enabled, and the limit of the address is high.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Connection, requestText } from './load/connection.mjs';
import { loginIdOf } from './load/population.mjs';
import { goal, median } from './measure.mjs';
import { ALGORITHMS, ORIGIN, Passkey } from './passkey/signer.mjs';
import { CHEAP, Stand } from './target/stand.mjs';

const FORGED = Number(process.argv[2] ?? 10_000);
const OWNERS = 100;
const WARM_UP = 100;
const MOST_MILLIS = 2;

const names = Object.keys(ALGORITHMS);
const folder = mkdtempSync(join(tmpdir(), 'bench-passkey-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const stand = await Stand.withUsers({ folder, size: OWNERS, cost: CHEAP });
const file = join(folder, 'data/login.db');
const owners = givePasskeys();
/** The keys of the attacker, one for each algorithm. */
const forgers = Object.fromEntries(names.map((name) => [name, new Passkey(name)]));
const service = await stand.start({
  settings: [
    `--app.security.public-url=${ORIGIN}`,
    '--app.security.mfa.passkey.sign-in=on',
    `--app.security.rate-limit.address-failures=${10 * FORGED}`,
  ],
});
const connection = await Connection.open(service.address);
const times = new Map([...names, 'unknown'].map((name) => [name, []]));
const answers = new Set();
for (let round = -WARM_UP; round < FORGED; round++) {
  const owner = owners[(round + WARM_UP) % OWNERS];
  const known = () => rejection(owner.algorithm, owner, forgers[owner.algorithm], round >= 0);
  const unknown = () => rejection('unknown', stranger(), forgers.ES256, round >= 0);
  for (const attempt of round % 2 === 0 ? [known, unknown] : [unknown, known]) await attempt();
}

const database = new DatabaseSync(file);
const { charged } = database
  .prepare('SELECT COUNT(*) AS charged FROM account WHERE failures + failures_in_row + lock_level > 0')
  .get();
const { named } = database
  .prepare("SELECT COUNT(*) AS named FROM security_event WHERE kind = 'LOGIN_PASSKEY_FAILED' AND user_id IS NOT NULL")
  .get();
database.close();
let signedIn = 0;
for (const owner of owners) {
  const { status } = await send(owner.assert(await challenge()));
  if (status === 200) signedIn++;
}
connection.close();
await service.stop();

const medians = new Map([...times].map(([name, values]) => [name, median(values)]));
for (const [name, value] of medians) {
  const kind = name === 'unknown' ? 'unknown passkey' : `known passkey, ${name}`;
  console.log(`${kind.padEnd(24)} median ${value.toFixed(2)} ms (${times.get(name).length} rejections)`);
}
const apart = Math.max(...names.map((name) => Math.abs(medians.get(name) - medians.get('unknown'))));
const all = FORGED.toLocaleString('en');
goal(
  `U6 ${all} forged assertions charge no account (${charged}) and name none in an event (${named})`,
  charged + named === 0,
);
goal(`U6 afterwards ${signedIn} of ${OWNERS} owners sign in by their passkeys`, signedIn === OWNERS);
goal(
  `U6 known and unknown passkeys: medians differ by ${apart.toFixed(3)} ms, at most ${MOST_MILLIS} ms`,
  apart <= MOST_MILLIS,
);
goal(`U6 all rejections alike: ${[...answers].join(', ')}`, answers.size === 1);

/** A passkey that the service does not know; its key is one of the attacker. */
function stranger() {
  return forgers.ES256.renamed();
}

/** Measures the rejection of one forged assertion, of which the request for its challenge is no part. */
async function rejection(kind, passkey, signer, isMeasured) {
  const assertion = passkey.assert(await challenge(), signer);
  const start = performance.now();
  const { status, body } = await send(assertion);
  if (!isMeasured) return;
  times.get(kind).push(performance.now() - start);
  answers.add(`${status} ${/"code":"(\w+)"/.exec(body)?.[1]}`);
}

async function challenge() {
  const { body } = await connection.send(requestText('POST', '/login/passkey/options', { body: {} }));
  return JSON.parse(body).challenge;
}

function send(credential) {
  return connection.send(requestText('POST', '/login/passkey', { body: { credential } }));
}

/** Gives each user a passkey beside the app, with the algorithms in turns. */
function givePasskeys() {
  const database = new DatabaseSync(file);
  const insert =
    database.prepare(`INSERT INTO passkey (id, user_id, credential_hash, credential_id, public_key, algorithm,
    sign_count, backup_eligible, backed_up, aaguid, transports, created_at) VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, '', '', 0)`);
  const given = Array.from({ length: OWNERS }, (_, index) => {
    const { id: subject } = database.prepare('SELECT id FROM account WHERE login_id = ?').get(loginIdOf(index));
    const passkey = new Passkey(names[index % names.length], subject);
    const hash = createHash('sha256').update(passkey.id).digest('base64url');
    const { number } = ALGORITHMS[passkey.algorithm];
    insert.run(`passkey-${index}`, subject, hash, passkey.id, passkey.stored, number);
    return passkey;
  });
  database.exec('UPDATE account SET passkey_count = 1');
  database.close();
  return given;
}
