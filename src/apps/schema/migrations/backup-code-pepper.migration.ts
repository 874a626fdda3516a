import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The id of the pepper of each backup code; null for codes without a pepper, and for the pepper that has no id. */
export class BackupCodePeppers1795824000061 implements MigrationInterface {
  readonly name = 'BackupCodePeppers1795824000061';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE backup_code ADD COLUMN pepper varchar(64) NULL');
  }

  /** Removes codes that the previous version cannot verify, so that it does not count them as remaining. */
  async down(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasColumn('backup_code', 'pepper'))) return;
    await runner.query('DELETE FROM backup_code WHERE pepper IS NOT NULL');
    await runner.query('ALTER TABLE backup_code DROP COLUMN pepper');
  }
}
