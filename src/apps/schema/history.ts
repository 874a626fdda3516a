import { registerHistory } from '../../platform/persistence/migrations/history.js';
import {
  ApplicationSessions1797000000101,
  AuthorizationCodes1797000000102,
} from './migrations/application.migration.js';
import { ForwardAuthRequests1797000000161 } from './migrations/forward-auth.migration.js';
import { AccessCodes1797000000181 } from './migrations/access-code.migration.js';
import { AccountImports1795824000062 } from './migrations/account-import.migration.js';
import { AccountLinks1796000000102, AddressVersions1796900000501 } from './migrations/account-link.migration.js';
import { BackupCodePeppers1795824000061 } from './migrations/backup-code-pepper.migration.js';
import {
  AccountAddresses1797000000182,
  AccountAdministration1795651200037,
  AccountHolds1795824000133,
  AccountLanguage1796000000001,
  AccountSearch1796000000301,
  LockedAccounts1795305600000,
  LockedAccountsAlone1796800000001,
  ManagementEvents1795564811000,
  NamedSessions1796900000704,
  PasswordKinds1795564833000,
  PlainNames1795737600000,
  UnprovenTimes1795564873000,
} from './migrations/columns.migration.js';
import { EventChain1796000000201 } from './migrations/event-chain.migration.js';
import { First1795219200000 } from './migrations/first.migration.js';
import { KnownClients1796000000401 } from './migrations/known-client.migration.js';
import { MailMessages1796000000101 } from './migrations/mail-message.migration.js';
import { MigrationRecords1795824000000 } from './migrations/records.migration.js';
import { Passkeys1796700000002, SeveralAuthenticators1796700000001 } from './migrations/passkey.migration.js';
import { NoticeCounts1796900000601 } from './migrations/notice-count.migration.js';
import { PasswordFailures1796000000602 } from './migrations/password-failure.migration.js';
import { LastSignIns1797100000011, Overview1797100000010 } from './migrations/overview.migration.js';
import { AddressConfirmations1797000000116, Profiles1797000000115 } from './migrations/profile.migration.js';
import { RateLimits1796000000601 } from './migrations/rate-limit.migration.js';
import {
  IdentityProviderMetadata1795478400000,
  MetadataRequests1795564933000,
  StaffLogin1795392000000,
} from './migrations/staff-login.migration.js';
import { ShownCodes1797000000183 } from './migrations/shown-codes.migration.js';
import { TaskLeases1796000000501 } from './migrations/task-lease.migration.js';
import { DeliveryTargets1797000000171, WebhookDeliveries1796000000202 } from './migrations/webhook.migration.js';

