import { createHmac, type KeyObject } from 'node:crypto';
import type { Random } from '../../../kernel/random/random.js';
import { parsePasswordHash, type PasswordHash } from './password-hash.js';

/**
 * The work of a comparison: algorithm and cost parameters, as the text of a hash without its salt and key. Empty for a
 * hash that cannot be verified.
 */
export type HashKind = string;

export interface Decoy {
  readonly kind: HashKind;
  readonly hash: PasswordHash;
}

/** Counts the accounts of each kind; undefined if `stop` was aborted before the end. */
export interface HashKindCounter {
  count(stop?: AbortSignal): Promise<ReadonlyMap<HashKind, number> | undefined>;
}

const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Salt and key together; the alphabet of bcrypt is base64 except for one character. */
const BCRYPT_CHARACTERS = 53;
/** Random bytes of a decoy: salt, and the longest key that can be verified. */
const DECOY_BYTES = SALT_BYTES + 96;
/** Maximum time that logins wait for the first count: after an upgrade all hashes are unclassified. */
const MAX_WAIT_MILLIS = 2000;

/**
 * Hashes that passwords are compared with if there is no stored hash. A comparison takes as long as for an account: decoys
 * are drawn from the kinds that accounts have, so that the time of a response does not disclose imported accounts
 * (docs/decisions/0038).
 */
export class Decoys {
  private counts: ReadonlyMap<HashKind, number> = new Map();
  private hashes: ReadonlyMap<HashKind, PasswordHash> = new Map();
  private first: Promise<void> | undefined;

  /** `key` is secret, the same on all replicas and after a restart. */
  constructor(
    private readonly key: KeyObject,
    private readonly random: Random,
    private readonly counter: HashKindCounter,
  ) {}

  /** Counts the accounts of each kind; changes nothing once `stop` is aborted. */
  async refresh(stop?: AbortSignal): Promise<void> {
    const counts = await this.counter.count(stop);
    if (!counts) return;
    const hashes = new Map<HashKind, PasswordHash>();
    for (const kind of counts.keys()) {
      const hash = this.hashes.get(kind) ?? decoyOfKind(kind, this.random.bytes(DECOY_BYTES));
      if (hash) hashes.set(kind, hash);
    }
    this.counts = new Map(Array.from(counts).filter(([kind]) => hashes.has(kind)));
    this.hashes = hashes;
  }

  /** The decoy of a login id in its normalised form; undefined while no account has a password. */
  async decoyOf(loginId: string): Promise<Decoy | undefined> {
    await (this.first ??= this.firstCount());
    const kind = drawnKind(this.key, loginId, this.counts);
    const hash = kind === undefined ? undefined : this.hashes.get(kind);
    return kind !== undefined && hash ? { kind, hash } : undefined;
  }

  /** Resolves after the count or the maximum wait; the count continues in the background. */
  private firstCount(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_WAIT_MILLIS);
      this.refresh()
        // The look-up that follows reports an unreachable database.
        .catch(() => undefined)
        .finally(() => {
          clearTimeout(timer);
          resolve();
        });
    });
  }
}

export function kindOf(stored: string): HashKind {
  const hash = parsePasswordHash(stored);
  switch (hash?.scheme) {
    case undefined:
      return '';
    case 'argon2':
      return hash.text.slice(0, hash.text.lastIndexOf('$', hash.text.lastIndexOf('$') - 1));
    case 'bcrypt':
      return `$2b$${hash.cost.toString().padStart(2, '0')}`;
    case 'scrypt':
      return `$scrypt$ln=${Math.log2(hash.cost)},r=${hash.blockSize},p=${hash.parallelism}`;
    case 'pbkdf2':
      return `$pbkdf2-${hash.digest}$i=${hash.iterations},l=${hash.key.length}`;
  }
}

/** The text of a kind for the log, which masks text that contains the `$` of a hash. */
export function kindText(kind: HashKind): string {
  return kind.slice(1).replaceAll('$', ' ');
}

/** A hash of this kind that no password matches; undefined for a text that is not a kind. */
function decoyOfKind(kind: HashKind, random: Uint8Array): PasswordHash | undefined {
  const keyBytes = Number(/,l=(\d+)$/.exec(kind)?.[1] ?? KEY_BYTES);
  const salt = base64(random.subarray(0, SALT_BYTES));
  const key = base64(random.subarray(SALT_BYTES, SALT_BYTES + keyBytes));
  const isBcrypt = kind.startsWith('$2b$');
  const end = isBcrypt ? `${salt}${key}`.replaceAll('+', '.').slice(0, BCRYPT_CHARACTERS) : `${salt}$${key}`;
  return parsePasswordHash(`${kind}$${end}`);
}

/**
 * Draws the kind of a login id without an account: each kind is drawn as often as accounts have it, and one id always
 * draws the same. When accounts move from one kind to another, ids move in the same direction only (weighted rendezvous
 * hashing), so that a change of kind does not distinguish accounts from unknown ids either.
 */
function drawnKind(key: KeyObject, loginId: string, counts: ReadonlyMap<HashKind, number>): HashKind | undefined {
  let drawn: HashKind | undefined;
  let least = Infinity;
  for (const [kind, count] of counts) {
    const score = -Math.log(fraction(key, `${kind} ${loginId}`)) / count;
    if (score >= least) continue;
    drawn = kind;
    least = score;
  }
  return drawn;
}

/** A number between 0 and 1, both excluded. */
function fraction(key: KeyObject, text: string): number {
  return (createHmac('sha256', key).update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
