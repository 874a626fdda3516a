import type { Value } from '../unit-of-work.js';

/** A row by its columns. */
export type Row = Readonly<Record<string, Value>>;

/** What the restore of a table needs to know. */
export interface RestoreFacts {
  /** No TOTP code of this step or an earlier one is accepted after the restore. */
  readonly lastUsedStep: number;
  /** Also restores the unused backup codes, some of which may have been used after the backup. */
  readonly keepsBackupCodes: boolean;
}

/** A table whose rows a backup contains; decision 0061 has the reasons for each table. */
export interface BackupTable {
  readonly table: string;
  /** The primary key, in the order of its index. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** Columns of older versions, which `restored` replaces. */
  readonly formerColumns?: readonly string[];
  /** Rows that a backup leaves out: what is half finished does not live on. */
  readonly where?: string;
  /** `replaced` rows are deleted before the restore; `merged` rows stay, and those that are missing are added. */
  readonly restore: 'replaced' | 'merged';
  /** Returns the fault of a row that the service never stores; undefined for a valid row. Columns that the file lacks are undefined. */
  readonly faultOf?: (row: Partial<Row>) => string | undefined;
  /** The row as it is restored; undefined leaves it out. */
  readonly restored?: (row: Row, facts: RestoreFacts) => Row | undefined;
}

export const ACCOUNT = 'account';
const ACTIVE_CODES = `EXISTS (SELECT 1 FROM ${ACCOUNT} owner
  WHERE owner.id = backup_code.user_id AND owner.backup_set_id = backup_code.set_id)`;

const KINDS: readonly unknown[] = ['local', 'staff'];
/** `staged` for the accounts of an import in progress. */
const STATUSES: readonly unknown[] = ['active', 'disabled', 'staged'];

/** `is_admin` decides who is the last administrator, and the roles decide about access. */
function faultOfAccount({ kind, status, roles, is_admin: isAdmin }: Partial<Row>): string | undefined {
  if (!KINDS.includes(kind)) return 'unknown kind';
  if (!STATUSES.includes(status)) return 'unknown status';
  if (typeof roles !== 'string') return 'no roles';
  const hasRole = roles.split(',').includes('ROLE_ADMIN');
  if (Number(hasRole) === isAdmin) return undefined;
  return hasRole ? 'ROLE_ADMIN without is_admin' : 'is_admin without ROLE_ADMIN';
}

/** In the order of the file. */
export const BACKUP_TABLES: readonly BackupTable[] = [
  {
    table: ACCOUNT,
    key: ['id'],
    columns: [
      ...[
        'id',
        'login_id',
        'kind',
        'status',
        'password_hash',
        'password_kind',
        'password_ends_at',
        'roles',
        'is_admin',
      ],
      ...[
        'email',
        'mfa_required',
        'enrolment_forced',
        'security_stamp',
        'totp_count',
        'passkey_count',
        'pending_totp_id',
      ],
      ...[
        'backup_set_id',
        'backup_codes_at',
        'last_used_step',
        'failures',
        'failures_in_row',
        'lock_level',
        'last_attempt_at',
      ],
      ...['last_attempt_id', 'clock_skew_at', 'created_at', 'updated_at', 'holds', 'password_version', 'invited_at'],
      ...['language', 'email_version'],
    ],
    restore: 'replaced',
    formerColumns: ['totp_id'],
    faultOf: faultOfAccount,
    restored: ({ totp_id: totpId, ...row }, { lastUsedStep }) => ({
      ...row,
      ...(totpId !== undefined && { totp_count: totpId === null ? 0 : 1 }),
      pending_totp_id: null,
      // A file without a number there must not reset the step.
      last_used_step: Math.max(Number(row['last_used_step']) || 0, lastUsedStep),
    }),
  },
  {
    table: 'account_import',
    key: ['slot'],
    columns: ['slot', 'holder', 'state', 'first_id', 'expires_at'],
    restore: 'replaced',
  },
  {
    table: 'totp_secret',
    key: ['id'],
    columns: [
      ...['id', 'user_id', 'sealed', 'seal_key', 'asked_by', 'created_at', 'expires_at', 'activated_at'],
      ...['svg_taken', 'png_taken', 'name', 'last_used_at', 'asked_for'],
    ],
    where: 'activated_at IS NOT NULL',
    restore: 'replaced',
    restored: (row) => (row['activated_at'] === null ? undefined : row),
  },
  {
    table: 'passkey',
    key: ['id'],
    columns: [
      ...['id', 'user_id', 'credential_hash', 'credential_id', 'public_key', 'algorithm', 'sign_count'],
      ...['backup_eligible', 'backed_up', 'aaguid', 'transports', 'name', 'created_at', 'last_used_at'],
    ],
    restore: 'replaced',
  },
  {
    table: 'backup_code',
    key: ['user_id', 'set_id', 'hash'],
    columns: ['user_id', 'set_id', 'hash', 'pepper'],
    where: ACTIVE_CODES,
    restore: 'replaced',
    restored: (row, { keepsBackupCodes }) => (keepsBackupCodes ? row : undefined),
  },
  {
    table: 'staff_identity',
    key: ['id'],
    columns: ['id', 'user_id', 'issuer', 'person', 'logins', 'created_at'],
    restore: 'replaced',
  },
  {
    table: 'security_event',
    key: ['id'],
    columns: [
      ...['id', 'at', 'kind', 'user_id', 'actor', 'ip', 'agent', 'request_id', 'idp', 'authn_context', 'amr', 'result'],
      ...['reason', 'detail', 'batch'],
    ],
    restore: 'merged',
    // The event joins the chain of this database, and is not sent again.
    restored: (row) => ({ ...row, batch: 0 }),
  },
];

/** Tables that a backup does not contain and a restore empties: their rows admit, or would revive what has ended. */
export const ENDED_TABLES: readonly Pick<BackupTable, 'table' | 'key'>[] = [
  { table: 'session', key: ['id'] },
  { table: 'refresh_token', key: ['token_hash'] },
  { table: 'trusted_device', key: ['id'] },
  { table: 'used_mfa_token', key: ['jti'] },
  { table: 'passkey_challenge', key: ['id'] },
  { table: 'account_link', key: ['slot'] },
  { table: 'known_client', key: ['id'] },
  { table: 'signing_key', key: ['id'] },
  { table: 'saml_request', key: ['id'] },
  { table: 'used_assertion', key: ['id'] },
  { table: 'idp_session', key: ['id'] },
  { table: 'saml_metadata', key: ['idp'] },
  { table: 'metadata_request', key: ['idp'] },
  { table: 'task_lease', key: ['task'] },
  // Their counts are of the last minutes.
  { table: 'rate_limit', key: ['id'] },
  { table: 'password_failure', key: ['id'] },
  { table: 'notice_count', key: ['slot'] },
  // Mails report what the database of that time stored, and have probably arrived.
  { table: 'mail_message', key: ['id'] },
];

/**
 * Tables that a backup does not contain and a restore does not touch: they describe the events of this database, which a
 * restore never removes.
 */
export const KEPT_TABLES: readonly Pick<BackupTable, 'table' | 'key'>[] = [
  { table: 'event_batch', key: ['batch'] },
  { table: 'event_chain', key: ['slot'] },
  { table: 'webhook_delivery', key: ['id'] },
];
