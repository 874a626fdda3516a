import type { Connection, PrepareStatementInfo } from 'mysql2';
import { LruMap } from '../../collections/lru-map.js';

/** More than the texts of all stores; HikariCP recommends 250 to 500 for a connection. */
export const MAX_PREPARED = 250;

/**
 * The statements that are prepared on one connection, by their texts. Dynamic SQL has any number of texts, and the server
 * keeps each of its statements in memory, so the one that was used least recently is closed. The server executes what was
 * sent before the close, because commands of a connection never overtake each other.
 */
export class PreparedStatements {
  private readonly statements = new LruMap<string, PrepareStatementInfo>(MAX_PREPARED, (sql) => {
    this.driver.unprepare(sql);
  });

  constructor(private readonly driver: Pick<Connection, 'unprepare'>) {}

  /** The open statement with this text. */
  get(sql: string): PrepareStatementInfo | undefined {
    const statement = this.statements.get(sql);
    if (statement) this.statements.set(sql, statement);
    return statement;
  }

  /** Adds a statement that the driver has prepared. */
  set(sql: string, statement: PrepareStatementInfo): void {
    if (this.statements.get(sql) !== statement) this.forgetWhenClosed(sql, statement);
    this.statements.set(sql, statement);
  }

  /** The driver has a map of its own. Whatever makes it close a statement, the statement must not be executed any more. */
  private forgetWhenClosed(sql: string, statement: PrepareStatementInfo): void {
    const close = statement.close.bind(statement);
    let isOpen = true;
    statement.close = () => {
      // The driver closes a statement twice when it is told to.
      if (!isOpen) return;
      isOpen = false;
      if (this.statements.get(sql) === statement) this.statements.delete(sql);
      close();
    };
  }
}
