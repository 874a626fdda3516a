/** Names whose value is a secret wherever it stands: in a key, a field of the log, a text, a query or a header. */
export const SECRET_NAMES: readonly string[] = [
  'password',
  'app.datasource.password',
  'APP_DATASOURCE_PASSWORD',
  'DB_PASSWORD',
  'keystorePassword',
  'db_passwd',
  'pwd',
  'client-secret',
  'clientSecret',
  'some.api.token',
  'access_token',
  'tls.private-key',
  'TLS_PRIVATE_KEY',
  'API_KEY',
  'apikey',
  'x-api-key',
  'app.cloud.credentials',
  'store.passphrase',
  'BACKUP_CODE_PEPPER',
];

/** Names that only look like those. */
export const PLAIN_NAMES: readonly string[] = [
  'server.port',
  'app.datasource.username',
  'password.file',
  'keys.one',
  'tokens',
  'DB_PASSWORD_FILE',
  'keyboard',
];
