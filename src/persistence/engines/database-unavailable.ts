import { type Problem, problem } from '../../config/problem.js';
import { sanitizeUrls } from '../../redaction/secrets.js';

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
const CORRECT_ACCOUNT = 'Correct app.datasource.username and app.datasource.password, or grant the account its rights.';
const CORRECT_FILE = 'Correct the path in app.datasource.url, or give this user the right to write there.';
const CORRECT_TLS = 'Correct sslMode in app.datasource.url, or the certificate of the database server.';

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
  HANDSHAKE_SSL_ERROR: ['the TLS handshake failed', CORRECT_TLS],
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

function explained(cause: unknown): readonly [reason: string, action: string] {
  const { code, errcode, message } = cause as { code?: unknown; errcode?: unknown; message?: unknown };
  const known =
    (typeof errcode === 'number' ? KNOWN_OF_SQLITE[errcode & 0xff] : undefined) ??
    (typeof code === 'string' && Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined);
  return known ?? [String(message), 'Correct app.datasource.url.'];
}
