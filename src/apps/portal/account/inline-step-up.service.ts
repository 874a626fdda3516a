import { Injectable } from '@nestjs/common';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { SecondStep } from '../../../signin/auth/login/second-step.service.js';
import { PasskeyStep } from '../../../signin/auth/login/passkey-step.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import type { OnlyFactor } from '../../../signin/auth/page-paths.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { authenticationFactsOf, type FullPrincipal, requesterOf } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import type { SubmittedProof } from '../../../identity/second-factor/second-factor.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { codeIn } from '../form/code-field.js';
import { assertionIn } from '../form/passkey-field.js';
import type { ProofMethods } from './account-form.js';
import type { ConfirmationForm } from './account.schema.js';

/** Step-up within the form of a page: the user proves the second factor in the same form instead of on another page. */
@Injectable()
export class InlineStepUp {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly policy: MfaPolicy,
    private readonly secondStep: SecondStep,
    private readonly passkeys: PasskeyStep,
    private readonly credentials: CredentialWriter,
  ) {}

  /** True if a form for this caller must ask for a proof. */
  async isNeeded(caller: FullPrincipal): Promise<boolean> {
    return this.isNeededFor(caller, await this.reauthentication.accountOf(caller));
  }

  /**
   * Methods by which the form asks this caller for a proof; undefined if it asks for none. With `asksAlways`, it also
   * asks a caller whose proof is fresh.
   */
  async proofMethods(
    caller: FullPrincipal,
    { asksAlways }: { readonly asksAlways: boolean },
  ): Promise<ProofMethods | undefined> {
    const account = await this.reauthentication.accountOf(caller);
    if (!asksAlways && !this.isNeededFor(caller, account)) return undefined;
    const methods = this.policy.stepUpMethods(account);
    const hasPasskey = methods.includes('passkey');
    if (this.policy.needsPasskey(account)) return { hasPasskey };
    const hasOnlyBackupCodes = methods.includes('backup_code') && !methods.includes('totp');
    return { hasPasskey, code: hasOnlyBackupCodes ? 'backup_code' : 'any' };
  }

  /** The only second factor by which the caller may change the account; undefined if any will do. */
  async onlyFactor(caller: FullPrincipal): Promise<OnlyFactor | undefined> {
    const account = await this.reauthentication.accountOf(caller);
    return this.policy.needsPasskey(account) ? 'passkey' : undefined;
  }

  /**
   * The proof in the fields of a form; undefined without one.
   * @throws ServiceError `VALIDATION_FAILED`, and as `PasskeyStep.options` does if the script got no options
   */
  async submitted(
    caller: FullPrincipal,
    { code = '', credential }: ConfirmationForm,
  ): Promise<SubmittedProof | undefined> {
    if (credential) {
      return { method: 'passkey', response: { assertion: assertionIn(credential), requestedBy: requesterOf(caller) } };
    }
    if (code !== '') return codeIn(code);
    if (credential === '') await this.rejectOptions(caller);
    return undefined;
  }

  /**
   * Throws the reason why the script got no options, unless the passkey no longer exists, for which the form asks in
   * another way.
   */
  private async rejectOptions(caller: FullPrincipal): Promise<void> {
    try {
      await this.passkeys.options(caller);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'MFA_STATE_CONFLICT') throw error;
    }
  }

  /**
   * The proof in the fields of a form that must have one.
   * @throws ServiceError as `submitted` does; `STEP_UP_REQUIRED` without a sufficient proof
   */
  async required(caller: FullPrincipal, confirmation: ConfirmationForm): Promise<SubmittedProof> {
    const account = await this.reauthentication.accountOf(caller);
    return this.reauthentication.requireProof(account, await this.submitted(caller, confirmation));
  }

  /**
   * Proves the second factor if the last proof is too old or too weak, and returns the caller with the new one.
   * @throws ServiceError as `required` and `SecondStep.prove` do
   */
  async prove(caller: FullPrincipal, confirmation: ConfirmationForm, reply: Reply): Promise<FullPrincipal> {
    const account = await this.reauthentication.accountOf(caller);
    if (!this.isNeededFor(caller, account)) return caller;
    const submitted = this.reauthentication.requireProof(account, await this.submitted(caller, confirmation));
    const { opened, proof } = await this.secondStep.prove(caller, submitted, { cookies: reply.cookies });
    await this.credentials.write(reply, opened, proof.roles, 'session');
    return { ...caller, ...authenticationFactsOf(opened.session) };
  }

  private isNeededFor(caller: FullPrincipal, account: Account): boolean {
    return hasSecondFactor(account) && !this.reauthentication.mayChange(caller, account);
  }
}
