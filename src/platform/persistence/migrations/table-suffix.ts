import type { DataSource } from 'typeorm';
import { TABLE } from '../table-options.js';

/** Ends the statement that creates a table. */
export function tableSuffix({ options }: Pick<DataSource, 'options'>): string {
  return options.type === 'better-sqlite3' ? ' WITHOUT ROWID' : ` ENGINE=${TABLE.engine}`;
}
