import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { FullPrincipal, HalfPrincipal, Principal } from '../../../kernel/principal/principal.js';
import { setUser } from '../../../kernel/principal/request-context.js';
import type { AttemptSubject } from '../../../identity/second-factor/attempts/attempt.js';
import { AttemptBudget } from '../../../identity/second-factor/attempts/attempt-budget.service.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import type { Proof, SubmittedCode, SubmittedProof } from '../../../identity/second-factor/second-factor.js';
import { SecondFactors } from '../../../identity/second-factor/second-factors.service.js';
import {
  type DeviceSecret,
  TrustedDevices,
} from '../../../identity/second-factor/trusted-device/trusted-devices.service.js';
import type { StepUpFacts } from '../../../identity/session/session.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { type MfaClaims, MfaTokens } from '../../../identity/token/mfa-tokens.service.js';

/** An accepted second factor, with the session that it opened or stepped up. */
export interface CompletedSecondStep {
  readonly opened: OpenedSession;
  readonly proof: Proof;
  /** Present if the browser asked to be trusted and policy allows it. */
  readonly trustedDevice?: DeviceSecret;
}

export interface CompleteOptions {
  /** Asks to skip the second step in this browser for a while; ignored if that is disabled, and unless it completes a login here. */
  readonly trustDevice?: boolean;
}

/**
 * Second step of every login, and step-up. One transaction uses up the code, consumes the `mfa_token` or the
 * half-authenticated session, opens the session and records the event.
 */
@Injectable()
export class SecondStep {
  constructor(
    private readonly secondFactors: SecondFactors,
    private readonly budget: AttemptBudget,
    private readonly mfaTokens: MfaTokens,
    private readonly sessions: Sessions,
    private readonly trustedDevices: TrustedDevices,
    private readonly accounts: Accounts,
    private readonly policy: MfaPolicy,
    private readonly events: SecurityEvents,
  ) {}

  /** `POST /login/2fa`, which carries the `mfa_token` in the body. */
  async completeLogin(
    mfaToken: string,
    code: SubmittedCode,
    options: CompleteOptions = {},
  ): Promise<CompletedSecondStep> {
    const claims = await this.secondFactors.beforeAttempt(code.method, () => this.claimsOf(mfaToken));
    const { subject, securityStamp, jti, issuedAt, expiresAt } = claims;
    setUser(subject);
    const half = {
      kind: 'half',
      via: 'token',
      subject,
      securityStamp,
      id: jti,
      authTime: issuedAt,
      expiresAt,
    } as const;
    return this.prove(half, code, options);
  }

  /**
   * Completes a half-authenticated login, or steps up a complete one, by a code or by an assertion of a passkey.
   * @throws ServiceError `MFA_STATE_CONFLICT` if only a passkey completes or steps up the login; as `SecondFactors.prove` does
   */
  async prove(
    principal: Principal,
    submitted: SubmittedProof,
    options?: CompleteOptions,
  ): Promise<CompletedSecondStep> {
    const { method } = submitted;
    if (method !== 'passkey') {
      await this.secondFactors.beforeAttempt(method, () => this.requireCodeAccepted(principal));
    }
    return this.secondFactors.prove(attemptSubjectOf(principal), submitted, (tx, proof) =>
      this.complete(tx, principal, proof, options),
    );
  }

  /** Opens or steps up the session after a proof; also after the proof that confirmed a new secret. */
  async completeSecondStep(tx: Tx, principal: Principal, proof: Proof): Promise<OpenedSession> {
    const { subject, idp } = principal;
    const kind = principal.kind === 'half' ? 'MFA_OK' : 'STEP_UP_OK';
    const { amr, method: reason } = proof;
    const [opened] = await Promise.all([
      principal.kind === 'half' ? this.upgrade(tx, principal, proof) : this.stepUp(tx, principal, proof),
      this.events.record(tx, { kind, subject, amr, reason, ...withoutUndefined({ idp }) }),
    ]);
    return opened;
  }

  private async complete(
    tx: Tx,
    principal: Principal,
    proof: Proof,
    { trustDevice = false }: CompleteOptions = {},
  ): Promise<CompletedSecondStep> {
    const isOwnLogin = principal.kind === 'half' && principal.idp === undefined;
    const [opened, trustedDevice] = await Promise.all([
      this.completeSecondStep(tx, principal, proof),
      trustDevice && isOwnLogin ? this.trustedDevices.grant(tx, principal.subject) : undefined,
    ]);
    return { opened, proof, ...withoutUndefined({ trustedDevice }) };
  }

  /** A code that policy does not accept is rejected after the lock, the security stamp and the `jti`, as a wrong code would be. */
  private async requireCodeAccepted(principal: Principal): Promise<void> {
    if (!this.policy.mayDemandPasskey) return;
    const account = await this.accounts.find(principal.subject);
    if (!account) return;
    const isRejected =
      principal.kind === 'half' ? this.policy.demandsPasskey(account) : this.policy.needsPasskey(account);
    if (!isRejected) return;
    await this.budget.requireAllowed(attemptSubjectOf(principal));
    throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'policy demands a passkey' });
  }

  private async claimsOf(mfaToken: string): Promise<MfaClaims> {
    const claims = await this.mfaTokens.verify(mfaToken);
    if (!claims) throw new ServiceError('MFA_TOKEN_INVALID', { reason: 'not an mfa_token of ours' });
    return claims;
  }

  /** Ends the half-authenticated login, which can happen only once, and opens a full session. */
  private async upgrade(tx: Tx, half: HalfPrincipal, proof: Proof): Promise<OpenedSession> {
    const { subject, authTime, via, id, expiresAt } = half;
    const facts = { subject, ...factsOf(proof), ...withoutUndefined({ authTime }) };
    if (via === 'token') {
      const [isFirst, opened] = await Promise.all([
        this.mfaTokens.markUsed(tx, { jti: id, expiresAt }),
        this.sessions.open(tx, { ...facts, kind: 'token' }),
      ]);
      if (!isFirst) throw new ServiceError('MFA_TOKEN_INVALID', { reason: 'jti used' });
      return opened;
    }
    const upgraded = await this.sessions.upgrade(tx, id, facts);
    if (!upgraded) throw new ServiceError('INVALID_TOKEN', { reason: 'half-authenticated session used or ended' });
    return upgraded;
  }

  private async stepUp(tx: Tx, { sid }: FullPrincipal, proof: Proof): Promise<OpenedSession> {
    const steppedUp = await this.sessions.stepUp(tx, sid, factsOf(proof));
    if (!steppedUp) throw new ServiceError('INVALID_TOKEN', { reason: 'session ended' });
    return steppedUp;
  }
}

/** The facts about a proof that a session stores. */
function factsOf({ amr, provedAt: mfaAt, method: mfaMethod }: Proof): StepUpFacts {
  return { amr, mfaAt, mfaMethod };
}

/** The subject of an attempt; for a half-authenticated caller it ends with its security stamp and its `jti`. */
export function attemptSubjectOf(caller: Principal): AttemptSubject {
  const { subject } = caller;
  if (caller.kind === 'full') return { subject };
  const { securityStamp, via, id } = caller;
  return { subject, securityStamp, ...withoutUndefined({ jti: via === 'token' ? id : undefined }) };
}
