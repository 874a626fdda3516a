import { stdout } from 'node:process';
import { type Dialect, dialectOf } from './dialect.js';
import type { JpaProperties, OrmPropertiesProperties } from './jpa.properties.js';

/** Splits the text of a statement into the lines in which it is shown. */
type Format = (sql: string) => readonly string[];

const oneLine: Format = (sql) => [sql.replaceAll(/\s+/g, ' ').trim()];

/** Shows statements by `app.jpa.show-sql` and `format_sql`; values are never part of a statement. */
export class StatementOutput {
  static async of(
    { showSql }: JpaProperties,
    { formatSql, dialect }: OrmPropertiesProperties,
    url: string,
  ): Promise<StatementOutput> {
    const format = formatSql ? await severalLines(dialectOf(dialect ?? url)) : oneLine;
    return new StatementOutput(format, showSql);
  }

  constructor(
    readonly lines: Format = oneLine,
    /** True if every statement is printed, whatever the level of its logger. */
    readonly isPrinted = false,
    private readonly write: (text: string) => unknown = (text) => stdout.write(text),
  ) {}

  /** Prints a statement past the log. */
  print(sql: string): void {
    const lines = this.lines(sql);
    this.write(`SQL:${lines.length === 1 ? ' ' : '\n'}${lines.join('\n')}\n`);
  }
}

/** Loads the formatter, which no startup needs without `format_sql`. */
async function severalLines(dialect: Dialect): Promise<Format> {
  const { formatDialect, mariadb, mysql, sqlite } = await import('sql-formatter');
  const known = { mariadb, mysql, sqlite };
  return (sql) => formatDialect(sql, { dialect: known[dialect] }).split('\n');
}
