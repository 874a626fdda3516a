import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { type Amr, amrAfterStepUp, amrOfLogin } from '../../../kernel/principal/amr.js';
import type { FullPrincipal, HalfPrincipal, Principal } from '../../../kernel/principal/principal.js';
import type { Confirmation, Proof } from '../../../identity/second-factor/second-factor.js';
import type { DeviceSecret } from '../../../identity/second-factor/trusted-device/trusted-device.js';
import { TrustedDevices } from '../../../identity/second-factor/trusted-device/trusted-devices.service.js';
import type { StepUpFacts } from '../../../identity/session/session.js';
import { type OpenedSession, Sessions } from '../../../identity/session/sessions.service.js';
import { MfaTokens } from '../../../identity/token/mfa-tokens.service.js';

/** An accepted second factor, with the session that it opened or stepped up. */
export interface CompletedSecondStep {
  readonly opened: OpenedSession;
  readonly proof: Proof;
  /** Present if the browser asked to be trusted and policy allows it. */
  readonly trustedDevice?: DeviceSecret;
}

/**
 * Opens or steps up the session after a proof, in the transaction that uses the proof up: it consumes the `mfa_token` or the
 * half-authenticated session, and records the event.
 */
@Injectable()
export class SecondStepCompletion {
  constructor(
    private readonly mfaTokens: MfaTokens,
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
    private readonly trustedDevices: TrustedDevices,
    private readonly events: SecurityEvents,
  ) {}

  /** `trustsDevice` has an effect only if it completes a login here. */
  async complete(
    tx: Tx,
    principal: Principal,
    proof: Proof,
    { trustsDevice }: { readonly trustsDevice: boolean },
  ): Promise<CompletedSecondStep> {
    const isOwnLogin = principal.kind === 'half' && principal.idp === undefined;
    const [opened, trustedDevice] = await Promise.all([
      this.open(tx, principal, proof),
      trustsDevice && isOwnLogin ? this.trustedDevices.grant(tx, principal.subject) : undefined,
    ]);
    return { opened, proof, ...withoutUndefined({ trustedDevice }) };
  }

  /** After the proof of a new secret: if that replaced another one, all other sessions end. */
  async completeConfirmation(tx: Tx, principal: Principal, proof: Confirmation): Promise<OpenedSession> {
    const opened = await this.open(tx, principal, proof);
    if (proof.change === 'replace') await this.sessions.endAll(tx, principal.subject, opened.session.id);
    return opened;
  }

  private async open(tx: Tx, principal: Principal, proof: Proof): Promise<OpenedSession> {
    const { subject, idp } = principal;
    const kind = principal.kind === 'half' ? 'MFA_OK' : 'STEP_UP_OK';
    const reason = proof.method;
    const amr = amrOf(principal, proof);
    const [opened] = await Promise.all([
      principal.kind === 'half' ? this.upgrade(tx, principal, proof) : this.stepUp(tx, principal, proof),
      principal.kind === 'half' ? this.accounts.recordSignIn(tx, subject, proof.provedAt) : undefined,
      this.events.record(tx, { kind, subject, amr, reason, ...withoutUndefined({ idp }) }),
    ]);
    return opened;
  }

  /** Ends the half-authenticated login, which can happen only once, and opens a full session. */
  private async upgrade(tx: Tx, half: HalfPrincipal, proof: Proof): Promise<OpenedSession> {
    const { subject, authTime, via, id, expiresAt } = half;
    const facts = { subject, ...factsOf(half, proof), ...withoutUndefined({ authTime }) };
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

  private async stepUp(tx: Tx, principal: FullPrincipal, proof: Proof): Promise<OpenedSession> {
    const steppedUp = await this.sessions.stepUp(tx, principal.sid, factsOf(principal, proof));
    if (!steppedUp) throw new ServiceError('INVALID_TOKEN', { reason: 'session ended' });
    return steppedUp;
  }
}

/** The facts about a proof that a session stores. */
function factsOf(principal: Principal, proof: Proof): StepUpFacts {
  const { provedAt: mfaAt, method: mfaMethod } = proof;
  return { amr: amrOf(principal, proof), mfaAt, mfaMethod };
}

function amrOf({ kind, amr }: Principal, proof: Proof): Amr {
  return kind === 'half' ? amrOfLogin(amr, proof.amr) : amrAfterStepUp(amr, proof.amr);
}
