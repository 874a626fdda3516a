import { once } from 'node:events';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { type Connection, createServer } from 'mysql2';

/** Members of `mysql2` that its types lack. */
interface ServerSide {
  readonly stream: Socket;
  sequenceId: number;
  serverHandshake(facts: object): void;
  on(event: 'query' | 'stmt_prepare', listener: (sql: string) => void): this;
  on(event: 'error', listener: () => void): this;
}

/** `refuse` answers each statement with an error, `hang` answers none of them. */
export type Behaviour = { readonly refuse: number } | 'hang' | 'work';

const COMPRESSION = 0x20;
const TLS = 0x800;
/** Types of columns. */
const LONGLONG = 8;
const VAR_STRING = 253;

/**
 * Speaks the protocol of MySQL: it accepts every account, answers what a new connection asks, and from then on behaves as
 * told.
 */
export class FakeDatabaseServer {
  behaviour: Behaviour = 'work';
  /** The value of `read_only`: newer MariaDB has words in place of 0 and 1. */
  readOnly: number | string = 0;
  /**
   * Whether this is a node of a Galera cluster. A member that refuses statements also refuses to start transactions, and a
   * lost node refuses connections.
   */
  membership: 'none' | 'member' | 'lost' = 'none';
  port = 0;
  /** New connections wait for it. */
  opensAfter: Promise<undefined> | undefined;
  /** Statements of units of work that arrived. */
  statements = 0;
  private readonly sockets = new Set<Socket>();
  private server: NetServer | undefined;

  get connections(): number {
    return this.sockets.size;
  }

  async open(): Promise<void> {
    const server = createServer((incoming) => {
      const connection = incoming as unknown as Connection & ServerSide;
      const { stream } = connection;
      this.sockets.add(stream);
      stream.once('close', () => this.sockets.delete(stream));
      connection.on('error', () => undefined);
      if (this.opensAfter) void this.opensAfter.then(() => this.serve(connection));
      else this.serve(connection);
    });
    server.listen(0);
    this.server = (server as unknown as { readonly _server: NetServer })._server;
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const { server } = this;
    for (const socket of this.sockets) socket.destroy();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  private serve(connection: Connection & ServerSide): void {
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '10.11.0-MariaDB',
      connectionId: this.sockets.size,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xff_ffff & ~(COMPRESSION | TLS),
      authCallback: (_: unknown, respond: (error: null) => void) => {
        respond(null);
        connection.sequenceId = 0;
      },
    });
    const answer = (sql: string): void => {
      this.answer(connection, sql);
      // The packets of each command and its response count from 0.
      connection.sequenceId = 0;
    };
    connection.on('query', answer);
    connection.on('stmt_prepare', answer);
  }

  private answer(connection: Connection & ServerSide, sql: string): void {
    const { behaviour } = this;
    if (behaviour === 'hang') return;
    const isStart = sql.startsWith('START') && this.membership === 'none';
    if (isStart || /^(?:SET|SAVEPOINT|ROLLBACK|COMMIT)/.test(sql)) {
      connection.writeOk();
    } else if (sql.includes('CONNECTION_ID()') && this.membership === 'lost') {
      connection.writeError({ message: 'the wait has failed', code: 1205 });
    } else if (sql.includes('CONNECTION_ID()')) {
      const isOfCluster = this.membership === 'member' ? 1 : 0;
      writeRow(connection, { id: 1, client: '127.0.0.1:1', read_only: this.readOnly, of_cluster: isOfCluster });
    } else if (sql.includes('PROCESSLIST')) {
      // No session is left.
      writeRow(connection, { id: 0, client: '' });
    } else {
      this.statements += 1;
      const code = behaviour === 'work' ? 1047 : behaviour.refuse;
      connection.writeError({ message: 'refused', code });
    }
  }
}

/** Answers with one row. */
function writeRow(connection: Connection, row: Readonly<Record<string, number | string>>): void {
  const columns = Object.entries(row).map(([name, value]) => {
    const column = { catalog: 'def', schema: '', table: '', orgTable: '', name, orgName: '' };
    const columnType = typeof value === 'number' ? LONGLONG : VAR_STRING;
    return { ...column, characterSet: 45, columnLength: 20, columnType, flags: 0, decimals: 0 };
  });
  connection.writeTextResult([row], columns);
}
