import { AccountChanges } from '../../src/account/account-changes.service.js';
import { AccountCreation } from '../../src/account/account-creation.service.js';
import { AccountDrafts } from '../../src/account/account-drafts.service.js';
import { AccountImport } from '../../src/account/import/account-import.service.js';
import { AccountStore } from '../../src/account/account.store.js';
import { Accounts } from '../../src/account/accounts.service.js';
import { StaffAccounts } from '../../src/account/staff/staff-accounts.service.js';
import { StaffIdentityStore } from '../../src/account/staff/staff-identity.store.js';
import { Decoys } from '../../src/account/password/decoys.service.js';
import { DeviceCookies } from '../../src/account/throttle/device-cookies.service.js';
import {
  LoginIdProperties,
  PasswordImportProperties,
  PasswordProperties,
  RateLimitProperties,
} from '../../src/account/account.properties.js';
import { LoginIds } from '../../src/account/login-ids.service.js';
import { PasswordKindStore } from '../../src/account/password/password-kind.store.js';
import { PasswordHasher } from '../../src/account/password/password-hasher.js';
import { PasswordThrottle } from '../../src/account/throttle/password-throttle.service.js';
import type { HashFloor } from '../../src/account/password/hash-strength.js';
import { Passwords } from '../../src/account/password/passwords.service.js';
import { Clock } from '../../src/clock/clock.js';
import { EventStore } from '../../src/events/event.store.js';
import { SecurityEvents } from '../../src/events/security-events.service.js';
import { Loggers } from '../../src/logging/loggers.js';
import type { UnitOfWork } from '../../src/persistence/unit-of-work.js';
import { SystemRandom } from '../../src/random/random.js';
import { Sealer } from '../../src/sealing/sealer.js';

/** A clock that is stopped until a test moves it. */
export class StoppedClock extends Clock {
  now = 1_800_000_000_000;

  millis(): number {
    return this.now;
  }
}

/** Hash parameters that cost almost nothing. */
export const CHEAP = { memoryKib: 128, iterations: 1, parallelism: 1 };

/** The account services of one process on the database of the test. */
export interface AccountParts {
  readonly clock: StoppedClock;
  readonly store: AccountStore;
  readonly accounts: Accounts;
  readonly changes: AccountChanges;
  readonly creation: AccountCreation;
  readonly accountImport: AccountImport;
  readonly staff: StaffAccounts;
  readonly devices: DeviceCookies;
  readonly hasher: PasswordHasher;
  readonly decoys: Decoys;
}

export function accountParts(work: UnitOfWork, loggers = new Loggers(), minHash: HashFloor = 'any'): AccountParts {
  const clock = new StoppedClock();
  const random = new SystemRandom();
  const imports = Object.assign(new PasswordImportProperties(), { minHash });
  const limits = new RateLimitProperties();
  const store = new AccountStore();
  const identities = new StaffIdentityStore();
  const events = new SecurityEvents(new EventStore(), clock, random, loggers);
  const hasher = new PasswordHasher({ cost: CHEAP, concurrency: 2, kept: 1, queueCapacity: 1000 }, random);
  const passwords = new Passwords(hasher, new PasswordProperties(), imports);
  const loginIds = new LoginIds(new LoginIdProperties());
  const drafts = new AccountDrafts(loginIds, passwords, clock, random);
  const sealer = new Sealer('test', new Map([['test', random.bytes(32)]]), random);
  const devices = new DeviceCookies(sealer, clock, random, limits);
  const decoys = new Decoys(new PasswordKindStore(), work, random, sealer);
  const throttle = new PasswordThrottle(clock, limits, devices);
  return {
    clock,
    store,
    hasher,
    decoys,
    devices,
    accounts: new Accounts(store, work, loginIds, hasher, decoys, throttle, clock, loggers),
    changes: new AccountChanges(store, identities, work, passwords, events, clock, new PasswordProperties()),
    creation: new AccountCreation(store, work, drafts, events, random),
    accountImport: new AccountImport(store, work, drafts, events),
    staff: new StaffAccounts(identities, store, loginIds, work, events, clock, random),
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
