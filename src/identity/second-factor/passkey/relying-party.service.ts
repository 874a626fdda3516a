import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { BrandingProperties } from '../../../platform/branding/branding.properties.js';
import { PasskeyProperties } from './passkey.properties.js';
import { BrowserAddress, passkeySite, type PasskeySite } from './passkey-site.js';

/** This service as a relying party of passkeys (WebAuthn level 3). */
@Injectable()
export class RelyingParty {
  /** The name of the service, which authenticators show. */
  readonly name: string;
  private readonly site: PasskeySite;
  private readonly log: Logger;

  constructor(
    private readonly passkeys: PasskeyProperties,
    { name }: BrandingProperties,
    private readonly address: BrowserAddress,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
    this.name = name;
    this.site = passkeySite(address.url);
  }

  /** False if passkeys are neither offered nor accepted. */
  get isAvailable(): boolean {
    return this.unavailability === undefined;
  }

  /** @throws ServiceError `MFA_STATE_CONFLICT` if passkeys cannot be used at all */
  requireAvailable(): void {
    const { unavailability } = this;
    if (unavailability === undefined) return;
    this.log.debug('Passkeys are not available', { why: unavailability });
    throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'passkeys are not available' });
  }

  /** Why passkeys are not available. */
  get unavailability(): string | undefined {
    if (!this.passkeys.enabled) return 'app.security.mfa.passkey.enabled is false';
    return this.site.kind === 'unusable' ? this.site.reason : undefined;
  }

  /** Whether authenticators verify their user; `required` rejects other responses. */
  get userVerification(): PasskeyProperties['userVerification'] {
    return this.passkeys.userVerification;
  }

  /** True if a passkey signs in without a password. */
  get signsIn(): boolean {
    return this.isAvailable && this.passkeys.signIn !== 'off';
  }

  /** Whether new passkeys must be discoverable: an authenticator without room for one would else create one that signs in nowhere. */
  get residentKey(): 'preferred' | 'required' {
    return this.passkeys.signIn === 'only' ? 'required' : 'preferred';
  }

  /** Whether authenticators prove their model at registration. */
  get attestation(): PasskeyProperties['attestation'] {
    return this.passkeys.attestation;
  }

  /** The RP ID: passkeys belong to this host name. */
  get id(): string {
    return this.usable.rpId;
  }

  /** All origins from which responses of passkeys are accepted. */
  get origins(): readonly string[] {
    const { origin } = this.usable;
    return [origin.replace(/:0$/, `:${this.address.openPort() ?? 0}`), ...this.passkeys.origins];
  }

  private get usable(): Extract<PasskeySite, { kind: 'usable' }> {
    if (this.site.kind === 'unusable') throw new Error(this.site.reason);
    return this.site;
  }
}
