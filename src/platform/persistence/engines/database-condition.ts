/** A state of the database in which it rejects statements that are correct, and that an operator or time ends. */
export type DatabaseCondition =
  | 'full'
  | 'denied'
  | 'read_only'
  | 'unready'
  | 'exhausted'
  | 'limited'
  | 'uncommitted'
  | 'stopping'
  | 'damaged'
  | 'unwritable';

/** The reason, for operators. */
export const CONDITIONS: Readonly<Record<DatabaseCondition, string>> = {
  full: 'the disk of the database, a table or its log is full',
  denied: 'the account of the service lacks a right, or may not sign in',
  read_only: 'the database is read-only',
  unready: 'the node is not a working member of its cluster',
  exhausted: 'the database has no more connections, prepared statements, memory or files for the service',
  limited: 'the database cancelled the statement, because of a limit or of an administrator',
  uncommitted: 'the database could not complete a commit or a rollback',
  stopping: 'the database is shutting down, or has ended the session',
  damaged: 'the storage of the database reports an error',
  unwritable: 'the file of the database cannot be opened or written',
};

/**
 * The conditions that last until an operator acts, and that a health check does not find by itself. It finds a server that is
 * read-only or refuses connections.
 */
const LASTING: ReadonlySet<DatabaseCondition> = new Set(['full', 'denied', 'damaged', 'unwritable']);

export function isLasting(condition: DatabaseCondition): boolean {
  return LASTING.has(condition);
}

/** Error numbers of MySQL and MariaDB; those below 1000 are of their file layer. */
const ERRORS: Readonly<Record<Exclude<DatabaseCondition, 'unwritable'>, readonly number[]>> = {
  full: [1, 3, 20, 1004, 1021, 1026, 1114, 1197, 1534, 1598, 1705],
  denied: [1044, 1045, 1142, 1143, 1227, 1370, 1698, 1820, 1862, 3118, 4151],
  read_only: [1036, 1223, 1290, 1792, 1836, 1874],
  unready: [1047],
  exhausted: [5, 23, 1037, 1038, 1040, 1041, 1129, 1135, 1203, 1206, 1226, 1461, 1637],
  limited: [1317, 1969, 3024],
  uncommitted: [1180, 1181],
  stopping: [1053, 1927, 3169, 4031],
  damaged: [2, 1016, 1017, 1023, 1024, 1030, 1034, 1035, 1194, 1195, 1712, 1812, 1813, 1814, 1815, 1932],
};

const BY_NUMBER: ReadonlyMap<number, DatabaseCondition> = new Map(
  Object.entries(ERRORS).flatMap(([condition, numbers]) =>
    numbers.map((number) => [number, condition as DatabaseCondition] as const),
  ),
);

/** Classes of SQLSTATE: lost connection and cancelled statement. Class HY000 has both conditions and defects. */
const BY_CLASS: ReadonlyMap<string, DatabaseCondition> = new Map([
  ['08', 'stopping'],
  ['53', 'exhausted'],
  ['57', 'stopping'],
  ['58', 'damaged'],
  ['70', 'limited'],
]);

/** The condition that an error of MySQL or MariaDB reports; undefined for a defect, and for what only affects its own rows. */
export function serverCondition(number: number, sqlState: unknown): DatabaseCondition | undefined {
  return BY_NUMBER.get(number) ?? (typeof sqlState === 'string' ? BY_CLASS.get(sqlState.slice(0, 2)) : undefined);
}

/** Primary result codes of SQLite. */
const OF_SQLITE: ReadonlyMap<number, DatabaseCondition> = new Map([
  [7, 'exhausted'],
  [8, 'unwritable'],
  [10, 'damaged'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'unwritable'],
  [22, 'unwritable'],
  [26, 'damaged'],
]);

export function embeddedCondition(resultCode: number): DatabaseCondition | undefined {
  return OF_SQLITE.get(resultCode & 0xff);
}
