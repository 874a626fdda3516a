import { hash } from 'node:crypto';
import { type Random, SystemRandom } from '../../random/random.js';

/** Failures of one login id, device or address. */
export interface Failures {
  /** At `lastAt`. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
}

/** Offsets of the fields of a record, in bytes: a digest of its key, two numbers, and three links to other records. */
const DIGEST = 0;
const COUNT = 8;
const LAST_AT = 16;
/** The next record of the same hash bucket, or the next free one. */
const NEXT = 24;
const OLDER = 28;
const NEWER = 32;
const RECORD_BYTES = 36;
const LINK_BYTES = 4;

/** Record 0 has no key. It closes the list by age to a ring: its `NEWER` is the oldest record, its `OLDER` the newest. */
const NONE = 0;

/**
 * Failures by key. Beyond `capacity` keys, the one that was set least recently is forgotten.
 *
 * An attack creates as many records as fit, and each of them stays for minutes. As objects of a map they would take
 * several times the memory, and the heap would grow by a multiple of that before their garbage is collected. Here, a record and
 * its share of the hash buckets take 41 bytes, and the system provides a page of them when it is first used.
 */
export class FailureRecords {
  private readonly records: DataView;
  /** First record of each hash bucket. */
  private readonly buckets: DataView;
  private readonly bucketMask: number;
  /** A secret, so that no one can choose keys that share a bucket. */
  private readonly salt: string;
  private used = 0;
  private free = NONE;

  constructor(
    private readonly capacity: number,
    random: Random = new SystemRandom(),
  ) {
    const bucketCount = 2 ** Math.ceil(Math.log2(capacity));
    this.bucketMask = bucketCount - 1;
    this.records = new DataView(new ArrayBuffer((1 + capacity) * RECORD_BYTES));
    this.buckets = new DataView(new ArrayBuffer(bucketCount * LINK_BYTES));
    this.salt = random.text(16);
  }

  get(key: string): Failures | undefined {
    const record = this.find(this.digestOf(key));
    if (record === NONE) return undefined;
    const start = record * RECORD_BYTES;
    return { count: this.records.getFloat64(start + COUNT), lastAt: this.records.getFloat64(start + LAST_AT) };
  }

  /** Makes the record the most recent one. */
  set(key: string, { count, lastAt }: Failures): void {
    const digest = this.digestOf(key);
    this.remove(this.find(digest));
    const record = this.vacant();
    const start = record * RECORD_BYTES;
    this.records.setBigUint64(start + DIGEST, digest);
    this.records.setFloat64(start + COUNT, count);
    this.records.setFloat64(start + LAST_AT, lastAt);
    this.link(record, NEXT, this.firstOf(digest));
    this.setFirst(digest, record);
    this.neighbours(this.linked(NONE, OLDER), record);
    this.neighbours(record, NONE);
  }

  delete(key: string): void {
    this.remove(this.find(this.digestOf(key)));
  }

  private find(digest: bigint): number {
    let record = this.firstOf(digest);
    while (record !== NONE && this.digestAt(record) !== digest) record = this.linked(record, NEXT);
    return record;
  }

  /** Takes a record that is not in use, the oldest one if all are. */
  private vacant(): number {
    if (this.free === NONE && this.used < this.capacity) return (this.used += 1);
    if (this.free === NONE) this.remove(this.linked(NONE, NEWER));
    const record = this.free;
    this.free = this.linked(record, NEXT);
    return record;
  }

  private remove(record: number): void {
    if (record === NONE) return;
    const digest = this.digestAt(record);
    const next = this.linked(record, NEXT);
    let before = this.firstOf(digest);
    if (before === record) this.setFirst(digest, next);
    else {
      while (this.linked(before, NEXT) !== record) before = this.linked(before, NEXT);
      this.link(before, NEXT, next);
    }
    this.neighbours(this.linked(record, OLDER), this.linked(record, NEWER));
    this.link(record, NEXT, this.free);
    this.free = record;
  }

  private neighbours(older: number, newer: number): void {
    this.link(older, NEWER, newer);
    this.link(newer, OLDER, older);
  }

  private linked(record: number, field: number): number {
    return this.records.getUint32(record * RECORD_BYTES + field);
  }

  private link(record: number, field: number, to: number): void {
    this.records.setUint32(record * RECORD_BYTES + field, to);
  }

  private digestAt(record: number): bigint {
    return this.records.getBigUint64(record * RECORD_BYTES + DIGEST);
  }

  private firstOf(digest: bigint): number {
    return this.buckets.getUint32(this.bucketOf(digest));
  }

  private setFirst(digest: bigint, record: number): void {
    this.buckets.setUint32(this.bucketOf(digest), record);
  }

  private bucketOf(digest: bigint): number {
    return (Number(BigInt.asUintN(32, digest)) & this.bucketMask) * LINK_BYTES;
  }

  /** 64 bits: among millions of keys, two with the same digest are unlikely. */
  private digestOf(key: string): bigint {
    return BigInt(`0x${hash('sha256', this.salt + key, 'hex').slice(0, 16)}`);
  }
}
