// The yardstick works on a database that the service has created and filled. Only the authenticator secrets are sealed
// again, because the service seals them with its own key.
import { Buffer } from 'node:buffer';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { KEY } from '../load/totp.mjs';
import { sealed } from './tokens.mjs';

const ROWS = 'SELECT id, user_id FROM totp_secret';
const UPDATE = 'UPDATE totp_secret SET sealed = ? WHERE id = ?';

/** @param database `{ file }` of SQLite or `{ access }` of MariaDB */
export async function takeOver(database, sealKey) {
  const key = Buffer.from(sealKey, 'hex');
  if (database.file) {
    const connection = new DatabaseSync(database.file);
    connection.exec('BEGIN');
    const update = connection.prepare(UPDATE);
    for (const { id, user_id } of connection.prepare(ROWS).all()) update.run(sealed(key, KEY, user_id), id);
    connection.exec('COMMIT');
    connection.close();
    return;
  }
  const connection = await createConnection(database.access);
  const [rows] = await connection.query(ROWS);
  await connection.beginTransaction();
  for (const { id, user_id } of rows) await connection.execute(UPDATE, [sealed(key, KEY, user_id), id]);
  await connection.commit();
  await connection.end();
}
