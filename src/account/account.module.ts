import { availableParallelism } from 'node:os';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { Meters } from '../metrics/meters.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { Random } from '../random/random.js';
import { Sealer } from '../sealing/sealer.js';
import { MailModule } from '../mail/mail.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AccountChanges } from './account-changes.service.js';
import { AccountChangesStore } from './account-changes.store.js';
import { AccountCreation } from './account-creation.service.js';
import { AccountDrafts } from './account-drafts.service.js';
import { AccountImport } from './import/account-import.service.js';
import { StagedAccountsStore } from './import/staged-accounts.store.js';
import { StagedImports } from './import/staged-imports.service.js';
import { LoginIdProperties, PasswordHashProperties } from './account.properties.js';
import { AddressNotices } from './address-notices.service.js';
import { AccountStore } from './account.store.js';
import { Accounts } from './accounts.service.js';
import { LoginIds } from './login-id.js';
import { Decoys } from './password/decoys.js';
import { PasswordKinds, StoredPasswordKinds } from './password/password-kinds.task.js';
import { PasswordKindStore } from './password/password-kind.store.js';
import { PasswordHasher, SpareWorkers } from './password/password-hasher.js';
import { PasswordVerification, Rehashing, StoredPasswords } from './password/password-verification.service.js';
import { PasswordChanges, Passwords } from './password/passwords.service.js';
import { StaffAccounts, StaffCreation } from './staff/staff-accounts.service.js';
import { StaffIdentityStore } from './staff/staff-identity.store.js';
import { DeviceCookies } from './throttle/device-cookies.service.js';
import { PasswordThrottle } from './throttle/password-throttle.service.js';

const loginIds = {
  provide: LoginIds,
  inject: [LoginIdProperties],
  useFactory: (properties: LoginIdProperties): LoginIds => new LoginIds(properties),
};

const hasher = {
  provide: PasswordHasher,
  inject: [PasswordHashProperties, SpareWorkers, Random, Meters],
  useFactory: openHasher,
};

const decoys = {
  provide: Decoys,
  inject: [Sealer, Random, PasswordKindStore, UnitOfWork],
  useFactory: (sealer: Sealer, random: Random, store: PasswordKindStore, work: UnitOfWork): Decoys => {
    const [key] = sealer.derivedKeys('password-decoy');
    return new Decoys(key, random, new StoredPasswordKinds(store, work));
  },
};

/** Users, and the verification of their passwords. */
@Module({
  imports: [EventsModule, MailModule, TasksModule],
  providers: [
    ...[AccountStore, AccountChangesStore, PasswordKindStore, StagedAccountsStore, StaffIdentityStore],
    ...[
      AddressNotices,
      loginIds,
      Accounts,
      AccountChanges,
      AccountDrafts,
      AccountCreation,
      AccountImport,
      StagedImports,
    ],
    ...[hasher, decoys, PasswordKinds, Passwords, PasswordChanges],
    ...[DeviceCookies, PasswordThrottle, Rehashing, StoredPasswords, PasswordVerification],
    ...[StaffCreation, StaffAccounts],
  ],
  exports: [
    ...[Accounts, AccountChanges, AccountCreation, AccountImport, StagedImports],
    ...[DeviceCookies, LoginIds, PasswordHasher, PasswordThrottle, PasswordVerification, Passwords, PasswordChanges],
    ...[StaffAccounts, StaffCreation],
  ],
})
export class AccountModule implements OnApplicationShutdown {
  constructor(private readonly passwordHasher: PasswordHasher) {}

  async onApplicationShutdown(): Promise<void> {
    await this.passwordHasher.close();
  }
}

function openHasher(
  properties: PasswordHashProperties,
  { count: kept }: SpareWorkers,
  random: Random,
  meters: Meters,
): PasswordHasher {
  const { memory, iterations, parallelism, queueCapacity, concurrency = availableParallelism() } = properties;
  const cost = { memoryKib: Math.floor(memory.bytes / 1024), iterations, parallelism };
  return new PasswordHasher({ cost, concurrency, kept, queueCapacity }, random, meters);
}
