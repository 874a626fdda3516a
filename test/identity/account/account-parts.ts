import { createSecretKey } from 'node:crypto';
import { AccountChanges } from '../../../src/identity/account/account-changes.service.js';
import { AccountChangesStore } from '../../../src/identity/account/account-changes.store.js';
import { AccountCreation } from '../../../src/identity/account/account-creation.service.js';
import { AccountDrafts } from '../../../src/identity/account/account-drafts.service.js';
import { AccountImport } from '../../../src/identity/account/import/account-import.service.js';
import { ImportDrafts } from '../../../src/identity/account/import/import-drafts.service.js';
import { StagedAccountsStore } from '../../../src/identity/account/import/staged-accounts.store.js';
import { StagedImports } from '../../../src/identity/account/import/staged-imports.service.js';
import { AddressNotices } from '../../../src/identity/account/address-notices.service.js';
import { AccountStore } from '../../../src/identity/account/account.store.js';
import { Accounts } from '../../../src/identity/account/accounts.service.js';
import { StaffAccounts, StaffCreation } from '../../../src/identity/account/staff/staff-accounts.service.js';
import { StaffIdentityStore } from '../../../src/identity/account/staff/staff-identity.store.js';
import { Decoys } from '../../../src/identity/account/password/decoys.js';
import { DeviceCookies } from '../../../src/identity/account/throttle/device-cookies.service.js';
import {
  LoginIdProperties,
  HashImportProperties,
  PasswordProperties,
  RateLimitProperties,
} from '../../../src/identity/account/account.properties.js';
import { LoginIds } from '../../../src/identity/account/login-id.js';
import { StoredHashKinds } from '../../../src/identity/account/password/password-kinds.task.js';
import {
  PasswordVerification,
  StoredPasswords,
} from '../../../src/identity/account/password/password-verification.service.js';
import { HashKindStore } from '../../../src/identity/account/password/hash-kind.store.js';
import { PasswordStrength, ServiceWords } from '../../../src/identity/account/password/strength/password-strength.js';
import { PasswordHasher } from '../../../src/identity/account/password/password-hasher.js';
import { GuessThrottle } from '../../../src/identity/account/throttle/guess-throttle.service.js';
import { GuessFailures } from '../../../src/identity/account/throttle/shared-failures.js';
import type { HashFloor } from '../../../src/identity/account/password/hash-strength.js';
import { PasswordChanges, Passwords } from '../../../src/identity/account/password/passwords.service.js';
import { Clock } from '../../../src/kernel/clock/clock.js';
import { BreachedPasswords } from '../../../src/identity/account/password/breached/breached-passwords.service.js';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { MailMessageStore } from '../../../src/platform/mail/mail-message.store.js';
import { MailQueue } from '../../../src/platform/mail/mail-queue.service.js';
import { MailSender } from '../../../src/platform/mail/mail-sender.service.js';
import { MailProperties, MailRetryProperties } from '../../../src/platform/mail/mail.properties.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Sealer } from '../../../src/platform/sealing/sealer.js';
import { batchSizes } from '../../support/database/batch-sizes.js';

/** A clock that is stopped until a test moves it. */
class StoppedClock extends Clock {
  now = 1_800_000_000_000;

  millis(): number {
    return this.now;
  }
}

/** Hash parameters that cost almost nothing. */
const CHEAP = { memoryKib: 128, iterations: 1, parallelism: 1 };

/** The account services of one process on the database of the test. */
export interface AccountParts {
  readonly clock: StoppedClock;
  readonly store: AccountStore;
  readonly changesStore: AccountChangesStore;
  readonly accounts: Accounts;
  readonly changes: AccountChanges;
  readonly passwords: Passwords;
  readonly passwordChanges: PasswordChanges;
  readonly verification: PasswordVerification;
  readonly creation: AccountCreation;
  readonly accountImport: AccountImport;
  readonly stagedImports: StagedImports;
  readonly staff: StaffAccounts;
  readonly staffCreation: StaffCreation;
  readonly devices: DeviceCookies;
  readonly hasher: PasswordHasher;
  readonly decoys: Decoys;
}

/** One for all parts, since its word lists occupy tens of megabytes; its worker ends by itself. */
const strength = new PasswordStrength(new ServiceWords(['Login service', 'localhost']));

export function accountParts(
  work: UnitOfWork,
  loggers = new Loggers(),
  minHash: HashFloor = 'any',
  sizes = batchSizes(),
  failures = new GuessFailures(),
): AccountParts {
  const clock = new StoppedClock();
  const random = new SystemRandom();
  const imports = Object.assign(new HashImportProperties(), { minHash });
  const limits = new RateLimitProperties();
  const store = new AccountStore();
  const changesStore = new AccountChangesStore(sizes);
  const identities = new StaffIdentityStore();
  const events = new SecurityEvents(new EventStore(), clock, random, loggers, work);
  const hasher = new PasswordHasher({ cost: CHEAP, concurrency: 2, spare: 1, queueCapacity: 1000 }, random);
  const breached = new BreachedPasswords(undefined, 1, new Meters(), loggers);
  const passwords = new Passwords(hasher, new PasswordProperties(), random, strength, breached);
  const loginIds = new LoginIds(new LoginIdProperties());
  const drafts = new AccountDrafts(loginIds, passwords, imports, clock, random);
  const sealer = new Sealer('test', new Map([['test', random.bytes(32)]]), random);
  const devices = new DeviceCookies(sealer, clock, random, limits);
  const decoys = new Decoys(createSecretKey(random.bytes(32)), random, new StoredHashKinds(new HashKindStore(), work));
  const accounts = new Accounts(store, work, loginIds);
  const stored = new StoredPasswords(hasher, decoys, accounts, clock, loggers);
  // Without a relay, it stores nothing.
  const queue = new MailQueue(
    new MailMessageStore(),
    clock,
    random,
    new MailSender(new MailProperties(), {}),
    new MailRetryProperties(),
  );
  const notices = new AddressNotices(queue, clock);
  const changes = new AccountChanges(store, changesStore, events, clock, notices);
  const staffCreation = new StaffCreation(identities, changes, loginIds, clock, random);
  const throttle = new GuessThrottle(clock, limits, devices, failures);
  const stagedImports = new StagedImports(new StagedAccountsStore(), work, clock, random, loggers);
  return {
    clock,
    store,
    hasher,
    decoys,
    devices,
    changesStore,
    changes,
    passwords,
    staffCreation,
    accounts,
    passwordChanges: new PasswordChanges(store, work, passwords, events, clock),
    verification: new PasswordVerification(loginIds, store, work, throttle, stored),
    creation: new AccountCreation(changesStore, changes, work, drafts, random),
    stagedImports,
    accountImport: new AccountImport(changesStore, work, new ImportDrafts(drafts), events, stagedImports),
    staff: new StaffAccounts(identities, store, staffCreation, changes, clock),
  };
}

/** Kinds of the recorded events of a user, or of all events without a user, in alphabetical order. */
export async function eventKinds(work: UnitOfWork, subject?: string): Promise<readonly string[]> {
  const ofUser = 'SELECT kind FROM security_event WHERE user_id = ? ORDER BY kind';
  const all = 'SELECT kind FROM security_event ORDER BY kind';
  const rows = await work.single((tx) =>
    subject === undefined ? tx.rows<{ kind: string }>(all) : tx.rows<{ kind: string }>(ofUser, [subject]),
  );
  return rows.map(({ kind }) => kind);
}
