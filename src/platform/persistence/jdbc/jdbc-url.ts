import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { ConversionProblem } from '../../../config/problem.js';
import {
  belongsToKey,
  decode,
  parsePairs,
  readParameters,
  type ServerParameters,
  type TlsMode,
  withoutEffect,
} from './jdbc-parameters.js';

export interface Host {
  readonly name: string;
  readonly port: number;
}

interface EmbeddedDatabase {
  readonly engine: 'sqlite';
  /** Path relative to the working folder, or `:memory:`. */
  readonly file: string;
  readonly notes: readonly string[];
}

export interface JdbcServer extends ServerParameters {
  readonly engine: 'mysql' | 'mariadb';
  /** At least one host, in the order of connection attempts. */
  readonly hosts: readonly Host[];
  readonly database: string;
}

/** The target of a JDBC URL; `notes` are sentences for the operator without secrets. */
export type DatabaseLocation = EmbeddedDatabase | JdbcServer;

const SUPPORTED =
  'jdbc:sqlite:<path>, jdbc:mysql://<host>[:<port>]/<database>, jdbc:mariadb://<host>[:<port>]/<database>';
const MYSQL_PORT = 3306;

/** Parses `app.datasource.url`. */
export function parseJdbcUrl(url: string): DatabaseLocation | ConversionProblem {
  const sqlite = /^jdbc:sqlite:([^?]*)(?:\?(.*))?$/s.exec(url);
  if (sqlite) return embeddedDatabase(sqlite[1] ?? '', sqlite[2]);
  const server = /^jdbc:(mysql|mariadb):\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url);
  if (!server) return new ConversionProblem(`not a database this service knows; supported are ${SUPPORTED}`);
  const [, engine, user, hostList = '', database = '', query] = server;

  const hosts = hostsOf(hostList);
  if (hosts instanceof ConversionProblem) return hosts;
  if (database === '') return new ConversionProblem('the URL names no database behind the host');
  const parameters = readParameters(query);
  if (parameters instanceof ConversionProblem) return parameters;
  if (parameters.tls === 'verify-identity' && hasAddresses({ hosts })) {
    return new ConversionProblem('VERIFY_IDENTITY needs host names: the driver cannot verify an IP address');
  }
  return {
    engine: engine as JdbcServer['engine'],
    hosts,
    database: decode(database),
    ...(user === undefined ? parameters : withUserPart(parameters, user)),
  };
}

/** A bundle without `sslMode` asks for the strongest protection. */
export function tlsModeOf({ tls, statesTls = false }: JdbcServer, hasBundle: boolean): TlsMode {
  return hasBundle && !statesTls ? 'verify-identity' : tls;
}

/** True if the certificate of a host cannot be compared with its name: the driver would compare it with `localhost`. */
export function hasAddresses({ hosts }: Pick<JdbcServer, 'hosts'>): boolean {
  return hosts.some(({ name }) => isIP(name) !== 0);
}

function embeddedDatabase(path: string, query: string | undefined): EmbeddedDatabase | ConversionProblem {
  if (path === '') return new ConversionProblem('the URL names no file; write jdbc:sqlite:<path>');
  if (/^(?:~\/|file:)/.test(path))
    return new ConversionProblem('write the path of the file itself, without ~ and without file:');
  return { engine: 'sqlite', file: path, notes: parsePairs(query).map(([name]) => withoutEffect(name)) };
}

function hostsOf(list: string): readonly Host[] | ConversionProblem {
  const hosts: Host[] = [];
  for (const text of list.split(',')) {
    const parts = /^(?:\[([0-9a-f:.%]+)\]|([^:()[\]\s=@]+))(?::(\d{1,5}))?$/i.exec(text.trim());
    const name = parts?.[1] ?? parts?.[2];
    const port = Number(parts?.[3] ?? MYSQL_PORT);
    if (name === undefined || port < 1 || port > 65_535) {
      return new ConversionProblem(
        'a host is written <name>, <name>:<port> or [<IPv6 address>]:<port>, several with commas',
      );
    }
    hosts.push({ name, port });
  }
  return hosts;
}

function withUserPart(parameters: ServerParameters, user: string): ServerParameters {
  const colon = user.indexOf(':');
  return {
    username: decode(colon === -1 ? user : user.slice(0, colon)),
    ...(colon !== -1 && { password: decode(user.slice(colon + 1)) }),
    ...parameters,
    notes: [belongsToKey('user part', 'username and .password'), ...parameters.notes],
  };
}

/** Returns the location of a database without account and password: the full path of a file, or engine, hosts and name. */
export function databasePlace(url: string): string {
  const location = parseJdbcUrl(url);
  if (location instanceof ConversionProblem) return 'unknown';
  if (location.engine === 'sqlite') return location.file === ':memory:' ? location.file : resolve(location.file);
  const hosts = location.hosts.map(({ name, port }) => `${name.includes(':') ? `[${name}]` : name}:${port}`);
  return `${location.engine}://${hosts.join(',')}/${location.database}`;
}

/** Returns the file of an embedded database; undefined for a server, and for a database in memory. */
export function databaseFile(url: string): string | undefined {
  const location = parseJdbcUrl(url);
  if (location instanceof ConversionProblem || location.engine !== 'sqlite') return undefined;
  return location.file === ':memory:' ? undefined : resolve(location.file);
}

/** Returns the folder for files of the process: that of the embedded database, otherwise `data` in the working folder. */
export function dataFolder(url: string): string {
  const file = databaseFile(url);
  return file === undefined ? resolve('data') : dirname(file);
}
