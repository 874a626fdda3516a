import type { MigrationInterface, QueryRunner } from 'typeorm';
import { driverCode } from '../engines/driver-failure.js';
import type { MigrationClass } from './history.js';

const CREATES_TABLE = /^CREATE TABLE (\w+)/;
/** A line of such a statement: the name of a column and its type. */
const COLUMN = /^ +([a-z_]+) [a-z]+/gm;

/** Errors of a server for a column, index or table that an interrupted run has added or dropped before. */
const IS_DONE = new Set(['ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME', 'ER_CANT_DROP_FIELD_OR_KEY', 'ER_BAD_TABLE_ERROR']);

/**
 * A migration that continues where an interrupted run has stopped. A server commits each change of a table separately, so
 * a process that dies leaves a part of a migration without a record of it. The embedded database rolls that part back.
 */
export function resumable(migration: MigrationClass): MigrationClass {
  return class implements MigrationInterface {
    private readonly whole = new migration();
    readonly name = this.whole.name;

    async up(runner: QueryRunner): Promise<void> {
      await this.whole.up(resuming(runner));
    }

    async down(runner: QueryRunner): Promise<void> {
      await this.whole.down(resuming(runner));
    }
  };
}

function resuming(runner: QueryRunner): QueryRunner {
  if (runner.dataSource.options.type === 'better-sqlite3') return runner;
  return new Proxy(runner, {
    get(target, property) {
      if (property === 'query') return (sql: string, values?: unknown[]) => once(target, sql, values);
      const member: unknown = Reflect.get(target, property);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

async function once(runner: QueryRunner, sql: string, values?: unknown[]): Promise<unknown> {
  try {
    return await runner.query(sql, values);
  } catch (error) {
    const code = driverCode(error);
    if (IS_DONE.has(code)) return [];
    if (code === 'ER_TABLE_EXISTS_ERROR' && (await isOwn(runner, sql))) return [];
    throw error;
  }
}

/**
 * A table with rows, or without one of the columns, belongs to another application: no version uses a table before its
 * migration is recorded.
 */
async function isOwn(runner: QueryRunner, sql: string): Promise<boolean> {
  const table = CREATES_TABLE.exec(sql)?.[1];
  if (table === undefined) return false;
  const columns = Array.from(sql.matchAll(COLUMN), ([, name]) => name);
  try {
    const rows: unknown = await runner.query(`SELECT ${columns.join(', ')} FROM ${table} LIMIT 1`);
    return Array.isArray(rows) && rows.length === 0;
  } catch (error) {
    if (driverCode(error) === 'ER_BAD_FIELD_ERROR') return false;
    throw error;
  }
}
