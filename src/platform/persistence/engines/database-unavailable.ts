import { type Problem, problem } from '../../../config/problem.js';
import { sanitizeUrls } from '../../../kernel/redaction/secrets.js';

/** Thrown if the database cannot be opened at startup; `problem` is its part of the failure report, without secrets. */
export class DatabaseUnavailable extends Error {
  readonly problem: Problem;

  constructor(url: string, cause: unknown) {
    const [reason, action] = explained(cause);
    const shownUrl = sanitizeUrls(url);
    super(`${shownUrl}: ${reason}`, { cause });
    this.name = 'DatabaseUnavailable';
    this.problem = problem('The database cannot be opened', action, {
      Property: 'app.datasource.url',
      Value: shownUrl,
      Reason: reason,
    });
  }
}

const START_SERVER = 'Start the database server, or correct host and port in app.datasource.url.';
const CORRECT_ACCOUNT =
  'Correct app.datasource.username and app.datasource.password, or grant the account its rights. An account with REQUIRE ' +
  'SSL or REQUIRE X509 needs TLS, and a certificate in the bundle of app.datasource.ssl.bundle.';
const FREE_CONNECTIONS =
  'Lower app.datasource.pool.maximum-pool-size or the number of replicas, or raise the limit of the server.';
const UNBLOCK = 'Permit this host at the server: by the host part of the account, or FLUSH HOSTS.';
const CORRECT_FILE = 'Correct the path in app.datasource.url, or give this user the right to write there.';
const CORRECT_TLS = 'Correct sslMode in app.datasource.url, or the certificate of the database server.';
const USE_TLS = 'Add sslMode=VERIFY_IDENTITY to app.datasource.url, or name a bundle in app.datasource.ssl.bundle.';

const LOOK_UP = 'Look for this error in the log and in the manual of the database server.';

/** Reasons and actions for operators by the error codes of both drivers and of the network. */
const KNOWN: Readonly<Record<string, readonly [reason: string, action: string]>> = {
  ECONNREFUSED: ['nothing listens at that host and port', START_SERVER],
  ECONNRESET: ['the server closed the connection', START_SERVER],
  PROTOCOL_CONNECTION_LOST: ['the server closed the connection', START_SERVER],
  EHOSTUNREACH: ['there is no route to the host', START_SERVER],
  ETIMEDOUT: ['the server did not answer in time', START_SERVER],
  SYNC_WAIT_FAILED: [
    'the node is not a working member of its cluster',
    'Connect the node with the other nodes, or name another one in app.datasource.url.',
  ],
  ENOTFOUND: ['the name of the host is not known', START_SERVER],
  EAI_AGAIN: ['the name of the host cannot be looked up now', START_SERVER],
  ER_ACCESS_DENIED_ERROR: ['the server refuses the account or its password', CORRECT_ACCOUNT],
  ER_DBACCESS_DENIED_ERROR: ['the account has no rights on the database', CORRECT_ACCOUNT],
  ER_BAD_DB_ERROR: ['the server has no database of that name', 'Create the database, or correct app.datasource.url.'],
  HANDSHAKE_NO_SSL_SUPPORT: ['the server offers no TLS', CORRECT_TLS],
  ER_SECURE_TRANSPORT_REQUIRED: ['the server requires TLS', USE_TLS],
  ER_CON_COUNT_ERROR: ['the server has no connection left', FREE_CONNECTIONS],
  ER_USER_LIMIT_REACHED: ['the account has no connection left', FREE_CONNECTIONS],
  ER_TOO_MANY_USER_CONNECTIONS: ['the account has no connection left', FREE_CONNECTIONS],
  ER_HOST_NOT_PRIVILEGED: ['the server accepts no connection from this host', UNBLOCK],
  ER_HOST_IS_BLOCKED: ['the server has blocked this host after many errors', UNBLOCK],
  EACCES: ['this user cannot write there', CORRECT_FILE],
  EPERM: ['this user cannot write there', CORRECT_FILE],
  EROFS: ['the file system is read-only', CORRECT_FILE],
  ENOTDIR: ['a part of the path is not a folder', CORRECT_FILE],
  EEXIST: ['a part of the path is not a folder', CORRECT_FILE],
  EISDIR: ['the path is a folder', CORRECT_FILE],
};

/** SQLite's own result codes, the low byte of `errcode`. */
const KNOWN_OF_SQLITE: Readonly<Record<number, readonly [reason: string, action: string]>> = {
  5: ['another process holds the lock of the file', 'Stop the other process that uses the file.'],
  8: ['the file is read-only', CORRECT_FILE],
  11: ['the file is damaged', 'Restore the file from a backup, or choose another one.'],
  14: ['the file cannot be opened', CORRECT_FILE],
  26: ['the file is not a database', 'Correct the path in app.datasource.url.'],
};

/** The driver has one code for every failed handshake; the text of the library says what failed, and quotes no secret. */
const TLS_FAILURES: readonly (readonly [text: RegExp, action: string])[] = [
  [
    /altnames|does not match/i,
    'Name the host in app.datasource.url as its certificate does, or replace the certificate. sslMode=VERIFY_CA does not ' +
      'compare names.',
  ],
  [/expired|not yet valid/i, 'Replace the certificate of the database server, or that of its authority.'],
  [
    /alert/i,
    'The server rejected this process: set a certificate that it trusts in the bundle of app.datasource.ssl.bundle, and ' +
      'versions and suites that it accepts.',
  ],
  [
    /self.signed|issuer|unable to verify|first certificate/i,
    'Name a certificate bundle with the authority of the server in app.datasource.ssl.bundle, or correct the bundle.',
  ],
];

function explainedHandshake({ reason, message }: { readonly reason?: unknown; readonly message?: unknown }): Explained {
  const text = typeof reason === 'string' ? reason : String(message);
  const [, action] = TLS_FAILURES.find(([pattern]) => pattern.test(text)) ?? [];
  return [`the TLS handshake failed: ${text}`, action ?? CORRECT_TLS];
}

type Explained = readonly [reason: string, action: string];

function explained(cause: unknown): Explained {
  const facts = cause as { code?: unknown; errcode?: unknown; message?: unknown; reason?: unknown };
  const { code, errcode, message } = facts;
  if (code === 'HANDSHAKE_SSL_ERROR') return explainedHandshake(facts);
  const known =
    (typeof errcode === 'number' ? KNOWN_OF_SQLITE[errcode & 0xff] : undefined) ??
    (typeof code === 'string' && Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined);
  if (known) return known;
  // An error of a server or of the driver: another URL would not help.
  if (typeof code === 'string') return [`${String(message)} (${code})`, LOOK_UP];
  return [String(message), 'Correct app.datasource.url.'];
}
