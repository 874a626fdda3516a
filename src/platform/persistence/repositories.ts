import { type DataSource, DefaultNamingStrategy, type QueryRunner, type Repository, type Table } from 'typeorm';
import { entities, type EntityClass } from './schema/expected-schema.js';

/** Runs a statement of a unit of work. */
type Rows = (sql: string, values?: readonly (string | number | null)[]) => Promise<readonly unknown[]>;

/** The reads of a repository. Changes are statements, since their row counts decide. */
export type ReadRepository<Entity extends object> = Pick<Repository<Entity>, 'find' | 'createQueryBuilder'>;

/** Names a unique key as a server does for which a migration has given no name: by its first column. */
class KeyNames extends DefaultNamingStrategy {
  override uniqueConstraintName(_: Table | string, [first = '']: string[]): string {
    return first;
  }

  /** Names the index that a server creates for a constraint; every other index has a name. */
  override indexName(_: Table | string, [first = '']: string[]): string {
    return first;
  }
}

/** Gives a data source the entities that are loaded; `initialize` builds their metadata. */
export function withEntities(dataSource: DataSource): DataSource {
  const { driver, options } = dataSource;
  // SQLite keeps a type as a migration writes it. TypeORM would replace `int`, and does not know `mediumtext`.
  if (options.type === 'better-sqlite3') {
    driver.supportedDataTypes.push('mediumtext');
    driver.normalizeType = ({ type }) => String(type);
  }
  return dataSource.setOptions({ entities: [...entities()], namingStrategy: new KeyNames() });
}

/**
 * A repository whose reads are the statements of a unit of work. The first one waits for the metadata of the entities, which a
 * startup does not need and would build in 12 ms.
 */
export async function repositoryOf<Entity extends object>(
  dataSource: DataSource,
  entity: EntityClass<Entity>,
  rows: Rows,
): Promise<ReadRepository<Entity>> {
  if (!dataSource.hasMetadata(entity)) await buildMetadata(withEntities(dataSource));
  return dataSource.createEntityManager(runnerOf(dataSource, rows)).getRepository(entity);
}

/** Calls a private method of TypeORM, which only `initialize` calls. */
function buildMetadata(dataSource: DataSource): Promise<void> {
  return (dataSource as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
}

/** Returns the query runner of the engine with another `query`, so that it needs no connection. */
function runnerOf(dataSource: DataSource, rows: Rows): QueryRunner {
  const query = async (...[sql, values]: Parameters<Rows>): Promise<object> => {
    if (!sql.startsWith('SELECT ')) throw new TypeError('a repository only reads');
    return { records: await rows(...withLimitAsValue(sql, values)) };
  };
  // The embedded database has one runner for all.
  return Object.assign(Object.create(dataSource.createQueryRunner()) as QueryRunner, { query });
}

/** TypeORM writes a limit into the text. As a value, it leaves one statement to prepare, whatever the size of a page. */
function withLimitAsValue(sql: string, values: Parameters<Rows>[1] = []): Parameters<Rows> {
  const [written, limit] = / LIMIT (\d+)/.exec(sql) ?? [];
  if (written === undefined) return [sql, values];
  const [before = '', after = ''] = sql.split(written);
  return [`${before} LIMIT ?${after}`, values.toSpliced(before.split('?').length - 1, 0, Number(limit))];
}
