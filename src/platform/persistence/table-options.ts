import type { DataSource, EntityOptions } from 'typeorm';

/** Options of every entity. Texts compare byte by byte on every engine, since hashes and ids are among them. */
export const TABLE = {
  withoutRowid: true,
  // TypeORM knows no collation of a table, and writes this behind `ENGINE=`.
  engine: 'InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
} as const satisfies EntityOptions;

/** Suffix of the statement that creates a table. */
export function tableSuffix({ options }: Pick<DataSource, 'options'>): string {
  return options.type === 'better-sqlite3' ? ' WITHOUT ROWID' : ` ENGINE=${TABLE.engine}`;
}
