import type { ConnectionOptions, SslOptions } from 'mysql2';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { DatabaseTls } from '../database-address.js';
import type { TlsMode } from '../jdbc/jdbc-parameters.js';
import { type JdbcServer, tlsModeOf } from '../jdbc/jdbc-url.js';
import { MAX_PREPARED } from './prepared-statements.js';

/** The account of a database; the keys take precedence over the URL. */
export interface DatabaseAccount {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly tls?: DatabaseTls | undefined;
}

/** The TLS settings that a bundle decides for a client. */
const BUNDLE_MEMBERS = ['ca', 'cert', 'key', 'passphrase', 'ciphers', 'minVersion', 'maxVersion'] as const;

/** The options of the driver for a connection to any host of a URL. */
export async function connectionOptions(location: JdbcServer, account: DatabaseAccount): Promise<ConnectionOptions> {
  const { database, utcOffset = 'Z' } = location;
  const mode = tlsModeOf(location, account.tls !== undefined);
  const user = account.username ?? location.username;
  const password = account.password ?? location.password;
  return {
    database,
    ...withoutUndefined({ user, password }),
    timezone: utcOffset,
    // Like the embedded database: a number if it is exact, otherwise a text of digits.
    supportBigNumbers: true,
    bigNumberStrings: false,
    stringifyObjects: true,
    // Above the limit of `PreparedStatements` by the statement that takes the place of another one.
    maxPreparedStatements: MAX_PREPARED + 1,
    ...(mode !== 'off' && { ssl: tlsOptions(mode, account.tls) }),
    ...(location.allowsPublicKeyRetrieval === false && { authPlugins: await withoutKeyRetrieval() }),
  };
}

/** The driver reads the members at each connection, and caches by the object. */
function tlsOptions(mode: Exclude<TlsMode, 'off'>, tls: DatabaseTls | undefined): SslOptions {
  const options: SslOptions = {
    rejectUnauthorized: mode !== 'encrypted',
    verifyIdentity: mode === 'verify-identity',
  };
  for (const name of BUNDLE_MEMBERS) {
    Object.defineProperty(options, name, { enumerable: true, get: () => tls?.context[name] });
  }
  return options;
}

/** Authentication plugins that reject a public key sent without TLS, since its sender is not authenticated. */
async function withoutKeyRetrieval(): Promise<NonNullable<ConnectionOptions['authPlugins']>> {
  const { authPlugins } = await import('mysql2');
  const onServerPublicKey = (): never => {
    throw new Error('the server offers its public key over an open connection and allowPublicKeyRetrieval is false');
  };
  return {
    caching_sha2_password: authPlugins.caching_sha2_password({ onServerPublicKey }),
    sha256_password: authPlugins.sha256_password({ onServerPublicKey }),
  };
}
