import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { findGalera, programOf } from '../runner/binaries.js';
import {
  administratorFile,
  installDatabase,
  type ServerAccess,
  serverArguments,
  untilAnswers,
} from './database-server.js';
import { freePort } from '../programs/free-port.js';
import { KeptProcess } from '../programs/kept-process.js';
import type { SqlValue } from './story-database.js';
import { waitUntil } from '../runner/wait-until.js';

/** What a node reports about the cluster. */
export interface NodeState {
  readonly size: number;
  /** False for a node that has no quorum, or is copying the data: it answers every statement with error 1047. */
  readonly isReady: boolean;
  readonly isSynced: boolean;
}

/** Ports of the protocols between nodes. */
interface Ports {
  readonly group: number;
  readonly increment: number;
  readonly snapshot: number;
}

const HOST = '127.0.0.1';
const QUERY_LIMIT_MILLIS = 5_000;
export const JOIN_LIMIT_MILLIS = 60_000;
/** The copy of all data to a new node drops the rights of root, so a server of root's could not read its files. */
const IS_SUPERUSER = process.getuid?.() === 0;
const AS_USER = IS_SUPERUSER ? ['--user=mysql'] : [];

/** One server of a MariaDB Galera cluster, with its data below a folder. */
export class GaleraNode {
  private server: KeptProcess | undefined;
  private options: readonly string[] = [];

  private constructor(
    readonly name: string,
    readonly access: ServerAccess,
    private readonly folder: string,
    private readonly ports: Ports,
  ) {}

  static async create(name: string, clusterFolder: string, access: ServerAccess): Promise<GaleraNode> {
    const folder = join(clusterFolder, name);
    mkdirSync(join(folder, 'data'), { recursive: true });
    const ports = { group: await freePort(), increment: await freePort(), snapshot: await freePort() };
    return new GaleraNode(name, access, folder, ports);
  }

  get groupAddress(): string {
    return `${HOST}:${this.ports.group}`;
  }

  /** Starts the first node, which creates the cluster and its administrator. */
  async bootstrap(): Promise<void> {
    this.giveFolder();
    await installDatabase('mariadb', this.folder, AS_USER);
    const init = administratorFile(this.folder, this.access);
    await this.run([`--init-file=${init}`, '--wsrep-new-cluster', '--wsrep-cluster-address=gcomm://']);
  }

  /** Starts the node as a member of a cluster, after a kill again with the data that it has. */
  async join(members: readonly GaleraNode[]): Promise<void> {
    const addresses = members.map(({ groupAddress }) => groupAddress).join(',');
    await this.run([`--wsrep-cluster-address=gcomm://${addresses}`]);
  }

  async kill(): Promise<void> {
    this.server?.signal('SIGKILL');
    await this.server?.exit;
  }

  /** Stops the process where it is, like a machine that hangs: connections stay open, and nothing responds. */
  freeze(): void {
    this.server?.signal('SIGSTOP');
  }

  thaw(): void {
    this.server?.signal('SIGCONT');
  }

  /** Cuts the node off from the other nodes, but not from its clients. */
  async isolate(): Promise<void> {
    await this.query("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'");
  }

  async reunite(): Promise<void> {
    await this.query("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'");
  }

  /** Sets options of the replication, which the node keeps when it starts again. */
  async tune(options: readonly string[]): Promise<void> {
    await this.query(`SET GLOBAL wsrep_provider_options = '${options.join(';')}'`);
    this.options = options;
  }

  /** Runs a statement as the administrator; `isCurrent` first waits for all writes of the other nodes. */
  async query<Row>(
    sql: string,
    values: readonly SqlValue[] = [],
    { database, isCurrent = false }: { readonly database?: string; readonly isCurrent?: boolean } = {},
  ): Promise<readonly Row[]> {
    const { host, port, user, password } = this.access;
    const connection = await createConnection({
      ...{ host, port, user, password, connectTimeout: QUERY_LIMIT_MILLIS },
      ...(database !== undefined && { database }),
    });
    try {
      if (isCurrent) await connection.query('SET SESSION wsrep_sync_wait = 1');
      const [rows] = await connection.query({ sql, timeout: QUERY_LIMIT_MILLIS }, [...values]);
      return rows as unknown as readonly Row[];
    } finally {
      connection.destroy();
    }
  }

  /** Undefined if the node does not respond. */
  async state(): Promise<NodeState | undefined> {
    try {
      const rows = await this.query<{ Variable_name: string; Value: string }>("SHOW GLOBAL STATUS LIKE 'wsrep\\_%'");
      const byName = new Map(rows.map((row) => [row.Variable_name, row.Value]));
      return {
        size: Number(byName.get('wsrep_cluster_size')),
        isReady: byName.get('wsrep_ready') === 'ON',
        isSynced: byName.get('wsrep_local_state_comment') === 'Synced',
      };
    } catch {
      return undefined;
    }
  }

  /** True for a working member of a cluster of that size. */
  async isMember(size: number): Promise<boolean> {
    const state = await this.state();
    return state?.isReady === true && state.isSynced && state.size === size;
  }

  async untilMember(size: number): Promise<void> {
    await waitUntil(`${this.name} is one of ${size} synchronized nodes`, () => this.isMember(size), {
      limitMillis: JOIN_LIMIT_MILLIS,
    });
  }

  async untilState(awaited: string, accepts: (state: NodeState) => boolean): Promise<void> {
    await waitUntil(
      `${this.name} ${awaited}`,
      async () => {
        const state = await this.state();
        return state !== undefined && accepts(state);
      },
      { limitMillis: JOIN_LIMIT_MILLIS },
    );
  }

  private async run(asMember: readonly string[]): Promise<void> {
    const { group, increment, snapshot } = this.ports;
    const provider = [
      `gmcast.listen_addr=tcp://${HOST}:${group}`,
      `ist.recv_addr=${HOST}:${increment}`,
      'gcache.size=32M',
      ...this.options,
    ];
    const args = [
      ...serverArguments(this.folder, this.access),
      ...AS_USER,
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      // Small, since a new node copies it.
      '--innodb-log-file-size=16M',
      '--wsrep-on=ON',
      `--wsrep-provider=${findGalera() ?? ''}`,
      `--wsrep-provider-options=${provider.join(';')}`,
      `--wsrep-node-name=${this.name}`,
      `--wsrep-node-address=${HOST}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=${HOST}:${snapshot}`,
      ...asMember,
    ];
    this.giveFolder();
    const env = { PATH: process.env['PATH'] ?? '' };
    this.server = await KeptProcess.start(programOf('mariadb'), args, { env, cwd: this.folder });
    await untilAnswers('mariadb', this.server, this.access);
  }

  /** Gives all files of the node to the user of the server. */
  private giveFolder(): void {
    if (IS_SUPERUSER) execFileSync('chown', ['-R', 'mysql:', this.folder]);
  }
}
