import { full } from '../../config/bind/effect.js';
import { text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.security.mfa.backup-code')
export class BackupCodeProperties {
  @Key(text({ form: /^.{32,}$/s, called: 'a text of at least 32 characters' }), {
    does:
      'Secret that keys the hashes of backup codes (HMAC-SHA-256), so that a copy of the database cannot be searched ' +
      'for them; codes issued before it was set stay valid until they are reissued, codes issued with it die with it.',
    effect: full,
    defaultText: 'none: SHA-256',
    secret: true,
  })
  readonly pepper?: string;
}
