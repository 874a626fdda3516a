import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import type { AttemptSubject } from '../second-factor/attempts/attempt.js';
import { SecondFactorMeters } from '../second-factor/attempts/second-factor-meters.service.js';
import { type Proof, SecondFactors } from '../second-factor/second-factors.service.js';
import { codeMethod } from '../second-factor/submitted-code.js';
import { type DeviceSecret, TrustedDevices } from '../second-factor/trusted-device/trusted-devices.service.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { setUser } from '../principal/request-context.js';
import type { FullPrincipal, HalfPrincipal, Principal } from '../principal/principal.js';
import { type MfaClaims, MfaTokens } from '../token/mfa-tokens.service.js';
import { type OpenedSession, Sessions } from '../session/sessions.service.js';

/** An accepted second factor, with the session that it opened or stepped up. */
export interface CompletedSecondStep {
  readonly opened: OpenedSession;
  readonly proof: Proof;
  /** Present if the browser asked to be trusted and policy allows it. */
  readonly trustedDevice?: DeviceSecret;
}

interface CompleteOptions {
  /** Asks to skip the code in this browser for a while; ignored if that is disabled. */
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
    private readonly mfaTokens: MfaTokens,
    private readonly sessions: Sessions,
    private readonly trustedDevices: TrustedDevices,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly meters: SecondFactorMeters,
  ) {}

  /** `POST /login/2fa`, which carries the `mfa_token` in the body. */
  async completeLogin(mfaToken: string, code: string, wishes: CompleteOptions = {}): Promise<CompletedSecondStep> {
    const claims = await this.meters.refusals(codeMethod(code), () => this.claimsOf(mfaToken));
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
    return this.prove(half, code, wishes);
  }

  /** `POST /2fa/verify`: completes a half-authenticated login, or steps up a complete one. */
  prove(
    principal: Principal,
    code: string,
    { trustDevice = false }: CompleteOptions = {},
  ): Promise<CompletedSecondStep> {
    const { subject } = principal;
    return this.secondFactors.prove({ ...attemptSubjectOf(principal), code }, async (tx, proof) => {
      const opened = await this.completeSecondStep(tx, principal, proof.method);
      const trustedDevice = trustDevice ? await this.trustedDevices.grant(tx, subject) : undefined;
      return { opened, proof, ...(trustedDevice && { trustedDevice }) };
    });
  }

  /** Opens or steps up the session after an accepted code of `method`; also after a code that confirmed a new secret. */
  async completeSecondStep(tx: Tx, principal: Principal, method: Proof['method']): Promise<OpenedSession> {
    const { subject } = principal;
    const kind = principal.kind === 'half' ? 'MFA_OK' : 'STEP_UP_OK';
    const { idp } = principal;
    await this.events.record(tx, {
      kind,
      subject,
      amr: this.secondFactors.amrOf(method),
      reason: method,
      ...(idp !== undefined && { idp }),
    });
    return principal.kind === 'half' ? this.upgrade(tx, principal, method) : this.stepUp(tx, principal, method);
  }

  private async claimsOf(mfaToken: string): Promise<MfaClaims> {
    const claims = await this.mfaTokens.verify(mfaToken);
    if (!claims) throw new ServiceError('MFA_TOKEN_INVALID', { reason: 'not an mfa_token of ours' });
    return claims;
  }

  /** Ends the half-authenticated login, which can happen only once, and opens a full session. */
  private async upgrade(tx: Tx, half: HalfPrincipal, mfaMethod: Proof['method']): Promise<OpenedSession> {
    const { subject, authTime, id, expiresAt } = half;
    const dated = authTime === undefined ? {} : { authTime };
    const facts = {
      subject,
      amr: this.secondFactors.amrOf(mfaMethod),
      ...dated,
      mfaAt: this.clock.seconds(),
      mfaMethod,
    };
    if (half.via === 'token') {
      const isFirst = await this.mfaTokens.markUsed(tx, { jti: id, expiresAt });
      if (!isFirst) throw new ServiceError('MFA_TOKEN_INVALID', { reason: 'jti used' });
      return this.sessions.open(tx, { ...facts, kind: 'token' });
    }
    const swapped = await this.sessions.upgrade(tx, id, facts);
    if (!swapped) throw new ServiceError('INVALID_TOKEN', { reason: 'half-authenticated session used or ended' });
    return swapped;
  }

  private async stepUp(tx: Tx, { sid }: FullPrincipal, mfaMethod: Proof['method']): Promise<OpenedSession> {
    const raised = await this.sessions.stepUp(tx, sid, {
      amr: this.secondFactors.amrOf(mfaMethod),
      mfaAt: this.clock.seconds(),
      mfaMethod,
    });
    if (!raised) throw new ServiceError('INVALID_TOKEN', { reason: 'session ended' });
    return raised;
  }
}

/** The subject of an attempt; for a half-authenticated caller it ends with its security stamp and its `jti`. */
export function attemptSubjectOf(caller: Principal): AttemptSubject {
  const { subject } = caller;
  if (caller.kind === 'full') return { subject };
  const { securityStamp, via, id } = caller;
  return { subject, securityStamp, ...(via === 'token' && { jti: id }) };
}
