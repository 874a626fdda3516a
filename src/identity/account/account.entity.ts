import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import type { AccountKind, AccountStatus } from './account.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** A user. The row also decides attempts, locks and the number of authenticators (decision 0011). */
@Entity('account', TABLE)
@Index('account_admin', ['is_admin'])
@Index('account_email', ['email_key'])
@Index('account_lock_level', ['lock_level'], { where: 'lock_level > 0' })
@Index('account_password_kind', ['password_kind'])
@Index('account_search', ['login_id', 'email', 'status'])
@Unique(['login_id'])
export class AccountEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;
  @Column('varchar', { length: 255 }) readonly login_id!: string;
  @Column('varchar', { length: 8 }) readonly kind!: AccountKind;
  @Column('varchar', { length: 8 }) readonly status!: AccountStatus;
  @Column('varchar', { length: 512, nullable: true }) readonly password_hash!: string | null;
  @Column('varchar', { length: 1024 }) readonly roles!: string;
  @Column('int', { default: 0 }) readonly is_admin!: number;
  @Column('varchar', { length: 254, nullable: true }) readonly email!: string | null;
  @Column('int') readonly mfa_required!: number;
  @Column('int') readonly enrolment_forced!: number;

  /** `mfa_token`s, half-authenticated sessions and pending secrets of an earlier stamp are rejected. */
  @Column('int') readonly security_stamp!: number;
  @Column('varchar', { length: 36, nullable: true }) readonly pending_totp_id!: string | null;
  @Column('varchar', { length: 36, nullable: true }) readonly backup_set_id!: string | null;
  @Column('bigint', { nullable: true }) readonly backup_codes_at!: number | null;
  @Column('bigint') readonly last_used_step!: number;
  @Column('int') readonly failures!: number;
  @Column('int') readonly failures_in_row!: number;
  @Column('int') readonly lock_level!: number;
  @Column('bigint') readonly last_attempt_at!: number;
  @Column('varchar', { length: 36, nullable: true }) readonly last_attempt_id!: string | null;
  @Column('bigint', { nullable: true }) readonly clock_skew_at!: number | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly updated_at!: number;

  /** The kind of the hash, which decides the cost of a check; 'new' until the service has found it out. */
  @Column('varchar', { length: 64, default: 'new' }) readonly password_kind!: string;

  /** The instant at which a temporary password expires. */
  @Column('bigint', { nullable: true }) readonly password_ends_at!: number | null;

  /** Counts the transactions that have locked the row without another change of it: a Galera node certifies changed rows. */
  @Column('bigint', { default: 0 }) readonly holds!: number;

  /** The language that the user has chosen. */
  @Column('varchar', { length: 8, nullable: true }) readonly language!: string | null;

  /** Counts the passwords that were set or removed, so that a link is void once the account has another one. */
  @Column('bigint', { default: 0 }) readonly password_version!: number;

  /** Set until an invitation is accepted. */
  @Column('bigint', { nullable: true }) readonly invited_at!: number | null;
  @Column('int', { default: 0 }) readonly totp_count!: number;
  @Column('int', { default: 0 }) readonly passkey_count!: number;

  /** Counts the changes of the address, so that a link is void once the account has another one. */
  @Column('bigint', { default: 0 }) readonly email_version!: number;

  /** The `email_version` of the address that was verified: a change of the address ends its verification. */
  @Column('bigint', { nullable: true }) readonly email_verified_version!: number | null;
  /** When a sign-in of the account was last completed; null if none was, or if it was before this column. */
  @Column('bigint', { nullable: true }) readonly last_sign_in_at!: number | null;
  @Column('varchar', { length: 255, nullable: true }) readonly display_name!: string | null;

  /** Names between commas; `groups` is a reserved word of MySQL. */
  @Column('varchar', { length: 1024, default: '' }) readonly group_names!: string;

  /** The address in the form by which its user signs in. */
  @Column('varchar', { length: 254, nullable: true }) readonly email_key!: string | null;
}

personalTable(AccountEntity, {
  name: 'account',
  owner: 'id',
  shown: [
    ...['id', 'login_id', 'kind', 'status', 'roles', 'is_admin', 'email', 'mfa_required', 'enrolment_forced'],
    ...['password_ends_at', 'backup_codes_at', 'last_used_step', 'failures', 'failures_in_row', 'lock_level'],
    ...['last_attempt_at', 'clock_skew_at', 'created_at', 'updated_at', 'language', 'invited_at', 'totp_count'],
    ...['passkey_count', 'email_version', 'email_verified_version', 'last_sign_in_at', 'display_name', 'group_names'],
  ],
  withheld: [
    ...['password_hash', 'password_kind', 'security_stamp', 'pending_totp_id', 'backup_set_id'],
    ...['last_attempt_id', 'holds', 'password_version', 'email_key'],
  ],
});
