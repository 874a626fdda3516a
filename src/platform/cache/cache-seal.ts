import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../kernel/clock/clock.js';
import { LruMap } from '../../kernel/collections/lru-map.js';
import type { Random } from '../../kernel/random/random.js';
import { decrypt, encrypt, NONCE_BYTES } from '../sealing/aes-gcm.js';
import type { DerivedKeys, Sealer } from '../sealing/sealer.js';

const HOUR_MILLIS = 3_600_000;
/** Number of accepted hours: the current one and its neighbors. */
const HOURS = 3;

/**
 * Seals values for a store that others can read and write. The keys are derived for one hour from the seal keys, so that a
 * busy cache stays far below the 2^32 values of one key, and so that no value opens hours later.
 */
export class CacheSeal {
  private readonly keys = new LruMap<number, DerivedKeys>(HOURS);

  constructor(
    private readonly sealer: Sealer,
    private readonly random: Random,
    private readonly clock: Clock,
  ) {}

  /** Seals a text as `<hour>.<base64url>`, which opens for the same context only. */
  seal(plain: string, context: string): string {
    const { hour } = this;
    const [key] = this.keysOf(hour);
    return `${hour}.${encrypt(key, this.random.bytes(NONCE_BYTES), Buffer.from(plain), context)}`;
  }

  /** Opens a sealed text; undefined for another context or installation, and for a text older than one or two hours. */
  open(sealed: string, context: string): string | undefined {
    const [, digits, text] = /^(\d{1,9})\.([\w-]+)$/.exec(sealed) ?? [];
    if (digits === undefined || text === undefined) return undefined;
    const hour = Number(digits);
    if (Math.abs(hour - this.hour) > 1) return undefined;
    return this.keysOf(hour)
      .map((key: KeyObject) => decrypt(key, text, context))
      .find((plain) => plain !== undefined)
      ?.toString();
  }

  private get hour(): number {
    return Math.floor(this.clock.millis() / HOUR_MILLIS);
  }

  private keysOf(hour: number): DerivedKeys {
    const known = this.keys.get(hour);
    if (known) return known;
    const keys = this.sealer.derivedKeys(`cache ${hour}`);
    this.keys.set(hour, keys);
    return keys;
  }
}
