import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = ['applied_at', 'compatible_from'];

/**
 * Columns of TypeORM's table `migrations`: when a migration was applied (seconds since 1970), and the oldest schema level
 * whose versions still run after it. Older versions read and write this table by the names of its other columns.
 */
export class MigrationRecords1795824000000 implements MigrationInterface {
  readonly name = 'MigrationRecords1795824000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) {
      // A server commits each statement separately, so an interrupted run continues where it stopped.
      if (await runner.hasColumn('migrations', column)) continue;
      await runner.query(`ALTER TABLE migrations ADD COLUMN ${column} bigint NULL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) {
      if (await runner.hasColumn('migrations', column)) {
        await runner.query(`ALTER TABLE migrations DROP COLUMN ${column}`);
      }
    }
  }
}
