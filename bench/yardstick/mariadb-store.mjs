import { createPool } from 'mysql2/promise';

/** The number of connections that the service opens. */
const CONNECTIONS = 10;

/** A MariaDB by mysql2: statements prepared once on each connection, in the isolation level of the service. */
export function openMariadb({ access }) {
  const pool = createPool({ ...access, connectionLimit: CONNECTIONS });
  pool.on('connection', (connection) => {
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  });
  const changeOn = async (target, sql, values) => (await target.execute(sql, values))[0].affectedRows;
  return {
    row: async (sql, values) => (await pool.execute(sql, values))[0][0],
    change: (sql, values) => changeOn(pool, sql, values),
    /** True if each statement changed a row; otherwise the transaction is rolled back. */
    async allOrNothing(statements) {
      const connection = await pool.getConnection();
      try {
        await connection.query('START TRANSACTION');
        for (const [sql, values] of statements) {
          if ((await changeOn(connection, sql, values)) === 1) continue;
          await connection.query('ROLLBACK');
          return false;
        }
        await connection.query('COMMIT');
        return true;
      } catch (error) {
        await connection.query('ROLLBACK');
        throw error;
      } finally {
        connection.release();
      }
    },
  };
}
