import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns under their old and their new names. */
const RENAMED = [
  ['account', 'epoch', 'security_stamp'],
  ['account', 'lock_seen_at', 'clock_skew_at'],
  ['session', 'half_epoch', 'half_security_stamp'],
] as const;

/** Columns take the words of the field; what they hold stays as it is. */
export class PlainNames1795737600000 implements MigrationInterface {
  readonly name = 'PlainNames1795737600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, before, after] of RENAMED) await rename(runner, table, before, after);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, before, after] of RENAMED) await rename(runner, table, after, before);
  }
}

/** A server keeps each statement by itself, so a run that was interrupted is continued. */
async function rename(runner: QueryRunner, table: string, from: string, to: string): Promise<void> {
  if (!(await runner.hasColumn(table, from))) return;
  await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`);
}
