import type { Account } from '../account/account.js';
import type { AccountChanges } from '../account/account-changes.service.js';
import type { AccountCreation } from '../account/account-creation.service.js';
import type { AccountImport, TotpImport } from '../account/import/account-import.service.js';
import type { Accounts } from '../account/accounts.service.js';
import { printable } from '../config/show/failure-report.js';
import type { EnrolmentState } from '../second-factor/enrolment/enrolment-state.js';
import type { Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { AdmitServices } from './admit.command.js';
import { type Complaint, noSuch } from './users-answers.js';

/** The service as far as the commands for users need it, opened for one command. */
export interface UsersServices extends AdmitServices {
  readonly work: UnitOfWork;
  readonly accounts: Accounts;
  readonly creation: AccountCreation;
  readonly changes: AccountChanges;
  readonly accountImport: AccountImport;
  readonly totps?: TotpImport;
  /** A password that a person can type. */
  readonly randomPassword: () => string;
  readonly factorState: (subject: string) => Promise<EnrolmentState>;
  /** Ends all sessions of a user and forgets the trusted devices. */
  readonly endSessions: (tx: Tx, subject: string) => Promise<unknown>;
  /** Ends the lock of the second factor; false where nothing had failed. */
  readonly unlock: (subject: string, actor: string) => Promise<boolean>;
  /** Removes secret, codes and devices and ends all sessions; the next login must enrol. */
  readonly resetMfa: (subject: string, actor: string) => Promise<unknown>;
  /** Removes secret, codes and devices of an account whose row is gone. */
  readonly forgetMfa: (tx: Tx, subject: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Runs `act` on the user of a login id, or says that there is none. */
export async function ofUser(
  { accounts }: UsersServices,
  loginId: string,
  act: (account: Account) => Promise<readonly string[] | Complaint>,
): Promise<readonly string[] | Complaint> {
  const account = await accounts.findByLoginId(loginId);
  return account ? act(account) : noSuch(`Unknown user ${printable(loginId)}.`);
}
