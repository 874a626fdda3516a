import { hash } from 'node:crypto';

/** Offsets in a record, in bytes: a digest of its key, and three links to other records; its numbers follow. */
const DIGEST = 0;
/** The next record of the same hash bucket, or the next free one. */
const NEXT = 8;
const OLDER = 12;
const NEWER = 16;
const NUMBERS = 20;
const NUMBER_BYTES = 8;
const LINK_BYTES = 4;

/** Record 0 has no key. It closes the list by age to a ring: its `NEWER` is the oldest record, its `OLDER` the newest. */
const NONE = 0;

/**
 * Maps texts to a fixed set of numbers. Beyond `capacity` keys, the one that was set least recently is dropped.
 *
 * An attack creates as many records as fit, and each of them stays for minutes. As objects of a map they would take
 * several times the memory, and the heap would grow by a multiple of that before their garbage is collected. Here, a record
 * of two numbers and its share of the hash buckets take 41 bytes, each further number takes 8, and the system provides a page of
 * them when it is first used.
 */
export class DigestMap<Field extends string> {
  private readonly recordBytes: number;
  private readonly records: DataView;
  /** First record of each hash bucket. */
  private readonly buckets: DataView;
  private readonly bucketMask: number;
  private used = 0;
  private free = NONE;

  /** @param salt a secret, so that no one can choose keys that share a bucket */
  constructor(
    private readonly fields: readonly Field[],
    private readonly capacity: number,
    private readonly salt: string,
  ) {
    const bucketCount = 2 ** Math.ceil(Math.log2(capacity));
    this.bucketMask = bucketCount - 1;
    this.recordBytes = NUMBERS + fields.length * NUMBER_BYTES;
    this.records = new DataView(new ArrayBuffer((1 + capacity) * this.recordBytes));
    this.buckets = new DataView(new ArrayBuffer(bucketCount * LINK_BYTES));
  }

  get(key: string): Readonly<Record<Field, number>> | undefined {
    const record = this.find(this.digestOf(key));
    if (record === NONE) return undefined;
    const values: Partial<Record<Field, number>> = {};
    let at = record * this.recordBytes + NUMBERS;
    for (const field of this.fields) {
      values[field] = this.records.getFloat64(at);
      at += NUMBER_BYTES;
    }
    return values as Record<Field, number>;
  }

  /** Makes the record the most recent one. */
  set(key: string, values: Readonly<Record<Field, number>>): void {
    const digest = this.digestOf(key);
    this.remove(this.find(digest));
    const record = this.vacant();
    const start = record * this.recordBytes;
    this.records.setBigUint64(start + DIGEST, digest);
    let at = start + NUMBERS;
    for (const field of this.fields) {
      this.records.setFloat64(at, values[field]);
      at += NUMBER_BYTES;
    }
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
    return this.records.getUint32(record * this.recordBytes + field);
  }

  private link(record: number, field: number, to: number): void {
    this.records.setUint32(record * this.recordBytes + field, to);
  }

  private digestAt(record: number): bigint {
    return this.records.getBigUint64(record * this.recordBytes + DIGEST);
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
