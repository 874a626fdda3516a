import { Loggers } from '../../../observability/logging/loggers.js';
import type { Tx } from '../unit-of-work.js';
import type { DatabaseId } from './database-id.js';
import type { StatementKind } from './mapper-file.js';
import { MapperLog } from './mapper-log.js';
import type { MapperFiles, MapperSettings } from './mapper-files.js';
import { Rendering } from './rendering.js';
import { RowMapper } from './result-rows.js';
import { Scope } from './scope.js';
import type { CompiledStatement } from './statement-compiler.js';
import { withTimeLimit } from './statement-timeout.js';

/** Named parameters; a statement reads only own properties. */
export type Parameters = object;

interface ReadyStatement extends CompiledStatement {
  readonly rowMapper: RowMapper;
  readonly log: MapperLog;
  /** Milliseconds; 0 sets no limit. */
  readonly timeout: number;
}

/** Runs the statements of the mapper files in the transaction of the caller. */
export class SqlMapper {
  /** Rows that a caller reads at a time where it reads all of them; 0 leaves it to the caller. */
  readonly fetchSize: number;
  private readonly statements: ReadonlyMap<string, ReadyStatement>;

  constructor(
    files: Pick<MapperFiles, 'compile' | 'settings'>,
    private readonly databaseId: DatabaseId,
    loggers = new Loggers(),
  ) {
    const ready = Array.from(files.compile(databaseId), ([name, statement]) => {
      return [name, readied(statement, files.settings, loggers)] as const;
    });
    this.statements = new Map(ready);
    this.fetchSize = files.settings.fetchSize;
  }

  /** The rows of a `<select>`. */
  async select<Row>(tx: Tx, name: string, parameters: Parameters = {}): Promise<readonly Row[]> {
    const statement = this.find(name, ['select']);
    const rows = await this.run(
      statement,
      parameters,
      (sql, values, timeout) => tx.rows<object>(sql, values, timeout),
      ({ length }) => length,
    );
    return statement.rowMapper.rows(rows) as readonly Row[];
  }

  /** Runs an `<insert>`, `<update>` or `<delete>`; returns the number of rows as `Tx.change` does. */
  async change(tx: Tx, name: string, parameters: Parameters = {}): Promise<number> {
    const statement = this.find(name, ['insert', 'update', 'delete']);
    return this.run(
      statement,
      parameters,
      (sql, values, timeout) => tx.change(sql, values, timeout),
      (count) => count,
    );
  }

  /** Runs an `<insert>`; returns false if a row with the same unique key exists. */
  async insert(tx: Tx, name: string, parameters: Parameters = {}): Promise<boolean> {
    return this.run(
      this.find(name, ['insert']),
      parameters,
      (sql, values, timeout) => tx.insert(sql, values, timeout),
      Number,
    );
  }

  private find(name: string, kinds: readonly StatementKind[]): ReadyStatement {
    const statement = this.statements.get(name);
    if (!statement) throw new TypeError(`no mapper file has the statement ${name} for this database`);
    if (!kinds.includes(statement.kind)) throw new TypeError(`the statement ${name} is one of <${statement.kind}>`);
    return statement;
  }

  private run<T>(
    { name, nodes, log, timeout }: ReadyStatement,
    parameters: Parameters,
    send: (sql: string, values: Rendering['values'], timeout: number) => Promise<T>,
    count: (result: T) => number,
  ): Promise<T> {
    const root = { _databaseId: this.databaseId, _parameter: parameters };
    const rendering = new Rendering(name, new Scope(parameters, new Scope(root)));
    for (const node of nodes) node(rendering);
    rendering.sql = rendering.sql.trim();
    const sql = timeout > 0 ? withTimeLimit(rendering.sql, this.databaseId, timeout) : rendering.sql;
    const call = (): Promise<T> =>
      timeout > 0 && this.databaseId === 'sqlite'
        ? this.timed(log, timeout, () => send(sql, rendering.values, timeout))
        : send(sql, rendering.values, timeout);
    return log.isEnabled ? log.log(rendering, call, count) : call();
  }

  /** The embedded database runs a statement to its end, on the thread of the caller; that it was slow is logged. */
  private async timed<T>(log: MapperLog, timeout: number, send: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    // Its statement has ended when the call returns, so the wait for other work is not counted.
    const result = send();
    const millis = performance.now() - begun;
    if (millis > timeout) log.overrun(millis, timeout);
    return result;
  }
}

function readied(statement: CompiledStatement, settings: MapperSettings, loggers: Loggers): ReadyStatement {
  const { name, shape, timeoutSeconds } = statement;
  const timeout = timeoutSeconds === undefined ? settings.statementTimeoutMillis : timeoutSeconds * 1000;
  return { ...statement, timeout, rowMapper: new RowMapper(shape, settings), log: new MapperLog(loggers, name) };
}
