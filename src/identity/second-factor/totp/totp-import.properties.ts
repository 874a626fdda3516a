import { full } from '../../../config/bind/effect.js';
import { integer } from '../../../config/bind/key-type.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';

@Properties('app.security.mfa.import')
export class TotpImportProperties {
  @Key(integer({ min: 80, max: 512 }), {
    does:
      'Shortest TOTP secret in bits that an import accepts. RFC 4226 (section 4, R6) requires 128; 80 takes over the ' +
      'authenticator apps of systems that had 16 characters of Base32.',
    effect: full,
  })
  readonly minSecretBits: number = 128;
}
