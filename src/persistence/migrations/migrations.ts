import { AccountAdministration1795651200037 } from './account-administration.migration.js';
import { First1795219200000 } from './first.migration.js';
import { IdentityProviderMetadata1795478400000 } from './identity-provider-metadata.migration.js';
import { LockedAccounts1795305600000 } from './locked-accounts.migration.js';
import { ManagementEvents1795564811000 } from './management-events.migration.js';
import { MetadataRequests1795564933000 } from './metadata-requests.migration.js';
import { PasswordKinds1795564833000 } from './password-kinds.migration.js';
import { StaffLogin1795392000000 } from './staff-login.migration.js';
import { PlainNames1795737600000 } from './plain-names.migration.js';
import { UnprovenTimes1795564873000 } from './unproven-times.migration.js';

/** Every change of the schema, oldest first; one that has been released is never changed again. */
export const MIGRATIONS = [
  First1795219200000,
  LockedAccounts1795305600000,
  StaffLogin1795392000000,
  IdentityProviderMetadata1795478400000,
  ManagementEvents1795564811000,
  PasswordKinds1795564833000,
  UnprovenTimes1795564873000,
  MetadataRequests1795564933000,
  AccountAdministration1795651200037,
  PlainNames1795737600000,
];
