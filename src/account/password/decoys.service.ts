import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import { Sealer } from '../../sealing/sealer.js';
import type { PasswordHash } from './password-hash.js';
import { DECOY_BYTES, decoyOfKind, drawnKind, type PasswordKind } from './password-kind.js';
import { PasswordKindStore } from './password-kind.store.js';

/** Batches of new hashes in one turn; the next turn goes on. */
const MOST_BATCHES = 500;
/** The longest time that logins wait for the first count: after an upgrade all hashes are new. */
const MOST_WAIT_MILLIS = 2000;

export interface Decoy {
  readonly kind: PasswordKind;
  readonly hash: PasswordHash;
}

/**
 * What passwords are compared with where there is no hash: as much work as at an account, drawn from the kinds that
 * accounts have, so that an imported account does not answer in a time of its own (docs/decisions/0038).
 */
@Injectable()
export class Decoys {
  /** Secret, and the same on all replicas and after a restart. */
  private readonly key: Buffer;
  private counts: ReadonlyMap<PasswordKind, number> = new Map();
  private hashes: ReadonlyMap<PasswordKind, PasswordHash> = new Map();
  private first: Promise<void> | undefined;

  constructor(
    private readonly store: PasswordKindStore,
    private readonly work: UnitOfWork,
    private readonly random: Random,
    sealer: Sealer,
  ) {
    [this.key = Buffer.alloc(0)] = sealer.derivedKeys('password-decoy');
  }

  /** The decoy of a login id in its normalised form; undefined where no account has a password. */
  async decoyOf(loginId: string): Promise<Decoy | undefined> {
    await (this.first ??= this.firstCount());
    const kind = drawnKind(this.key, loginId, this.counts);
    const hash = kind === undefined ? undefined : this.hashes.get(kind);
    return kind !== undefined && hash ? { kind, hash } : undefined;
  }

  /** Reads anew which kinds there are, and how many accounts have each; changes nothing once `stop` is aborted. */
  async refresh(stop?: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !stop?.aborted; batch += 1) {
      if (!(await this.work.run((tx) => this.store.classify(tx)))) break;
    }
    if (stop?.aborted) return;
    const counts = new Map<PasswordKind, number>();
    const hashes = new Map<PasswordKind, PasswordHash>();
    for (const kind of await this.work.single((tx) => this.store.kinds(tx))) {
      const decoy = this.hashes.get(kind) ?? decoyOfKind(kind, this.random.bytes(DECOY_BYTES));
      const count = decoy && (await this.count(kind));
      if (!count) continue;
      counts.set(kind, count);
      hashes.set(kind, decoy);
    }
    this.counts = counts;
    this.hashes = hashes;
  }

  /** Ends with the count, or without it where that takes long; the count goes on. */
  private firstCount(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MOST_WAIT_MILLIS);
      this.refresh()
        // A database that is away is the business of the look-up that follows.
        .catch(() => undefined)
        .finally(() => {
          clearTimeout(timer);
          resolve();
        });
    });
  }

  private async count(kind: PasswordKind): Promise<number> {
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after;
      const { number, next } = await this.work.single((tx) => this.store.countSlice(tx, kind, from));
      count += number;
      after = next;
    }
    return count;
  }
}
