// What it costs to borrow a connection from the pool of the service for one statement, against the same statement on a
// connection that was borrowed once.
import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { compare, goal } from '../measure.mjs';

const STATEMENT = 'SELECT value FROM fact WHERE id = ?';
const ROWS = 1000;
const CALLS = 2000;
const ROUNDS = { rounds: 25, warmUp: 5 };
const MOST_RATIO = 1.1;

export async function part({ database: { access, settings } }) {
  const raw = await createConnection(access);
  await raw.query('CREATE TABLE fact (id int PRIMARY KEY, value varchar(40) NOT NULL)');
  await raw.query(`INSERT INTO fact SELECT seq, UUID() FROM seq_1_to_${ROWS}`);
  await raw.end();
  const pool = await poolAt(settings);
  try {
    const ratio = await compare(
      {
        name: `${CALLS} statements, each on a borrowed connection`,
        run: () =>
          timed(async (id) => {
            const lease = await pool.borrow();
            await execute(lease.connection.driver, id);
            lease.release();
          }),
      },
      {
        // The same connection, lent once: two connections have threads of the server that may run on different cores.
        name: `${CALLS} statements on one connection`,
        run: async () => {
          const lease = await pool.borrow();
          const millis = await timed((id) => execute(lease.connection.driver, id));
          lease.release();
          return millis;
        },
      },
      ROUNDS,
    );
    goal(`a borrowed connection costs at most ${MOST_RATIO} times the statement`, ratio <= MOST_RATIO);
  } finally {
    await pool.close();
  }
}

async function poolAt(settings) {
  const { dataSourceOptions, poolOf } = await import('../../dist/platform/persistence/database.js');
  const value = (key) => settings.find((setting) => setting.startsWith(`--app.datasource.${key}=`)).split(/=(.*)/s)[1];
  const account = { url: value('url'), username: value('username'), password: value('password') };
  return poolOf(new DataSource(await dataSourceOptions(account)));
}

async function timed(call) {
  const begun = performance.now();
  for (let index = 0; index < CALLS; index++) await call((index * 7919) % ROWS);
  return performance.now() - begun;
}

function execute(connection, id) {
  return new Promise((resolve, reject) => {
    connection.execute(STATEMENT, [id + 1], (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}
