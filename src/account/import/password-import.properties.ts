import { full } from '../../config/bind/effect.js';
import { oneOf } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { HASH_FLOORS, type HashFloor } from '../password/hash-strength.js';

@Properties('app.security.password.import')
export class PasswordImportProperties {
  @Key(oneOf(...HASH_FLOORS), {
    does:
      'Weakest password hash that an import accepts: owasp (the OWASP minimum), common (bcrypt 10, PBKDF2 10,000, ' +
      'scrypt 16384/8/1, Argon2 with 12 MiB in all passes, or more), any.',
    effect: full,
  })
  readonly minHash: HashFloor = 'common';
}
