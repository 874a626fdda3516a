import type { ConnectionOptions } from 'mysql2';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type { TlsMode } from '../jdbc/jdbc-parameters.js';
import type { DatabaseServer } from '../jdbc/jdbc-url.js';
import { MAX_PREPARED } from './prepared-statements.js';

/** The account of a database; the keys take precedence over the URL. */
export interface DatabaseAccount {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** The options of the driver for a connection to any host of a URL. */
export async function connectionOptions(
  location: DatabaseServer,
  account: DatabaseAccount,
): Promise<ConnectionOptions> {
  const { database, utcOffset = 'Z' } = location;
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
    ...(location.tls !== 'off' && { ssl: tlsOptions(location.tls) }),
    ...(location.allowsPublicKeyRetrieval === false && { authPlugins: await withoutKeyRetrieval() }),
  };
}

function tlsOptions(mode: Exclude<TlsMode, 'off'>): { rejectUnauthorized: boolean; verifyIdentity: boolean } {
  return { rejectUnauthorized: mode !== 'encrypted', verifyIdentity: mode === 'verify-identity' };
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
