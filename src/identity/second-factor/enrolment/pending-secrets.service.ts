import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import {
  type EnrolmentChange,
  type AttemptSubject,
  endedError,
  NO_ACCOUNT,
  rejectionError,
} from '../attempts/attempt.js';
import { AttemptBudget } from '../attempts/attempt-budget.service.js';
import type { SetupRequest } from '../factor-state.js';
import { qrPng, qrSvg } from '../totp/otpauth-uri.js';
import { TotpSecrets } from '../totp/totp-secrets.service.js';
import { EnrolmentStore, type StoredPendingSecret } from './enrolment.store.js';

/** A pending secret as it is shown to the login that asked for it. */
export interface ShownSecret {
  readonly secret: string;
  readonly otpauthUri: string;
  /** `data:image/svg+xml;base64,…` */
  readonly qr: string;
  readonly expiresInSeconds: number;
}

/** A pending secret, and what it is for. */
export interface ShownPendingSecret extends ShownSecret {
  readonly change: EnrolmentChange;
}

/** Shows a pending secret to the session or `mfa_token` that asked for it. */
@Injectable()
export class PendingSecrets {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly store: EnrolmentStore,
    private readonly secrets: TotpSecrets,
    private readonly budget: AttemptBudget,
  ) {}

  /**
   * Finds the pending secret that the caller asked for; undefined if there is none, or if the caller may not act any more.
   * @throws ServiceError `MFA_LOCKED`
   */
  async find(caller: SetupRequest): Promise<StoredPendingSecret | undefined> {
    const counter = await this.work.single((tx) => this.store.state(tx, caller.subject));
    if (!counter) throw endedError(NO_ACCOUNT, { subject: caller.subject });
    const lock = this.budget.lockOf(counter);
    const now = this.clock.seconds();
    if (lock) throw rejectionError({ kind: 'locked', lock }, caller, now);
    return this.work.single((tx) => this.store.pending(tx, caller, now));
  }

  /** Shows the secret that `find` finds, unchanged, so that an app that already has it stays valid. */
  async shown(caller: SetupRequest): Promise<ShownPendingSecret | undefined> {
    const pending = await this.find(caller);
    return pending && { ...(await this.show(caller, pending)), change: pending.change };
  }

  show(caller: AttemptSubject, { sealed, expiresAt }: StoredPendingSecret): Promise<ShownSecret> {
    return this.showKey(caller, this.secrets.open(caller.subject, sealed), expiresAt - this.clock.seconds());
  }

  async showKey(caller: AttemptSubject, key: Uint8Array, expiresInSeconds: number): Promise<ShownSecret> {
    const { secret, uri } = this.secrets.shown(key, await this.loginIdOf(caller));
    const svg = await qrSvg(uri);
    return {
      secret,
      otpauthUri: uri,
      qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
      expiresInSeconds,
    };
  }

  /** The QR code of the secret, in each form once and only for the session or `mfa_token` that asked for it. */
  async qr(form: 'svg' | 'png', subject: string, requestedBy: string): Promise<string | Buffer> {
    const key = await this.secrets.takePicture(form, subject, requestedBy, this.clock.seconds());
    if (!key) throw new ServiceError('NOT_FOUND');
    const { uri } = this.secrets.shown(key, await this.loginIdOf({ subject }));
    return form === 'svg' ? qrSvg(uri) : qrPng(uri);
  }

  private async loginIdOf(caller: AttemptSubject): Promise<string> {
    const loginId = await this.work.single((tx) => this.store.loginId(tx, caller.subject));
    if (loginId === undefined) throw endedError(NO_ACCOUNT, caller);
    return loginId;
  }
}
