import { Injectable } from '@nestjs/common';
import { BrandingProperties } from '../../../platform/branding/branding.properties.js';
import { MfaProperties } from '../mfa.properties.js';

/** The name of this service in authenticator apps (specification, "Authentication": `issuer`). */
@Injectable()
export class OtpauthIssuer {
  readonly name: string;

  /** The name of the pages, unless the key has another; a colon would end the issuer in an `otpauth` label. */
  constructor({ issuer }: MfaProperties, branding: BrandingProperties) {
    this.name = issuer ?? branding.name.replaceAll(':', ' ');
  }
}
