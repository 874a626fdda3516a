import type { DataSource } from 'typeorm';

/** Ends the statement that creates a table; texts compare byte by byte on every engine. */
export function tableSuffix({ options }: Pick<DataSource, 'options'>): string {
  return options.type === 'better-sqlite3'
    ? ' WITHOUT ROWID'
    : ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
}
