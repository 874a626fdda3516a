import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { freeAccess } from './database-server.js';
import { freePort } from '../programs/free-port.js';
import { GaleraNode, JOIN_LIMIT_MILLIS } from './galera-node.js';
import { keepFolder } from '../programs/kept-process.js';
import type { Engine, SqlValue, StoryDatabase } from './story-database.js';
import { waitUntil } from '../runner/wait-until.js';

const SIZE = 3;
/** The defaults of Galera for the options that tests change. */
const DEFAULTS = [
  'evs.keepalive_period=PT1S',
  'evs.inactive_check_period=PT0.5S',
  'evs.suspect_timeout=PT5S',
  'evs.inactive_timeout=PT15S',
];

/** The account of a database on all nodes; `urlAt` begins with the node of that number. */
export interface ClusterSettings {
  readonly username: string;
  readonly password: string;
  readonly urlAt: (number: number) => string;
}

/** Three nodes of MariaDB Galera on this machine. */
export class GaleraCluster implements Engine {
  readonly name = 'Galera';
  private members: readonly GaleraNode[] = [];
  private database = '';
  private begun: Promise<void> | undefined;

  get nodes(): readonly GaleraNode[] {
    return this.members;
  }

  node(number: number): GaleraNode {
    const node = this.members[number % SIZE];
    if (!node) throw new Error('the cluster has not begun');
    return node;
  }

  /** Starts the nodes, which end with this process. */
  begin(): Promise<void> {
    return (this.begun ??= this.start());
  }

  /** Waits until all nodes are members again, at the same time: a node that hung reports the state of before at first. */
  async untilWhole(): Promise<void> {
    await waitUntil(
      'all nodes are synchronized',
      async () => (await Promise.all(this.members.map((node) => node.isMember(SIZE)))).every(Boolean),
      { limitMillis: JOIN_LIMIT_MILLIS },
    );
  }

  /** Sets options of the replication, such as `evs.suspect_timeout=PT2S`, at all nodes. */
  async tune(options: readonly string[]): Promise<void> {
    for (const node of this.members) await node.tune(options);
  }

  /** An empty database with an account of its own. */
  async freshSettings(): Promise<ClusterSettings> {
    const name = `test_${randomBytes(6).toString('hex')}`;
    const password = randomBytes(12).toString('hex');
    const first = this.node(0);
    await first.query(`CREATE DATABASE ${name}`);
    await first.query(`CREATE USER '${name}'@'127.0.0.1' IDENTIFIED BY '${password}'`);
    await first.query(`GRANT ALL PRIVILEGES ON ${name}.* TO '${name}'@'127.0.0.1'`);
    // The other nodes apply the rights a moment later, and a login does not wait for them.
    for (const node of this.members) {
      await node.query('SELECT 1 FROM mysql.db WHERE User = ?', [name], { isCurrent: true });
    }
    const urlAt = (number: number): string => {
      const hosts = this.members.map((_, index) => this.node(number + index).access);
      return `jdbc:mariadb://${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${name}`;
    };
    return { username: name, password, urlAt };
  }

  /** The database of a story; each service has another node as its first host. */
  async freshDatabase(): Promise<StoryDatabase> {
    const { username, password, urlAt } = await this.freshSettings();
    this.database = username;
    const argsAt = (service: number): readonly string[] => [
      `--app.datasource.url=${urlAt(service)}`,
      `--app.datasource.username=${username}`,
      `--app.datasource.password=${password}`,
      '--app.datasource.pool.connection-timeout=3000',
    ];
    const query = <Row>(sql: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> =>
      this.node(0).query<Row>(sql, values, { database: username, isCurrent: true });
    return { args: argsAt(0), argsAt, query };
  }

  /** Queries the newest database of a story on every node, after all writes of the other nodes have arrived there. */
  queryEach<Row>(sql: string, values: readonly SqlValue[] = []): Promise<readonly (readonly Row[])[]> {
    const options = { database: this.database, isCurrent: true };
    return Promise.all(this.members.map((node) => node.query<Row>(sql, values, options)));
  }

  private async start(): Promise<void> {
    // Not in the folder of the run, which is closed to the user of the servers.
    const folder = mkdtempSync(join(dirname(inject('runFolder')), 'login-service-galera-'));
    keepFolder(folder);
    chmodSync(folder, 0o711);
    const access = await freeAccess();
    const members: GaleraNode[] = [];
    for (let number = 1; number <= SIZE; number += 1) {
      const own = { ...access, port: await freePort() };
      members.push(await GaleraNode.create(`node-${number}`, folder, own));
    }
    this.members = members;
    const [first, ...others] = members;
    await first?.bootstrap();
    // One after the other: the first node can copy its data to one node only, and would be busy for the next one.
    for (const node of others) {
      await node.join(members);
      await node.untilMember(members.indexOf(node) + 1);
    }
  }
}

/** The test files of a process share one cluster: three servers take some ten seconds to start. */
const shared = new GaleraCluster();

/** The cluster for the tests of a file, with these options of the replication. */
export function galeraCluster(options: readonly string[] = DEFAULTS): GaleraCluster {
  beforeAll(async () => {
    await shared.begin();
    await shared.untilWhole();
    if (options !== DEFAULTS) await shared.tune(options);
  }, 120_000);
  afterAll(async () => {
    if (options !== DEFAULTS) await shared.tune(DEFAULTS);
  });
  return shared;
}
