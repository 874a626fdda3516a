import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/** Seconds of one TOTP step. */
const PERIOD = 30;
const PRELOAD = new URL('moved-clock-preload.mjs', import.meta.url).href;

/**
 * The clock of services started with its `nodeArguments`. It stands still until a test moves it, so that no test
 * depends on its duration; `run` lets it advance with the machine.
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
    const preload = new URL(PRELOAD);
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

  /** Advances by one step, so that the code of the current step is unused. */
  nextStep(): void {
    this.advance(PERIOD);
  }

  /** Lets the clock advance with the machine. */
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

  /** Writes eight bytes at once, so that no reader sees a partial value. */
  private write(value: bigint): void {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    writeSync(this.descriptor, buffer, 0, 8, 0);
  }
}

/** The preloaded module where the arguments of Node are those of one clock and nothing else. */
export function clockOf(nodeArguments: readonly string[]): string | undefined {
  const [option, url, ...others] = nodeArguments;
  return option === '--import' && url?.startsWith(PRELOAD) && others.length === 0 ? url : undefined;
}
