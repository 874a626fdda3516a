import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { SignInCounts } from '../../../identity/events/sign-ins/sign-in-counts.service.js';
import { LockedAccounts } from '../../../identity/second-factor/attempts/locked-accounts.task.js';
import { MfaProperties } from '../../../identity/second-factor/mfa.properties.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Overview, PolicyFacts } from './overview.js';

/** Reads the state of accounts and sign-ins. */
@Injectable()
export class Overviews {
  constructor(
    private readonly accounts: Accounts,
    private readonly locked: LockedAccounts,
    private readonly signIns: SignInCounts,
    private readonly properties: MfaProperties,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<Overview> {
    const [accounts, locked, signIns] = await Promise.all([
      this.accounts.statistics(this.properties.demand),
      this.locked.look(),
      this.signIns.recent(),
    ]);
    return { at: this.clock.seconds(), accounts, locked, signIns, policy: this.policy() };
  }

  private policy(): PolicyFacts {
    const { policy, requiredRoles, policyFrom, requiredStrength, requiredStrengthRoles, requiredStrengthFrom } =
      this.properties;
    return {
      ...{ policy, requiredRoles },
      ...withoutUndefined({
        policyFrom: this.future(policyFrom),
        passkeyRoles: requiredStrength === 'any' ? undefined : requiredStrengthRoles,
        passkeysFrom: this.future(requiredStrengthFrom),
      }),
    };
  }

  /** The whole second of a future instant in milliseconds; undefined for none, and for one in the past. */
  private future(millis: number | undefined): number | undefined {
    return millis !== undefined && millis > this.clock.millis() ? Math.ceil(millis / 1000) : undefined;
  }
}
