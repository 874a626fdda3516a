import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { request } from '../events/broker.js';
import type { DatabaseKind } from '../runner/binaries.js';
import type { ServerAccess } from './database-server.js';

/** A fresh database for one test file, with the values for `app.datasource`. */
export interface FreshDatabase {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** For tests that act as the server's administrator. */
  readonly server: ServerAccess;
}

/** Creates an empty database and its account on the MariaDB of this run, which the first caller starts. */
export function freshMariadbDatabase(): Promise<FreshDatabase> {
  return freshDatabase('mariadb');
}

/** The same on a MySQL. */
export function freshMysqlDatabase(): Promise<FreshDatabase> {
  return freshDatabase('mysql');
}

async function freshDatabase(kind: DatabaseKind): Promise<FreshDatabase> {
  const server = (await request(kind)) as ServerAccess;
  const { host, port } = server;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  const connection = await createConnection({ host, port, user: server.user, password: server.password });
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.query(`CREATE USER '${name}'@'${host}' IDENTIFIED BY '${password}'`);
  await connection.query(`GRANT ALL PRIVILEGES ON ${name}.* TO '${name}'@'${host}'`);
  await connection.end();
  return { url: `jdbc:${kind}://${host}:${port}/${name}`, username: name, password, server };
}
