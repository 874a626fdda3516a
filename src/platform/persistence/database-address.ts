import type { SecureContextOptions } from 'node:tls';
import { SystemClock } from '../../kernel/clock/clock.js';
import type { Configuration } from '../../config/configuration.js';
import type { UpdateLog } from '../tls/client-tls.js';
import { DATABASE_BUNDLE, DatasourceProperties } from './datasource.properties.js';
import { dialectOf } from './dialect.js';

/** TLS settings from a certificate bundle. */
export interface DatabaseTls {
  /** Context of new connections; it changes when the files of the bundle are reloaded. */
  readonly context: SecureContextOptions;
}

/** The database and the account for it. */
export interface DatabaseSettings {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: DatabaseTls | undefined;
}

/** How a process reaches the database of its configuration. */
export class DatabaseAddress implements DatabaseSettings {
  readonly url: string;
  declare readonly username?: string;
  declare readonly password?: string;

  /**
   * With `log`, changed files of the bundle are used for new connections, if it is reloaded.
   * @throws ConfigurationFailure if the bundle does not exist or cannot be used
   */
  static async of(configuration: Configuration, log?: UpdateLog): Promise<DatabaseAddress> {
    const datasource = configuration.get(DatasourceProperties);
    const { sslBundle: name, url } = datasource;
    if (name === undefined || dialectOf(url) === 'sqlite') return new DatabaseAddress(datasource);
    // Startup without TLS does not load the TLS code.
    const { SslBundles } = await import('../tls/ssl-bundles.service.js');
    const bundles = new SslBundles(configuration, new SystemClock());
    const by = { key: DATABASE_BUNDLE, name };
    if (log === undefined) return new DatabaseAddress(datasource, bundles.named(by).clientIdentity());
    const tls = bundles.openClient(by, log);
    return new DatabaseAddress(datasource, tls, () => {
      tls.close();
    });
  }

  private constructor(
    { url, username, password }: DatasourceProperties,
    readonly tls?: DatabaseTls,
    private readonly endWatch: () => void = () => undefined,
  ) {
    this.url = url;
    if (username !== undefined) this.username = username;
    if (password !== undefined) this.password = password;
  }

  /** Stops watching the files. */
  close(): void {
    this.endWatch();
  }
}
