import { rolesWritten } from '../account.js';

/** Columns of an import, in the words of its file (http-api.md, section 7). */
export const COLUMNS = ['login_id', 'password_hash', 'password', 'email', 'roles', 'otpauth_uri'] as const;
export type Column = (typeof COLUMNS)[number];

/** The longest row in bytes: all cells at their longest. */
export const LONGEST_ROW = 16_384;

/** A file that is no import; the message is for a person and holds nothing of the file's rows. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';

  constructor(
    message: string,
    /** Where it breaks off, where one line is to blame. */
    readonly line?: number,
  ) {
    super(message);
  }
}

/** What is wrong with a row; the empty field is the row itself. */
export interface RowFault {
  readonly field: Column | '';
  readonly code: string;
}

/** One user of an import as the file has it; an empty cell counts as none. */
export interface ImportRow {
  /** Where it stands, for the report; from 1, the header included. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Column, string>>>;
  /** What its reader found; such a row is looked at no further. */
  readonly faults?: readonly RowFault[];
}

/** Why one row was not imported; never what stands in it. */
export interface RowError extends RowFault {
  readonly line: number;
}

export interface ImportReport {
  /** Accounts made; 0 where one bad row kept all of them out. */
  readonly created: number;
  /** The first 1000; those of one line stand together, in the order of the file. */
  readonly errors: readonly RowError[];
  /** How many there are in all. */
  readonly errorsTotal: number;
}

/** Errors told one by one: a file may have millions, and nobody reads more. */
const MOST_TOLD = 1000;

/** Collects the errors of an import, however many. */
export class RowErrors {
  private readonly told: RowError[] = [];
  private count = 0;

  get total(): number {
    return this.count;
  }

  add(errors: readonly RowError[]): void {
    this.count += errors.length;
    this.told.push(...errors.slice(0, MOST_TOLD - this.told.length));
  }

  report(created: number): ImportReport {
    return { created, errors: this.told, errorsTotal: this.count };
  }
}

/** The row as a draft, and its authenticator. */
export function draftOf({ cells }: ImportRow): {
  readonly loginId: string;
  readonly password: string | undefined;
  readonly passwordHash: string | undefined;
  readonly email: string | undefined;
  readonly roles: readonly string[];
  readonly otpauthUri: string | undefined;
} {
  return {
    loginId: cells.login_id ?? '',
    password: filled(cells.password),
    passwordHash: filled(cells.password_hash),
    email: filled(cells.email),
    roles: rolesWritten(cells.roles ?? ''),
    otpauthUri: filled(cells.otpauth_uri),
  };
}

function filled(cell: string | undefined): string | undefined {
  return cell === '' ? undefined : cell;
}

/** The column that a fault of a draft is about. */
export function columnOf(field: string): Column {
  if (field === 'id') return 'login_id';
  return field === 'pw' ? 'password' : (COLUMNS.find((column) => column === field) ?? 'login_id');
}
