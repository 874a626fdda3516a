import { rolesWritten } from '../account.js';
import { groupsWritten } from '../profile.js';
import { MAX_LOGIN_ID_LENGTH } from '../login-id.js';

/** Columns of an import, in the words of its file (http-api.md, section 7). */
export const COLUMNS = [
  ...(['login_id', 'password_hash', 'password', 'email', 'email_verified', 'name', 'groups', 'roles'] as const),
  'otpauth_uri',
] as const;
export type ImportColumn = (typeof COLUMNS)[number];

/** Maximum length of a row in bytes, with all cells at their maximum. */
export const MAX_ROW_LENGTH = 16_384;

/** A file that is not an import; the message is shown to the user and repeats nothing of the rows. */
export class ImportFileRejection extends Error {
  override readonly name = 'ImportFileRejection';

  constructor(
    message: string,
    /** The line with the error, if it is in one line. */
    readonly line?: number,
  ) {
    super(message);
  }
}

/** An error of a row; the empty field is the row itself. */
export interface RowProblem {
  readonly field: ImportColumn | '';
  readonly code: string;
}

/** One user of an import file; an empty cell is no value. */
export interface ImportRow {
  /** Line number for the report, from 1 with the header. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<ImportColumn, string>>>;
  /** Errors of the reader; such a row is not processed further. */
  readonly problems?: readonly RowProblem[];
}

/** The reason why a row was not imported, without its content. */
export interface RowRejection extends RowProblem {
  readonly line: number;
}

export interface ImportReport {
  /** Number of created accounts; 0 if an invalid row prevented the import. */
  readonly created: number;
  /** The first 1000, in the order of the file and grouped by line. */
  readonly errors: readonly RowRejection[];
  /** The number of all errors. */
  readonly errorsTotal: number;
  /** Rows that an import would create now; only in a preview. */
  readonly valid?: number;
  /** The roles that an import would assign; only in a preview. */
  readonly roles?: readonly string[];
  /** The first rows of the file; only in a preview, for the administrator who has sent the file. */
  readonly firstRows?: readonly PreviewRow[];
}

/** A row of a preview, without its secrets. */
export interface PreviewRow {
  readonly line: number;
  /** As written in the file, cut to the maximum length of a login id. */
  readonly loginId: string;
  readonly displayName: string | undefined;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly hasPassword: boolean;
  readonly hasAuthenticator: boolean;
  /** Empty for a row that an import would create now. */
  readonly problems: readonly RowProblem[];
}

/** Maximum number of rows that a preview shows. */
const MAX_PREVIEWED = 10;

/** Maximum number of listed errors; a file may have millions. */
const MAX_LISTED = 1000;

/** Collects the errors of an import, however many. */
export class RowRejections {
  private readonly listed: RowRejection[] = [];
  private count = 0;

  get total(): number {
    return this.count;
  }

  add(errors: readonly RowRejection[]): void {
    this.count += errors.length;
    this.listed.push(...errors.slice(0, MAX_LISTED - this.listed.length));
  }

  report(created: number): ImportReport {
    return { created, errors: this.listed, errorsTotal: this.count };
  }
}

/** Collects the first rows of a preview. */
export class PreviewRows {
  readonly rows: PreviewRow[] = [];

  /** `errors` are those of these rows. */
  add(rows: readonly ImportRow[], errors: readonly RowRejection[]): void {
    for (const row of rows.slice(0, MAX_PREVIEWED - this.rows.length)) {
      const { loginId, displayName, email, emailVerified, groups, roles, otpauthUri, ...secrets } = draftOf(row);
      this.rows.push({
        line: row.line,
        loginId: loginId.slice(0, MAX_LOGIN_ID_LENGTH).toWellFormed(),
        ...{ displayName, email, emailVerified, groups, roles },
        hasPassword: secrets.password !== undefined || secrets.passwordHash !== undefined,
        hasAuthenticator: otpauthUri !== undefined,
        problems: errors.filter(({ line }) => line === row.line),
      });
    }
  }
}

const TRUE = 'true';
/** Spreadsheets write both in capitals. */
const FLAGS: readonly string[] = ['', 'false', TRUE];

/** The problems of a row that its draft does not show. */
export function cellProblems({ cells }: ImportRow): readonly RowProblem[] {
  const isFlag = FLAGS.includes(cells.email_verified?.toLowerCase() ?? '');
  return isFlag ? [] : [{ field: 'email_verified', code: 'format' }];
}

/** The row as a draft, and its authenticator. */
export function draftOf({ cells }: ImportRow): {
  readonly loginId: string;
  readonly password: string | undefined;
  readonly passwordHash: string | undefined;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly displayName: string | undefined;
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly otpauthUri: string | undefined;
} {
  return {
    loginId: cells.login_id ?? '',
    password: filled(cells.password),
    passwordHash: filled(cells.password_hash),
    email: filled(cells.email),
    emailVerified: cells.email_verified?.toLowerCase() === TRUE,
    displayName: filled(cells.name),
    groups: groupsWritten(cells.groups ?? ''),
    roles: rolesWritten(cells.roles ?? ''),
    otpauthUri: filled(cells.otpauth_uri),
  };
}

function filled(cell: string | undefined): string | undefined {
  return cell === '' ? undefined : cell;
}

/** The column that a problem of a draft is about. */
export function columnOf(field: string): ImportColumn {
  if (field === 'id') return 'login_id';
  return field === 'pw' ? 'password' : (COLUMNS.find((column) => column === field) ?? 'login_id');
}
