import type { Connection, PrepareStatementInfo } from 'mysql2';

/** Statements that a connection keeps prepared: more than all stores have; HikariCP recommends 250 to 500. */
export const MAX_PREPARED = 250;

interface Entry {
  readonly statement: PrepareStatementInfo;
  /** Sequence number of the last use. */
  used: number;
}

/**
 * The statements that are prepared on one connection, by their texts. Dynamic SQL has any number of texts, and the server
 * keeps each of its statements in memory, so the one that was used least recently is closed. The server executes what was
 * sent before the close, because commands of a connection never overtake each other.
 */
export class PreparedStatements {
  private readonly entries = new Map<string, Entry>();
  private uses = 0;

  constructor(private readonly driver: Pick<Connection, 'unprepare'>) {}

  /** The open statement with this text. */
  get(sql: string): PrepareStatementInfo | undefined {
    const entry = this.entries.get(sql);
    // Every statement comes here. A number costs less than a map in the order of uses.
    if (entry) entry.used = this.uses += 1;
    return entry?.statement;
  }

  /** Adds a statement that the driver has prepared. */
  set(sql: string, statement: PrepareStatementInfo): void {
    if (this.entries.get(sql)?.statement === statement) return;
    this.forgetWhenClosed(sql, statement);
    this.entries.set(sql, { statement, used: (this.uses += 1) });
    if (this.entries.size > MAX_PREPARED) this.driver.unprepare(this.leastRecent());
  }

  /** Forgets a statement that the driver closes for a reason of its own, since it must not be executed any more. */
  private forgetWhenClosed(sql: string, statement: PrepareStatementInfo): void {
    const close = statement.close.bind(statement);
    let isOpen = true;
    statement.close = () => {
      // The driver closes a statement twice when it is told to.
      if (!isOpen) return;
      isOpen = false;
      if (this.entries.get(sql)?.statement === statement) this.entries.delete(sql);
      close();
    };
  }

  private leastRecent(): string {
    let [oldest, lastUse] = ['', Infinity];
    for (const [sql, { used }] of this.entries) if (used < lastUse) [oldest, lastUse] = [sql, used];
    return oldest;
  }
}
