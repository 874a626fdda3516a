import { DataSize } from '../../config/bind/data-size.js';
import { full } from '../../config/bind/effect.js';
import { dataSize, integer } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

const MEBIBYTE = 1024 * 1024;

/** The defaults are the OWASP minimum for Argon2id. */
@Properties('app.security.password.hash')
export class PasswordHashProperties {
  @Key(dataSize({ min: 128 * 1024, max: 256 * MEBIBYTE }), {
    does: 'Memory of one password hash (Argon2id); times the number of workers, it must fit into the machine.',
    effect: full,
  })
  readonly memory: DataSize = DataSize.ofBytes(19 * MEBIBYTE);

  @Key(integer({ min: 1, max: 8 }), { does: 'Passes of one password hash over its memory.', effect: full })
  readonly iterations: number = 2;

  @Key(integer({ min: 1, max: 16 }), {
    does: 'Lanes of one password hash; its work is the same, and it still runs in one thread.',
    effect: full,
  })
  readonly parallelism: number = 1;

  @Key(integer({ min: 1 }), {
    does: 'Password hashes at once; unset: one per core of the machine, which is also the most that is used.',
    effect: full,
  })
  readonly concurrency?: number;

  @Key(integer({ min: 0 }), {
    does: 'Passwords that may wait for a hash; the next login is answered 503 UNAVAILABLE.',
    effect: full,
  })
  readonly queueCapacity: number = 256;
}
