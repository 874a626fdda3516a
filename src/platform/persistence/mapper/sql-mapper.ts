import { Loggers } from '../../../observability/logging/loggers.js';
import type { Tx, Value } from '../unit-of-work.js';
import { type DatabaseId, withTimeLimit } from './database-id.js';
import { MapperLog } from './mapper-log.js';
import type { MapperFiles } from './mapper-files.js';
import type { MapperConfigurationProperties } from './mapper.properties.js';
import { mapRows } from './result-type.js';
import type { CompiledStatement, StatementKind } from './statement-compiler.js';

interface LoggedStatement extends CompiledStatement {
  readonly log: MapperLog;
}

/** Sends a statement; `timeout` in milliseconds, 0 without a limit. */
type Send<T> = (sql: string, values: readonly Value[], timeout: number) => Promise<T>;

/** Runs the statements of the mapper files in the transaction of the caller. */
export class SqlMapper {
  private readonly statements: ReadonlyMap<string, LoggedStatement>;
  private readonly settings: MapperConfigurationProperties;

  constructor(
    { statements, settings }: Pick<MapperFiles, 'settings' | 'statements'>,
    private readonly databaseId: DatabaseId,
    loggers = new Loggers(),
  ) {
    const logged = Array.from(statements.get(databaseId)?.values() ?? [], (statement) => {
      return { ...statement, log: new MapperLog(loggers.get(`mapper.${statement.name}`)) };
    });
    this.statements = new Map(logged.map((statement) => [statement.name, statement]));
    this.settings = settings;
  }

  /** Rows that a caller reads at a time where it reads all of them; 0 leaves it to the caller. */
  get fetchSize(): number {
    return this.settings.defaultFetchSize ?? 0;
  }

  /** Returns the rows of a `<select>`; a statement reads only own properties of its parameters. */
  async select<Row>(tx: Tx, name: string, parameters: object = {}): Promise<readonly Row[]> {
    const statement = this.find(name, ['select']);
    const send: Send<readonly object[]> = (sql, values, timeout) => tx.rows<object>(sql, values, timeout);
    const rows = await this.run(statement, parameters, send, ({ length }) => length);
    return mapRows(rows, statement.resultType, this.settings) as readonly Row[];
  }

  /** Runs an `<insert>`, `<update>` or `<delete>`; returns the number of rows as `Tx.change` does. */
  async change(tx: Tx, name: string, parameters: object = {}): Promise<number> {
    const statement = this.find(name, ['insert', 'update', 'delete']);
    return this.run(statement, parameters, (sql, values, timeout) => tx.change(sql, values, timeout), Number);
  }

  private find(name: string, kinds: readonly StatementKind[]): LoggedStatement {
    const statement = this.statements.get(name);
    if (!statement) throw new TypeError(`no mapper file has the statement ${name} for this database`);
    if (!kinds.includes(statement.kind)) throw new TypeError(`the statement ${name} is one of <${statement.kind}>`);
    return statement;
  }

  private run<T>(
    { sql: render, timeoutSeconds, log }: LoggedStatement,
    parameters: object,
    send: Send<T>,
    count: (result: T) => number,
  ): Promise<T> {
    const { text, bound } = render({ _databaseId: this.databaseId, _parameter: parameters, ...parameters });
    const [sql, values] = [text.trim(), bound.map(({ value }) => value)];
    const standard = this.settings.defaultStatementTimeout?.milliseconds ?? 0;
    const timeout = timeoutSeconds === undefined ? standard : timeoutSeconds * 1000;
    const limited = timeout === 0 ? sql : withTimeLimit(sql, this.databaseId, timeout);
    const call = (): Promise<T> => send(limited, values, timeout);
    const timed = timeout > 0 && this.databaseId === 'sqlite' ? (): Promise<T> => log.timed(timeout, call) : call;
    return log.log({ text: sql, bound }, timed, count);
  }
}