// Oldest first; a released migration is never changed.
registerHistory([
  { migration: First1795219200000, revertLoses: 'every account and everything else' },
  { migration: LockedAccounts1795305600000, revertLoses: null },
  {
    migration: StaffLogin1795392000000,
    revertLoses: 'the links between accounts and identity providers, their sessions, and the classes of their logins',
    lostRows: [
      'staff_identity',
      'saml_request',
      'used_assertion',
      'idp_session',
      'session WHERE ends_at IS NOT NULL',
      'session WHERE idp_session IS NOT NULL',
      'security_event WHERE authn_context IS NOT NULL',
    ],
  },
  {
    migration: IdentityProviderMetadata1795478400000,
    revertLoses: 'the stored metadata of identity providers',
    lostRows: ['saml_metadata'],
  },
  {
    migration: ManagementEvents1795564811000,
    revertLoses: 'the details of security events',
    lostRows: ['security_event WHERE detail IS NOT NULL'],
  },
  // The service classifies the hashes again.
  { migration: PasswordKinds1795564833000, revertLoses: null },
  { migration: UnprovenTimes1795564873000, revertLoses: 'which logins have no proven time' },
  {
    migration: MetadataRequests1795564933000,
    revertLoses: 'requests to read metadata again',
    lostRows: ['metadata_request'],
  },
  {
    migration: AccountAdministration1795651200037,
    revertLoses: 'every temporary password',
    lostRows: ['account WHERE password_ends_at IS NOT NULL'],
  },
  { migration: PlainNames1795737600000, revertLoses: null },
  // The columns describe migrations, not users; the next run fills them again, without times.
  { migration: MigrationRecords1795824000000, revertLoses: null, compatibleFrom: PlainNames1795737600000 },
  // Older versions verify codes without the id of a pepper, which are all codes until one is configured.
  {
    migration: BackupCodePeppers1795824000061,
    revertLoses: 'backup codes whose pepper has an id',
    lostRows: ['backup_code WHERE pepper IS NOT NULL'],
    compatibleFrom: PlainNames1795737600000,
  },
  // Older versions do not import in steps; they treat the accounts of an unfinished import as disabled.
  {
    migration: AccountImports1795824000062,
    revertLoses: 'the accounts of an unfinished import',
    lostRows: ['account_import', "account WHERE status = 'staged'"],
    compatibleFrom: PlainNames1795737600000,
  },
  // Older versions lock the row without the column, which holds at one server, though not across the nodes of a cluster.
  { migration: AccountHolds1795824000133, revertLoses: null, compatibleFrom: PlainNames1795737600000 },
  {
    migration: AccountLanguage1796000000001,
    revertLoses: 'the languages that users have chosen',
    lostRows: ['account WHERE language IS NOT NULL'],
    compatibleFrom: PlainNames1795737600000,
  },
  {
    migration: MailMessages1796000000101,
    revertLoses: 'the mails that wait or could not be sent',
    lostRows: ['mail_message'],
    compatibleFrom: PlainNames1795737600000,
  },
  // Older versions create no links; an invited account has no password for them.
  {
    migration: AccountLinks1796000000102,
    revertLoses: 'every mailed link, which accounts are invited, and which passwords are newer than a link',
    lostRows: ['account_link', 'account WHERE invited_at IS NOT NULL', 'account WHERE password_version > 0'],
    compatibleFrom: PlainNames1795737600000,
  },
  // Events of older versions get the default of the column, and join the chain without being sent to subscribers.
  {
    migration: EventChain1796000000201,
    revertLoses: 'the hash chain of security events',
    lostRows: ['event_batch', 'event_chain', 'security_event WHERE batch <> 0'],
    compatibleFrom: PlainNames1795737600000,
  },
  {
    migration: WebhookDeliveries1796000000202,
    revertLoses: 'events that the webhook has not delivered',
    lostRows: ['webhook_delivery'],
    compatibleFrom: PlainNames1795737600000,
  },
  { migration: AccountSearch1796000000301, revertLoses: null, compatibleFrom: PlainNames1795737600000 },
  {
    migration: KnownClients1796000000401,
    revertLoses: 'which clients without cookies are known',
    lostRows: ['known_client'],
    compatibleFrom: PlainNames1795737600000,
  },
  // Older versions run the same tasks without a lease, and the conditions of their statements keep that harmless.
  { migration: TaskLeases1796000000501, revertLoses: null, compatibleFrom: PlainNames1795737600000 },
  // The counts of limits begin anew; they are of no use after minutes.
  { migration: RateLimits1796000000601, revertLoses: null, compatibleFrom: PlainNames1795737600000 },
  { migration: PasswordFailures1796000000602, revertLoses: null, compatibleFrom: PlainNames1795737600000 },
  // Older versions read the column that names one secret, and would admit an account that has passkeys by its password alone.
  {
    migration: SeveralAuthenticators1796700000001,
    revertLoses: 'all authenticator apps of an account but the newest, and the names and latest uses of apps',
    lostRows: [
      '(SELECT user_id FROM totp_secret GROUP BY user_id HAVING COUNT(*) > 1) lost',
      'totp_secret WHERE activated_at IS NULL',
      'totp_secret WHERE asked_for IS NOT NULL',
      'totp_secret WHERE last_used_at IS NOT NULL',
      'totp_secret WHERE name IS NOT NULL',
    ],
  },
  {
    migration: Passkeys1796700000002,
    revertLoses: 'every passkey',
    lostRows: ['passkey', 'passkey_challenge'],
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  {
    migration: LockedAccountsAlone1796800000001,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // Links of older versions are still bound to the address itself.
  {
    migration: AddressVersions1796900000501,
    revertLoses: 'which addresses of accounts are newer than a mailed link',
    lostRows: ['account_link WHERE email_version >= 0', 'account WHERE email_version > 0'],
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  {
    migration: NoticeCounts1796900000601,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // Older versions insert 0, and exchange tokens that name a session like others.
  {
    migration: NamedSessions1796900000704,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // Older versions know no applications, which are configured once all replicas have this version.
  {
    migration: ApplicationSessions1797000000101,
    revertLoses: 'which sessions belong to applications',
    lostRows: ['parent_id', 'client_id', 'scope'].map((column) => `session WHERE ${column} IS NOT NULL`),
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // Codes and requests expire within minutes.
  {
    migration: AuthorizationCodes1797000000102,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  {
    migration: Profiles1797000000115,
    revertLoses: 'display names, groups, and which mail addresses are verified',
    lostRows: [
      'account WHERE display_name IS NOT NULL',
      "account WHERE group_names <> ''",
      'account WHERE email_verified_version = email_version',
    ],
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  {
    migration: AddressConfirmations1797000000116,
    revertLoses: 'links that confirm a mail address',
    lostRows: ['account_link WHERE email IS NOT NULL'],
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // The rows are sign-ins in progress, which users can begin again.
  {
    migration: ForwardAuthRequests1797000000161,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // Without it, the deliveries go on.
  {
    migration: DeliveryTargets1797000000171,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // Codes expire within a day, and older versions demand none.
  {
    migration: AccessCodes1797000000181,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // Older versions do not write the column, whose value must agree with the address.
  { migration: AccountAddresses1797000000182, revertLoses: null, compatibleFrom: SeveralAuthenticators1796700000001 },
  // Codes are shown for ten minutes, and older versions show them once.
  {
    migration: ShownCodes1797000000183,
    revertLoses: null,
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
  // The sign-ins are counted again from the events.
  { migration: Overview1797100000010, revertLoses: null, compatibleFrom: SeveralAuthenticators1796700000001 },
  // Older versions do not record sign-ins.
  {
    migration: LastSignIns1797100000011,
    revertLoses: 'when users last signed in',
    lostRows: ['account WHERE last_sign_in_at IS NOT NULL'],
    compatibleFrom: SeveralAuthenticators1796700000001,
  },
]);
