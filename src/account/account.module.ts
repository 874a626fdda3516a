import { availableParallelism } from 'node:os';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { Meters } from '../metrics/meters.js';
import { Random } from '../random/random.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AccountChanges } from './account-changes.service.js';
import { AccountCreation } from './account-creation.service.js';
import { AccountDrafts } from './account-drafts.service.js';
import { AccountImport } from './import/account-import.service.js';
import { AccountStore } from './account.store.js';
import { Accounts } from './accounts.service.js';
import { Decoys } from './password/decoys.service.js';
import { DeviceCookies } from './throttle/device-cookies.service.js';
import { LoginIds } from './login-ids.service.js';
import { PasswordHashProperties } from './account.properties.js';
import { PasswordKinds } from './password/password-kinds.task.js';
import { PasswordKindStore } from './password/password-kind.store.js';
import { PasswordHasher, SpareWorkers } from './password/password-hasher.js';
import { StaffAccounts } from './staff/staff-accounts.service.js';
import { StaffIdentityStore } from './staff/staff-identity.store.js';
import { PasswordThrottle } from './throttle/password-throttle.service.js';
import { Passwords } from './password/passwords.service.js';

/** Users and the password step. */
@Module({
  imports: [EventsModule, TasksModule],
  providers: [
    AccountStore,
    Accounts,
    AccountChanges,
    AccountCreation,
    AccountDrafts,
    AccountImport,
    LoginIds,
    Passwords,
    PasswordThrottle,
    PasswordKindStore,
    Decoys,
    PasswordKinds,
    DeviceCookies,
    StaffIdentityStore,
    StaffAccounts,
    {
      provide: PasswordHasher,
      inject: [PasswordHashProperties, SpareWorkers, Random, Meters],
      useFactory: hasher,
    },
  ],
  exports: [
    Accounts,
    AccountChanges,
    AccountCreation,
    AccountImport,
    DeviceCookies,
    PasswordHasher,
    PasswordThrottle,
    StaffAccounts,
  ],
})
export class AccountModule implements OnApplicationShutdown {
  constructor(private readonly passwordHasher: PasswordHasher) {}

  async onApplicationShutdown(): Promise<void> {
    await this.passwordHasher.close();
  }
}

function hasher(
  properties: PasswordHashProperties,
  { count: kept }: SpareWorkers,
  random: Random,
  meters: Meters,
): PasswordHasher {
  const { memory, iterations, parallelism, queueCapacity, concurrency = availableParallelism() } = properties;
  const cost = { memoryKib: Math.floor(memory.bytes / 1024), iterations, parallelism };
  return new PasswordHasher({ cost, concurrency, kept, queueCapacity }, random, meters);
}
