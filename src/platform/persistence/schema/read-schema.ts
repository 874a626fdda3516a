import type { DataSource } from 'typeorm';
import type { Column, Index, Schema, Table } from './schema.js';

/** Texts must compare byte by byte, since hashes and ids are among them. */
export const COLLATION = 'utf8mb4_bin';

/** Reads the tables of the database; `names` leaves out those of other owners. */
export async function readSchema(dataSource: DataSource, names?: ReadonlySet<string>): Promise<Schema> {
  const isEmbedded = dataSource.options.type === 'better-sqlite3';
  const tables = await (isEmbedded ? embeddedTables(dataSource) : serverTables(dataSource));
  return new Map(tables.filter(({ name }) => names?.has(name) ?? true).map((table) => [table.name, table]));
}

interface EmbeddedColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  /** The position in the primary key; 0 for other columns. */
  readonly pk: number;
}

async function embeddedTables(dataSource: DataSource): Promise<readonly Table[]> {
  const rows = <Row>(sql: string, values: readonly string[]): Promise<readonly Row[]> =>
    dataSource.query(sql, [...values]);
  const names = await rows<{ readonly name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    [],
  );
  const tables: Table[] = [];
  for (const { name } of names) {
    const columns = await rows<EmbeddedColumn>('SELECT * FROM pragma_table_info(?)', [name]);
    const parts = await rows<{ readonly name: string; readonly unique: number; readonly col: string | null }>(
      'SELECT il.name, il."unique", ii.name AS col FROM pragma_index_list(?) AS il, pragma_index_info(il.name) AS ii ' +
        "WHERE il.origin <> 'pk' ORDER BY il.name, ii.seqno",
      [name],
    );
    const primaryKey = columns
      .filter(({ pk }) => pk > 0)
      .toSorted((one, other) => one.pk - other.pk)
      .map((column) => column.name);
    const indexes = indexesOf(
      parts.map((part) => ({ index: part.name, isUnique: part.unique === 1, column: part.col })),
    );
    tables.push({ name, columns: columns.map(embeddedColumn), primaryKey, indexes });
  }
  return tables;
}

function embeddedColumn({ name, type, notnull, dflt_value: text }: EmbeddedColumn): Column {
  return { name, type: type.toLowerCase(), isNullable: notnull === 0, default: defaultOf(text) };
}

interface ServerColumn {
  readonly owner: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: 'YES' | 'NO';
  readonly text: string | null;
  readonly collation: string | null;
}

interface ServerIndexPart {
  readonly owner: string;
  readonly index_name: string;
  readonly non_unique: number;
  /** Null for an index over an expression. */
  readonly name: string | null;
}

async function serverTables(dataSource: DataSource): Promise<readonly Table[]> {
  const columns: readonly ServerColumn[] = await dataSource.query(
    'SELECT table_name AS owner, column_name AS name, column_type AS type, is_nullable AS nullable, ' +
      'column_default AS text, collation_name AS collation FROM information_schema.columns ' +
      'WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position',
  );
  const parts: readonly ServerIndexPart[] = await dataSource.query(
    'SELECT table_name AS owner, index_name, non_unique, column_name AS name FROM information_schema.statistics ' +
      'WHERE table_schema = DATABASE() ORDER BY table_name, index_name, seq_in_index',
  );
  const partsByTable = Map.groupBy(parts, ({ owner }) => owner);
  return Array.from(
    Map.groupBy(columns, ({ owner }) => owner),
    ([name, ofTable]) => {
      const ofIndexes = partsByTable.get(name) ?? [];
      const primary = ofIndexes.filter(({ index_name: index }) => index === 'PRIMARY');
      const others = ofIndexes.filter(({ index_name: index }) => index !== 'PRIMARY');
      return {
        name,
        columns: ofTable.map(serverColumn),
        primaryKey: primary.map((part) => part.name ?? ''),
        indexes: indexesOf(
          others.map((part) => ({
            index: part.index_name,
            isUnique: part.non_unique === 0,
            column: part.name,
          })),
        ),
      };
    },
  );
}

function serverColumn({ name, type, nullable, text, collation }: ServerColumn): Column {
  return {
    name,
    // MariaDB states the display width of integers, which has no effect.
    type: type.toLowerCase().replace(/^(\w*int)\(\d+\)/, '$1'),
    isNullable: nullable === 'YES',
    default: defaultOf(text),
    ...(collation !== null && collation !== COLLATION && { otherCollation: collation }),
  };
}

/** SQLite and MariaDB quote the text and write a missing default as NULL; MySQL does neither. */
function defaultOf(text: string | null): string | null {
  if (text === null || text.toUpperCase() === 'NULL') return null;
  return /^'.*'$/s.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;
}

interface IndexPart {
  readonly index: string;
  readonly isUnique: boolean;
  readonly column: string | null;
}

function indexesOf(parts: readonly IndexPart[]): readonly Index[] {
  return Array.from(
    Map.groupBy(parts, ({ index }) => index),
    ([name, ofIndex]) => ({
      name,
      columns: ofIndex.map(({ column }) => column ?? ''),
      isUnique: ofIndex[0]?.isUnique ?? false,
    }),
  );
}
