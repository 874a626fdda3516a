import type { QueryRunner } from 'typeorm';

/** What follows the columns of a new table; texts compare byte by byte on every engine. */
export function tableSuffix(runner: QueryRunner): string {
  const isEmbedded = runner.dataSource.options.type === 'better-sqlite3';
  return isEmbedded ? ' WITHOUT ROWID' : ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
}
