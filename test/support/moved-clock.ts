import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/** Seconds of one TOTP step. */
const PERIOD = 30;

/**
 * The clock that services started with its `nodeArguments` look at. It stands still until it is moved, so that no test
 * depends on how long it takes; `run` lets it go on at the pace of the machine.
 */
export class MovedClock {
  /** For `startService` and `runCli`. */
  readonly nodeArguments: readonly string[];
  private readonly descriptor: number;
  private standsAt: number | undefined;
  private distance = 0;

  constructor() {
    const file = join(temporaryFolder('clock'), 'clock');
    this.descriptor = openSync(file, 'w', 0o600);
    const preload = new URL('moved-clock-preload.mjs', import.meta.url);
    preload.searchParams.set('file', file);
    this.nodeArguments = ['--import', preload.href];
    // The start of a second, in the middle of a step.
    this.standAt((Math.floor(Date.now() / 1000 / PERIOD) * PERIOD + PERIOD / 2) * 1000);
  }

  /** Milliseconds since 1970. */
  get millis(): number {
    return this.standsAt ?? Date.now() + this.distance;
  }

  /** Whole seconds since 1970. */
  get seconds(): number {
    return Math.floor(this.millis / 1000);
  }

  /** The TOTP step (RFC 6238 section 4.2). */
  get step(): number {
    return Math.floor(this.seconds / PERIOD);
  }

  advance(seconds: number): void {
    if (this.standsAt === undefined) this.runAt(this.distance + seconds * 1000);
    else this.standAt(this.standsAt + seconds * 1000);
  }

  back(seconds: number): void {
    this.advance(-seconds);
  }

  /** On by the length of a step: no code of the present step, nor of one before, was used yet. */
  nextStep(): void {
    this.advance(PERIOD);
  }

  /** Goes on at the pace of the machine. */
  run(): void {
    if (this.standsAt !== undefined) this.runAt(this.standsAt - Date.now());
  }

  stand(): void {
    this.standAt(this.millis);
  }

  private standAt(millis: number): void {
    this.standsAt = millis;
    this.write((BigInt(millis) << 1n) | 1n);
  }

  private runAt(distance: number): void {
    this.standsAt = undefined;
    this.distance = distance;
    this.write(BigInt(distance) << 1n);
  }

  /** Eight bytes at once: no reader sees half of them. */
  private write(value: bigint): void {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    writeSync(this.descriptor, buffer, 0, 8, 0);
  }
}
