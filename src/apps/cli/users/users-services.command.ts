import type { Account } from '../../../identity/account/account.js';
import type { Accounts } from '../../../identity/account/accounts.service.js';
import type { AccountActivity } from '../../admin/account-activity.service.js';
import type { AccessCodeIssue } from '../../admin/access-code-issue.service.js';
import type { AccountAdministration } from '../../admin/account-administration.service.js';
import type { AccountDirectory } from '../../admin/account-directory.service.js';
import type { AccountProvisioning } from '../../admin/account-provisioning.service.js';
import type { BulkProvisioning } from '../../admin/bulk-provisioning.service.js';
import type { PersonExport } from '../../admin/person-export.service.js';
import { printable } from '../../../config/show/failure-report.js';
import type { AdmitServices } from './admit.command.js';
import { notFound } from '../command-failure.js';
import type { CommandResult } from '../command-run.js';

/** Services that the commands for users need, opened for one command. */
export interface UsersServices extends AdmitServices {
  readonly accounts: Accounts;
  readonly administration: AccountAdministration;
  readonly accessCodes: AccessCodeIssue;
  readonly provisioning: AccountProvisioning;
  readonly bulkProvisioning: BulkProvisioning;
  readonly directory: AccountDirectory;
  readonly activity: AccountActivity;
  readonly personExport: PersonExport;
  readonly close: () => Promise<void>;
}

/** Runs `act` on the user of a login id, or reports that the user is unknown. */
export async function ofUser(
  { accounts }: UsersServices,
  loginId: string,
  act: (account: Account) => Promise<CommandResult>,
): Promise<CommandResult> {
  const account = await accounts.findByLoginId(loginId);
  return account ? act(account) : notFound(`Unknown user ${printable(loginId)}.`);
}
