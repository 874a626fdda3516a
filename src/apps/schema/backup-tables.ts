import { AccountEntity } from '../../identity/account/account.entity.js';
import { AccountImportEntity } from '../../identity/account/import/account-import.entity.js';
import { StaffIdentityEntity } from '../../identity/account/staff/staff-identity.entity.js';
import { PasswordFailureEntity } from '../../identity/account/throttle/password-failure.entity.js';
import { EventBatchEntity } from '../../identity/events/chain/event-batch.entity.js';
import { EventChainEntity } from '../../identity/events/chain/event-chain.entity.js';
import { SecurityEventEntity } from '../../identity/events/security-event.entity.js';
import { AccessCodeEntity } from '../../identity/second-factor/access-code/access-code.entity.js';
import { ShownCodesEntity } from '../../identity/second-factor/backup-code/shown-codes.entity.js';
import { BackupCodeEntity } from '../../identity/second-factor/backup-code/backup-code.entity.js';
import { PasskeyChallengeEntity } from '../../identity/second-factor/passkey/passkey-challenge.entity.js';
import { PasskeyEntity } from '../../identity/second-factor/passkey/passkey.entity.js';
import { SignInCountEntity } from '../../identity/events/sign-ins/sign-in-count.entity.js';
import { TotpSecretEntity } from '../../identity/second-factor/totp/totp-secret.entity.js';
import { TrustedDeviceEntity } from '../../identity/second-factor/trusted-device/trusted-device.entity.js';
import { KnownClientEntity } from '../../identity/session/known-client.entity.js';
import { RefreshTokenEntity } from '../../identity/session/refresh-token.entity.js';
import { SessionEntity } from '../../identity/session/session.entity.js';
import { SigningKeyEntity } from '../../identity/token/keys/signing-key.entity.js';
import { UsedMfaTokenEntity } from '../../identity/token/used-mfa-token.entity.js';
import { ReplicaEntity } from '../../management/replicas/replica.entity.js';
import { MailMessageEntity } from '../../platform/mail/mail-message.entity.js';
import { type BackupPlan, backupTable, type Row } from '../../platform/persistence/backup/backup-plan.js';
import type { EntityClass } from '../../platform/persistence/schema/expected-schema.js';
import { TaskLeaseEntity } from '../../platform/persistence/task-lease.entity.js';
import { RateLimitEntity } from '../../platform/rate-limit/rate-limit.entity.js';
import { AccountLinkEntity } from '../../signin/recovery/account-link.entity.js';
import { StoredRequestEntity } from '../../signin/oidc/authorize/stored-request.entity.js';
import { AuthorizationCodeEntity } from '../../signin/oidc/code/authorization-code.entity.js';
import { UsedClientAssertionEntity } from '../../signin/oidc/token/used-client-assertion.entity.js';
import { SignInRequestEntity } from '../../signin/forward-auth/sign-in-request.entity.js';
import { MetadataRequestEntity } from '../../signin/saml/idp/metadata-request.entity.js';
import { SamlMetadataEntity } from '../../signin/saml/idp/saml-metadata.entity.js';
import { IdpSessionEntity } from '../../signin/saml/login/idp-session.entity.js';
import { SamlRequestEntity } from '../../signin/saml/login/saml-request.entity.js';
import { UsedAssertionEntity } from '../../signin/saml/login/used-assertion.entity.js';
import { NoticeCountEntity } from '../notices/notice-count.entity.js';
import { WebhookDeliveryEntity } from '../webhook/webhook-delivery.entity.js';
// The import registers the migrations, which a backup names.
import './history.js';

const ACTIVE_CODES = `EXISTS (SELECT 1 FROM account owner
  WHERE owner.id = backup_code.user_id AND owner.backup_set_id = backup_code.set_id)`;

const KINDS: readonly unknown[] = ['local', 'staff'];
/** `staged` for the accounts of an import in progress. */
const STATUSES: readonly unknown[] = ['active', 'disabled', 'staged'];

/** `is_admin` decides who is the last administrator, and the roles decide about access. */
function problemOfAccount({ kind, status, roles, is_admin: isAdmin }: Partial<Row>): string | undefined {
  if (!KINDS.includes(kind)) return 'unknown kind';
  if (!STATUSES.includes(status)) return 'unknown status';
  if (typeof roles !== 'string') return 'no roles';
  const hasRole = roles.split(',').includes('ROLE_ADMIN');
  if (Number(hasRole) === isAdmin) return undefined;
  return hasRole ? 'ROLE_ADMIN without is_admin' : 'is_admin without ROLE_ADMIN';
}

/** Tables that a backup does not contain and a restore empties: their rows admit, or would revive what has ended. */
const ENDED: readonly EntityClass[] = [
  SessionEntity,
  RefreshTokenEntity,
  TrustedDeviceEntity,
  UsedMfaTokenEntity,
  PasskeyChallengeEntity,
  AccessCodeEntity,
  ShownCodesEntity,
  AccountLinkEntity,
  KnownClientEntity,
  SigningKeyEntity,
  StoredRequestEntity,
  AuthorizationCodeEntity,
  UsedClientAssertionEntity,
  SignInRequestEntity,
  SamlRequestEntity,
  UsedAssertionEntity,
  IdpSessionEntity,
  SamlMetadataEntity,
  MetadataRequestEntity,
  TaskLeaseEntity,
  // These counts describe the last minutes only.
  RateLimitEntity,
  PasswordFailureEntity,
  NoticeCountEntity,
  // Mails report what the database of that time stored, and have probably arrived.
  MailMessageEntity,
];

interface SchemaBackupPlan extends BackupPlan {
  /** Tables that no backup contains and no restore changes: they describe the events of this database, which stay. */
  readonly untouched: readonly EntityClass[];
}

/** The tables of a backup, and how a restore treats the rows of each; together all tables of the schema. */
export const BACKUP: SchemaBackupPlan = {
  tables: [
    backupTable(AccountEntity, {
      restore: 'replaced',
      formerColumns: ['totp_id'],
      unique: 'login_id',
      problemOf: problemOfAccount,
      restored: ({ totp_id: totpId, ...row }, { lastUsedStep }) => ({
        ...row,
        ...(totpId !== undefined && { totp_count: totpId === null ? 0 : 1 }),
        pending_totp_id: null,
        // A file without a number there must not reset the step.
        last_used_step: Math.max(Number(row['last_used_step']) || 0, lastUsedStep),
      }),
    }),
    backupTable(AccountImportEntity, { restore: 'replaced' }),
    backupTable(TotpSecretEntity, {
      where: 'activated_at IS NOT NULL',
      restore: 'replaced',
      restored: (row) => (row['activated_at'] === null ? undefined : row),
    }),
    backupTable(PasskeyEntity, { restore: 'replaced' }),
    backupTable(BackupCodeEntity, {
      where: ACTIVE_CODES,
      restore: 'replaced',
      restored: (row, { keepsBackupCodes }) => (keepsBackupCodes ? row : undefined),
    }),
    backupTable(StaffIdentityEntity, { restore: 'replaced' }),
    backupTable(SecurityEventEntity, {
      restore: 'merged',
      // The event joins the chain of this database, and is not sent again.
      restored: (row) => ({ ...row, batch: 0 }),
    }),
  ],
  ended: ENDED,
  untouched: [EventBatchEntity, EventChainEntity, SignInCountEntity, ReplicaEntity, WebhookDeliveryEntity],
  guarded: {
    entity: AccountEntity,
    rejection:
      'The database has accounts. Restore into an empty one, or give --replace, which deletes them. Nothing was changed.',
  },
};
