import { availableParallelism } from 'node:os';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { Loggers } from '../../observability/logging/loggers.js';
import { OutboundHttp } from '../../platform/outbound/outbound-http.service.js';
import { OutboundModule } from '../../platform/outbound/outbound.module.js';
import { EventsModule } from '../events/events.module.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Kvstore } from '../../platform/kvstore/kvstore.service.js';
import { Meters } from '../../observability/metrics/meters.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { Random } from '../../kernel/random/random.js';
import { SharedStore } from '../../platform/rate-limit/shared-store.service.js';
import { Sealer } from '../../platform/sealing/sealer.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { AccountChanges } from './account-changes.service.js';
import { AccountChangesStore } from './account-changes.store.js';
import { AccountCreation } from './account-creation.service.js';
import { AccountDrafts } from './account-drafts.service.js';
import { AccountImport } from './import/account-import.service.js';
import { ImportDrafts } from './import/import-drafts.service.js';
import { StagedAccountsStore } from './import/staged-accounts.store.js';
import { StagedImports } from './import/staged-imports.service.js';
import { LoginIdProperties, HashProperties } from './account.properties.js';
import { AddressNotices } from './address-notices.service.js';
import { AccountStore } from './account.store.js';
import { Accounts } from './accounts.service.js';
import { LoginIds } from './login-id.js';
import type { BreachSource } from './password/breached/breach-source.js';
import { BreachedPasswords } from './password/breached/breached-passwords.service.js';
import { BreachedPasswordProperties } from './password/breached/breached.properties.js';
import { HashFile } from './password/breached/hash-file.js';
import { RangeClient } from './password/breached/range.client.js';
import { pathOf } from '../../platform/tls/bundle-reading.js';
import { Decoys } from './password/decoys.js';
import { PasswordKinds, StoredHashKinds } from './password/password-kinds.task.js';
import { HashKindStore } from './password/hash-kind.store.js';
import { PasswordHasher, SpareWorkers } from './password/password-hasher.js';
import { PasswordStrength, ServiceWords } from './password/strength/password-strength.js';
import { PasswordVerification, StoredPasswords } from './password/password-verification.service.js';
import { PasswordChanges, Passwords } from './password/passwords.service.js';
import { StaffAccounts, StaffCreation } from './staff/staff-accounts.service.js';
import { StaffIdentityStore } from './staff/staff-identity.store.js';
import { DeviceCookies } from './throttle/device-cookies.service.js';
import { KvstoreFailures } from './throttle/kvstore-failures.client.js';
import { GuessFailureTable } from './throttle/password-failure.store.js';
import { GuessThrottle } from './throttle/guess-throttle.service.js';
import { GuessFailures, SharedFailures } from './throttle/shared-failures.js';

const loginIds = {
  provide: LoginIds,
  inject: [LoginIdProperties],
  useFactory: (properties: LoginIdProperties): LoginIds => new LoginIds(properties),
};

const hasher = {
  provide: PasswordHasher,
  inject: [HashProperties, SpareWorkers, Random, Meters],
  useFactory: openHasher,
};

const decoys = {
  provide: Decoys,
  inject: [Sealer, Random, HashKindStore, UnitOfWork],
  useFactory: (sealer: Sealer, random: Random, store: HashKindStore, work: UnitOfWork): Decoys => {
    const [key] = sealer.derivedKeys('password-decoy');
    return new Decoys(key, random, new StoredHashKinds(store, work));
  },
};

const passwordStrength = {
  provide: PasswordStrength,
  inject: [ServiceWords],
  useFactory: (words: ServiceWords): PasswordStrength => new PasswordStrength(words),
};

const breachedPasswords = {
  provide: BreachedPasswords,
  inject: [BreachedPasswordProperties, OutboundHttp, Meters, Loggers],
  useFactory: (
    properties: BreachedPasswordProperties,
    http: OutboundHttp,
    meters: Meters,
    loggers: Loggers,
  ): BreachedPasswords => new BreachedPasswords(breachSource(properties, http), properties.minCount, meters, loggers),
};

/** In the store of the other limits. Commands compare no passwords, and have none. */
const passwordFailures = {
  provide: GuessFailures,
  inject: [{ token: SharedStore, optional: true }, { token: Kvstore, optional: true }, UnitOfWork, Clock],
  useFactory: (
    store: SharedStore | undefined,
    kvstore: Kvstore | undefined,
    work: UnitOfWork,
    clock: Clock,
  ): GuessFailures => {
    if (!store?.shared) return new GuessFailures();
    const { kind, availability } = store.shared;
    const failures =
      kind === 'kvstore' && kvstore ? new KvstoreFailures(kvstore, clock) : new GuessFailureTable(work, clock);
    return new GuessFailures(new SharedFailures(failures, availability));
  },
};

/** Users, and the verification of their passwords. */
@Module({
  imports: [EventsModule, MailModule, OutboundModule, TasksModule],
  providers: [
    ...[AccountStore, AccountChangesStore, HashKindStore, StagedAccountsStore, StaffIdentityStore],
    ...[
      AddressNotices,
      loginIds,
      Accounts,
      AccountChanges,
      AccountDrafts,
      AccountCreation,
      AccountImport,
      ImportDrafts,
      StagedImports,
    ],
    ...[hasher, decoys, passwordStrength, breachedPasswords, PasswordKinds, Passwords, PasswordChanges],
    passwordFailures,
    ...[DeviceCookies, GuessThrottle, StoredPasswords, PasswordVerification],
    ...[StaffCreation, StaffAccounts],
  ],
  exports: [
    ...[Accounts, AccountChanges, AccountCreation, AccountImport, StagedImports],
    ...[DeviceCookies, LoginIds, PasswordHasher, GuessThrottle, PasswordVerification, Passwords, PasswordChanges],
    ...[StaffAccounts, StaffCreation],
  ],
})
export class AccountModule implements OnApplicationShutdown {
  constructor(
    private readonly passwordHasher: PasswordHasher,
    private readonly strength: PasswordStrength,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.passwordHasher.close(), this.strength.close()]);
  }
}

function openHasher(
  properties: HashProperties,
  { count: spare }: SpareWorkers,
  random: Random,
  meters: Meters,
): PasswordHasher {
  const { memory, iterations, parallelism, queueCapacity, concurrency = availableParallelism() } = properties;
  const cost = { memoryKib: Math.floor(memory.bytes / 1024), iterations, parallelism };
  return new PasswordHasher({ cost, concurrency, spare, queueCapacity }, random, meters);
}

/** The configured source; undefined if there is none, as by default. */
function breachSource(
  { url, file, timeout }: BreachedPasswordProperties,
  http: OutboundHttp,
): BreachSource | undefined {
  if (file !== undefined) return new HashFile(pathOf(file), timeout.milliseconds);
  return url === undefined ? undefined : new RangeClient(http, url, timeout.milliseconds);
}
