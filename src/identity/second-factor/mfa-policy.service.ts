import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../account/account.js';
import { Clock } from '../../kernel/clock/clock.js';
import { MfaProperties } from './mfa.properties.js';
import { RelyingParty } from './passkey/relying-party.service.js';
import type { DueStep, FactorId, NextStep } from './second-factor.js';
import type { AuthenticatorType } from './factor-state.js';

/** What policy demands of an account at this moment, and which second factors it can use. */
@Injectable()
export class MfaPolicy {
  constructor(
    private readonly properties: MfaProperties,
    private readonly relyingParty: RelyingParty,
    private readonly clock: Clock,
  ) {}

  /** True if policy demands a second factor of the account. */
  demands(account: Account): boolean {
    return this.properties.demands(account, this.clock.seconds());
  }

  /** When policy begins to demand a second factor of the account, in epoch seconds. */
  demandedFrom(account: Account): number | undefined {
    return this.properties.demandedFrom(account, this.clock.seconds());
  }

  /** True if only a passkey completes a login of the account, and opens the administration to it. */
  demandsPasskey(account: Account): boolean {
    return this.properties.demandsPhishingResistant(account, this.clock.seconds());
  }

  /**
   * True if only a passkey proves the second factor in a complete login of the account: a code that was phished must not
   * replace what resists phishing. As long as the account has no passkey, another factor permits to add one.
   */
  needsPasskey(account: Account): boolean {
    return account.passkeyCount > 0 && this.demandsPasskey(account);
  }

  /** When policy begins to demand a passkey of the account, in epoch seconds; undefined if it already does, or never will. */
  passkeyFrom(account: Account): number | undefined {
    return this.properties.phishingResistantFrom(account, this.clock.seconds());
  }

  /** True while policy leaves second factors to the users. */
  get isOptional(): boolean {
    return this.properties.isOptional(this.clock.seconds());
  }

  /** True if passkeys can be registered and used. */
  get arePasskeysUsable(): boolean {
    return this.relyingParty.isAvailable;
  }

  /** True if `demandsPasskey` may be true for some account, now or later. */
  get mayDemandPasskey(): boolean {
    return this.properties.requiredStrength === 'phishing-resistant';
  }

  /** The step that is due after a verified password. */
  dueStep(account: Account): DueStep {
    const next = this.nextStep(account);
    if (next === 'enrol') return { next, methods: this.enrolmentMethods(account, { forLogin: true }) };
    return { next, methods: this.methods(account) };
  }

  nextStep(account: Account): NextStep {
    if (!this.lacksFactor(account)) return 'verify';
    return this.demands(account) ? 'enrol' : 'none';
  }

  /** True if the account has no authenticator that completes its login. */
  lacksFactor(account: Account): boolean {
    return !hasSecondFactor(account) || (account.passkeyCount === 0 && this.demandsPasskey(account));
  }

  /** The methods that complete a login of the account, the strongest first. */
  methods(account: Account): readonly FactorId[] {
    return this.usableMethods(account, this.demandsPasskey(account));
  }

  /** The methods that step up a complete login of the account, the strongest first. */
  stepUpMethods(account: Account): readonly FactorId[] {
    return this.usableMethods(account, this.needsPasskey(account));
  }

  /** The types of authenticators that the account can set up; before its login is complete, if `forLogin` is true. */
  enrolmentMethods(account: Account, { forLogin }: { readonly forLogin: boolean }): readonly AuthenticatorType[] {
    const passkey: AuthenticatorType[] = this.relyingParty.isAvailable ? ['passkey'] : [];
    return forLogin && this.demandsPasskey(account) ? passkey : [...passkey, 'totp'];
  }

  private usableMethods(account: Account, isPasskeyOnly: boolean): readonly FactorId[] {
    if (!hasSecondFactor(account)) return [];
    const passkey: FactorId[] = account.passkeyCount > 0 && this.relyingParty.isAvailable ? ['passkey'] : [];
    if (isPasskeyOnly) return passkey;
    return [...passkey, ...(account.totpCount > 0 ? (['totp'] as const) : []), 'backup_code'];
  }
}
