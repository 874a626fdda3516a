import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../account/account.js';
import { Clock } from '../../kernel/clock/clock.js';
import { type Amr, isPhishingResistant, PWD } from '../../kernel/principal/amr.js';
import { MfaProperties } from './mfa.properties.js';
import { PasskeyProperties } from './passkey/passkey.properties.js';
import { RelyingParty } from './passkey/relying-party.service.js';
import type { DueStep, FactorId, NextStep } from './second-factor.js';
import type { AuthenticatorType } from './factor-state.js';

/** What policy demands of an account at this moment, and which second factors it can use. */
@Injectable()
export class MfaPolicy {
  constructor(
    private readonly properties: MfaProperties,
    private readonly relyingParty: RelyingParty,
    private readonly passkeys: PasskeyProperties,
    private readonly clock: Clock,
  ) {}

  /** True if policy demands a second factor of the account. */
  demands(account: Account): boolean {
    return this.signsInByPasskeyOnly(account) || this.properties.demands(account, this.clock.seconds());
  }

  /** When policy begins to demand a second factor of the account, in epoch seconds. */
  demandedFrom(account: Account): number | undefined {
    return this.demands(account) ? undefined : this.properties.demandedFrom(account, this.clock.seconds());
  }

  /** True if only a passkey completes a login of the account, and opens the administration to it. */
  demandsPasskey(account: Account): boolean {
    return (
      this.signsInByPasskeyOnly(account) || this.properties.demandsPhishingResistant(account, this.clock.seconds())
    );
  }

  /**
   * True if only a passkey proves the second factor in a complete login of the account: a code that was phished must not
   * replace what resists phishing. As long as the account has no passkey, another factor permits to add one.
   */
  needsPasskey(account: Account): boolean {
    return account.passkeyCount > 0 && this.demandsPasskey(account);
  }

  /**
   * True if the password of the account no longer begins a login: the account has a passkey, and the configuration admits passkeys
   * only. Without one, the password begins a login that sets one up.
   */
  refusesPassword(account: Account): boolean {
    return account.passkeyCount > 0 && this.signsInByPasskeyOnly(account);
  }

  /** When policy begins to demand a passkey of the account, in epoch seconds; undefined if it already does, or never will. */
  passkeyFrom(account: Account): number | undefined {
    if (this.signsInByPasskeyOnly(account)) return undefined;
    return this.properties.phishingResistantFrom(account, this.clock.seconds());
  }

  /** True if the account has no authenticator, and its first one needs a temporary access code beside the password. */
  demandsAccessCode(account: Account): boolean {
    return this.properties.demandsAccessCode(account);
  }

  /** True while policy leaves second factors to the users. */
  get isOptional(): boolean {
    if (this.signsInByPasskeyOnly({ kind: 'local', roles: [] })) return false;
    return this.properties.isOptional(this.clock.seconds());
  }

  /** True if passkeys can be registered and used. */
  get arePasskeysUsable(): boolean {
    return this.relyingParty.isAvailable;
  }

  /** True if `demandsPasskey` may be true for some account, now or later. */
  get mayDemandPasskey(): boolean {
    return this.properties.requiredStrength === 'phishing-resistant' || this.passkeys.signIn === 'only';
  }

  /** The step that is due after a verified password. */
  dueStep(account: Account): DueStep {
    const next = this.nextStep(account);
    if (next !== 'enrol') return { next, methods: this.methods(account), needsAccessCode: false };
    const methods = this.enrolmentMethods(account, { forLogin: true });
    return { next, methods, needsAccessCode: this.demandsAccessCode(account) };
  }

  nextStep(account: Account): NextStep {
    if (!this.lacksFactor(account)) return 'verify';
    return this.demands(account) ? 'enrol' : 'none';
  }

  /** True if the account has no authenticator that completes its login. */
  lacksFactor(account: Account): boolean {
    return !hasSecondFactor(account) || (account.passkeyCount === 0 && this.demandsPasskey(account));
  }

  /** The methods that complete a login of the account after the first factor, the strongest first. A passkey counts once. */
  methods(account: Account, first: Amr = PWD): readonly FactorId[] {
    if (!isPhishingResistant(first)) return this.usableMethods(account, this.demandsPasskey(account));
    return this.usableMethods(account, false).filter((method) => method !== 'passkey');
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

  /** Staff sign in at their identity provider, whatever the key says. */
  private signsInByPasskeyOnly({ kind, roles }: Pick<Account, 'kind' | 'roles'>): boolean {
    return kind === 'local' && this.relyingParty.signsIn && this.passkeys.signsInByPasskeyOnly(roles);
  }

  private usableMethods(account: Account, isPasskeyOnly: boolean): readonly FactorId[] {
    if (!hasSecondFactor(account)) return [];
    const passkey: FactorId[] = account.passkeyCount > 0 && this.relyingParty.isAvailable ? ['passkey'] : [];
    if (isPasskeyOnly) return passkey;
    return [...passkey, ...(account.totpCount > 0 ? (['totp'] as const) : []), 'backup_code'];
  }
}
