/** Names whose value is always a secret: in a key, a log field, a text, a query or a header. */
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

/** Names of variables in which a short word marks a secret: whole words, split at `_`, `-`, `.` or a change of case. */
export const SHORT_SECRET_NAMES: readonly string[] = [
  'BASIC_AUTH',
  'GITHUB_PAT',
  'SESSION_JWT',
  'AUTH',
  'PAT_2',
  'REGISTRY_AUTH_JSON',
  'jwt-of-robot',
  'npm.auth',
  'registryAuth',
  'authHeader',
  'robotJwtValue',
  'API_BEARER',
  'CARD_PIN',
];

/** Names with the same letters inside a longer word. */
export const LONGER_WORDS: readonly string[] = [
  'PATH',
  'PATTERN',
  'CLASSPATH',
  'path-mapping',
  'LOG_PATTERN',
  'COMPAT',
  'AUTHOR',
  'GIT_AUTHOR_NAME',
  'authority',
  'XAUTHORITY',
  'OAUTH_ISSUER',
  'PING',
  'SPIN_COUNT',
  'pinned',
  'commitAuthor',
];

/** Names that only look like secrets. */
export const PLAIN_NAMES: readonly string[] = [
  'server.port',
  'app.datasource.username',
  'password.file',
  'keys.one',
  'tokens',
  'DB_PASSWORD_FILE',
  'keyboard',
];
