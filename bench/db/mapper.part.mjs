import { Buffer } from 'node:buffer';
import { createConnection, createPool } from 'mysql2';
import { configurationOf, readConfiguration } from '../../dist/config/configuration.js';
import { processInputs } from '../../dist/config/read/process-inputs.js';
import { PROPERTIES } from '../../dist/apps/server/properties.js';
import '../../dist/identity/events/events.mapping.js';
import '../../dist/platform/persistence/expiry.mapping.js';
import '../../dist/apps/schema/history.js';
import { openDatabase, unitOfWork } from '../../dist/platform/persistence/database.js';
import { mapperFiles } from '../../dist/platform/persistence/mapper/mapper-files.js';
import { SqlMapper } from '../../dist/platform/persistence/mapper/sql-mapper.js';
import { timeOrderedId } from '../../dist/kernel/random/random.js';
import { goal, median } from '../measure.mjs';

const EVENTS = 20_000;
const USERS = 100;
const CALLS = 100;
const ROUNDS = 150;
const WARM_UP = 5;
const MOST_OVERHEAD = 0.25;
const COLUMNS = 'id, at, kind, user_id, result';
/** One row, and a page of rows; both with a user, so that the server works little. */
const SEARCHES = { 'one row': 1, 'fifty rows': 50 };

/**
 * A mapper statement against `execute` of the same text, one call after the other. All texts are prepared, and all parsers of
 * rows are compiled, before the first round that counts. Two comparisons:
 *
 * - With a goal: calls of one unit of work, which has borrowed its connection, against calls on a connection of its own. The
 *   unit sends nothing besides the statements.
 * - Without one: each call in a unit of work of its own against `execute` of a pool of the driver. Both borrow and return a
 *   connection; the one of the service also has deadlines, meters and retries.
 */
export async function part({ database: { access } }) {
  const { host, port, user: username, password, database } = access;
  const dataSource = await openDatabase({ url: `jdbc:mariadb://${host}:${port}/${database}`, username, password });
  const options = { ...access, timezone: 'Z', supportBigNumbers: true, bigNumberStrings: false };
  const raw = createConnection(options);
  const pool = createPool({ ...options, connectionLimit: 10 });
  try {
    const work = unitOfWork(dataSource);
    await fill(work);
    console.log(`mapper: ${CALLS} calls in each of ${ROUNDS} rounds, in turns`);
    for (const [name, limit] of Object.entries(SEARCHES)) await compare(name, limit, { work, raw, pool });
  } finally {
    raw.destroy();
    pool.end();
    await dataSource.destroy();
  }
}

async function compare(name, limit, { work, raw, pool }) {
  const [limited, unlimited] = [mapperWith(30), mapperWith(0)];
  const parameters = { user: 'user-7', limit };
  const [ownText, plainText] = [await sent(limited, parameters), await sent(unlimited, parameters)];
  const byMapper = (mapper) => () =>
    work.single(async (tx) => {
      for (let call = 0; call < CALLS; call += 1) await mapper.select(tx, 'events.search', parameters);
    });
  const byDriver =
    ({ sql, values }, connection = raw) =>
    async () => {
      for (let call = 0; call < CALLS; call += 1) await executed(connection, sql, values);
    };
  const times = await inTurns({
    'mapper, with the limit of 30 s': byMapper(limited),
    'mysql2 execute, the same text': byDriver(ownText),
    'mapper, without a limit': byMapper(unlimited),
    'Tx.rows, the same text without a limit': () =>
      work.single(async (tx) => {
        for (let call = 0; call < CALLS; call += 1) await tx.rows(plainText.sql, plainText.values);
      }),
    'mysql2 execute, the same text without a limit': byDriver(plainText),
    'mapper, with the limit, a unit of work a call': async () => {
      for (let call = 0; call < CALLS; call += 1) {
        await work.single((tx) => limited.select(tx, 'events.search', parameters));
      }
    },
    'execute of a pool of mysql2, the same text': byDriver(ownText, pool),
  });
  const medians = Object.entries(times).map(([title, values]) => {
    const middle = median(values);
    console.log(`  ${name.padEnd(10)} ${title.padEnd(46)} ${((1000 * middle) / CALLS).toFixed(1)} µs a call`);
    return middle;
  });
  const [withLimit, rawWithLimit, without, ofTx, rawWithout, alone, pooled] = medians;
  const most = `at most ${100 * MOST_OVERHEAD} % over mysql2 execute`;
  for (const [title, ratio] of [
    ['with the limit', withLimit / rawWithLimit],
    ['without a limit', without / rawWithout],
  ]) {
    const shown = `ratio of medians ${ratio.toFixed(3)}`;
    goal(`a mapper statement of ${name} ${title} costs ${most}: ${shown}`, ratio <= 1 + MOST_OVERHEAD);
  }
  const ofMapper = percent(without / ofTx);
  console.log(
    `  of this, Tx.rows costs ${percent(ofTx / rawWithout)} over mysql2, and the mapper ${ofMapper} over Tx.rows`,
  );
  console.log(`  each in a unit of work of its own, it costs ${percent(alone / pooled)} over a pool of mysql2`);
  console.log(`  the limit in the text of the statement costs the server ${percent(rawWithLimit / rawWithout)}`);
}

function percent(ratio) {
  return `${(100 * (ratio - 1)).toFixed(1)} %`;
}

/** Milliseconds of each action in each round, in another order each round. */
async function inTurns(actions) {
  const names = Object.keys(actions);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const begun = performance.now();
      await actions[name]();
      if (round >= 0) times[name].push(performance.now() - begun);
    }
  }
  return times;
}

function executed(connection, sql, values) {
  return new Promise((resolve, reject) => {
    connection.execute(sql, values, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}

/** A mapper as in a service with the packaged configuration and this limit in seconds. */
function mapperWith(seconds) {
  const inputs = processInputs([`--mapper.configuration.default-statement-timeout=${seconds}`]);
  const files = mapperFiles(configurationOf(readConfiguration(PROPERTIES, inputs)), inputs);
  return new SqlMapper(files, 'mariadb');
}

/** The text and the values that a mapper sends. */
async function sent(mapper, parameters) {
  let found;
  const rows = (sql, values) => {
    found = { sql, values: [...values] };
    return Promise.resolve([]);
  };
  await mapper.select({ rows }, 'events.search', parameters);
  return found;
}

async function fill(work) {
  const batch = 500;
  const suffix = Buffer.alloc(10);
  for (let first = 0; first < EVENTS; first += batch) {
    const rows = Array.from({ length: batch }, (_, index) => {
      const at = 1_800_000_000_000 + first + index;
      return [timeOrderedId(at, suffix), at, 'MFA_OK', `user-${(first + index) % USERS}`, 'ok'];
    });
    const marks = rows.map(() => '(?, ?, ?, ?, ?)').join(', ');
    await work.single((tx) => tx.change(`INSERT INTO security_event (${COLUMNS}) VALUES ${marks}`, rows.flat()));
  }
}
