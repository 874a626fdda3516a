import { ConnectionPool, type PoolParts } from '../pool/connection-pool.js';
import type { Host } from '../jdbc/jdbc-url.js';
import type { ServerConnection } from './server-connection.js';
import type { ServerConnector } from './server-connector.js';

/** The connections to a database server, which stores, mapper and migrations share. */
export class ServerPool extends ConnectionPool<ServerConnection> {
  constructor(
    private readonly connector: ServerConnector,
    parts: Omit<PoolParts<ServerConnection>, 'open'>,
  ) {
    super({ ...parts, open: () => connector.open() });
  }

  /** Closes all connections to a host that rejects statements for now, and tries other hosts first. */
  leave(host: Host): void {
    this.connector.leave(host);
    this.evict((connection) => connection.host === host);
  }
}
