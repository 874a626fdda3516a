import { rolesWritten } from './role-names.js';

/** Columns of an import, in the words of its file (http-api.md, section 7). */
export const COLUMNS = ['login_id', 'password_hash', 'password', 'email', 'roles', 'otpauth_uri'] as const;
export type Column = (typeof COLUMNS)[number];

/** One user of an import as the file has it; an empty cell counts as none. */
export interface ImportRow {
  /** Where it stands, for the report; from 1, the header included. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Column, string>>>;
}

/** Why one row was not imported; never what stands in it besides the login id. */
export interface RowError {
  readonly line: number;
  readonly field: Column;
  readonly code: string;
}

export interface ImportReport {
  /** Accounts made; 0 where one bad row kept all of them out. */
  readonly created: number;
  /** Those of one line stand together, in the order of the file. */
  readonly errors: readonly RowError[];
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
