import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { HalfPrincipal, Principal } from '../../../kernel/principal/principal.js';
import { setUser } from '../../../kernel/principal/request-context.js';
import type { SubmittedCode, SubmittedProof } from '../../../identity/second-factor/second-factor.js';
import { SecondFactors } from '../../../identity/second-factor/second-factors.service.js';
import { MfaTokens } from '../../../identity/token/mfa-tokens.service.js';
import type { CookieValues } from '../../../platform/web/cookies.js';
import { NewDevices } from '../new-devices.service.js';
import { attemptSubjectOf } from '../../../identity/second-factor/attempts/attempt.js';
import { CodePolicy } from './code-policy.service.js';
import { type CompletedSecondStep, SecondStepCompletion } from './second-step-completion.service.js';

/** The browser, or another client, that sends the second factor. */
export interface SecondStepClient {
  readonly cookies: CookieValues;
  /** Asks to skip the second step for a while; ignored if that is disabled, and unless it completes a login here. */
  readonly trustDevice?: boolean;
}

/** Second step of every login, and step-up. */
@Injectable()
export class SecondStep {
  constructor(
    private readonly secondFactors: SecondFactors,
    private readonly codes: CodePolicy,
    private readonly mfaTokens: MfaTokens,
    private readonly completion: SecondStepCompletion,
    private readonly newDevices: NewDevices,
  ) {}

  /** `POST /login/2fa`, which carries the `mfa_token` in the body. @throws ServiceError as `prove` does */
  async completeLogin(mfaToken: string, code: SubmittedCode, client: SecondStepClient): Promise<CompletedSecondStep> {
    const half = await this.secondFactors.beforeAttempt(code.method, () => this.principalOf(mfaToken));
    setUser(half.subject);
    return this.prove(half, code, client);
  }

  /**
   * Completes a half-authenticated login, or steps up a complete one, by a code or by an assertion of a passkey.
   * @throws ServiceError `MFA_STATE_CONFLICT` if only a passkey completes or steps up the login; as `SecondFactors.prove` does
   */
  async prove(
    principal: Principal,
    submitted: SubmittedProof,
    { cookies, trustDevice: trustsDevice = false }: SecondStepClient,
  ): Promise<CompletedSecondStep> {
    const { method } = submitted;
    if (method !== 'passkey') {
      await this.secondFactors.beforeAttempt(method, () => this.codes.requireAccepted(principal));
    }
    return this.secondFactors.prove(attemptSubjectOf(principal), submitted, async (tx, proof) => {
      // The new device first: its history must not have the completion of this login.
      const [, completed] = await Promise.all([
        principal.kind === 'half' && this.newDevices.record(tx, principal.subject, cookies),
        this.completion.complete(tx, principal, proof, { trustsDevice }),
      ]);
      return completed;
    });
  }

  private async principalOf(mfaToken: string): Promise<HalfPrincipal> {
    const claims = await this.mfaTokens.verify(mfaToken);
    if (!claims) throw new ServiceError('MFA_TOKEN_INVALID', { reason: 'not an mfa_token of ours' });
    const { subject, amr, securityStamp, jti: id, issuedAt: authTime, expiresAt } = claims;
    return { kind: 'half', via: 'token', subject, amr, securityStamp, id, authTime, expiresAt };
  }
}
