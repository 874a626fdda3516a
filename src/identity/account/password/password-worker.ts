import { hashSync, verifySync } from '@node-rs/argon2';
import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { setPriority } from 'node:os';
import { platform, threadCpuUsage } from 'node:process';
import { isMainThread } from 'node:worker_threads';
import type { HashCost, PasswordHash } from './password-hash.js';

/** Input of a worker thread: a password, and the hash to compare it with or the cost of a new one. */
export type PasswordTask =
  | { readonly kind: 'hash'; readonly password: string; readonly salt: Uint8Array; readonly cost: HashCost }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: PasswordHash };

const KEY_BYTES = 32;
const THIS_THREAD = 0;
const LOW_PRIORITY = 10;
/** A task that takes more than this times its processor time was paused with the machine, which later ones will not be. */
const MAX_SLOWDOWN = 8;

// Hashing has a lower priority than the event loop: measured, this halves the latency of other requests. Only Linux has
// thread priorities; elsewhere this would change the priority of the process.
if (platform === 'linux' && !isMainThread) setPriority(THIS_THREAD, LOW_PRIORITY);

export interface PasswordResult {
  /** The new hash, or whether the password is right. */
  readonly value: string | boolean;
  /** How long the task occupied the worker: without its wait, the start of the worker and pauses of the machine. */
  readonly millis: number;
}

let latest: Promise<unknown> = Promise.resolve();

/**
 * Runs in a worker thread, one task after the other: if two arrive at once, the result of the first one is sent before
 * the second one begins. It imports no file of this project, so that it starts from the source and from the build.
 * @public the pool of workers calls it by its name
 */
export function work(task: PasswordTask): Promise<PasswordResult> {
  const result = latest.then(() => perform(task));
  const ignore = (): void => undefined;
  latest = result.then(ignore, ignore);
  return result;
}

async function perform(task: PasswordTask): Promise<PasswordResult> {
  const since = { clock: performance.now(), cpu: threadCpuUsage() };
  const value =
    task.kind === 'hash' ? hashed(task.password, task.salt, task.cost) : await verified(task.password, task.hash);
  const { user, system } = threadCpuUsage(since.cpu);
  const cpuMillis = (user + system) / 1000;
  return { value, millis: Math.min(performance.now() - since.clock, MAX_SLOWDOWN * cpuMillis) };
}

function hashed(password: string, salt: Uint8Array, { memoryKib, iterations, parallelism }: HashCost): string {
  // Its default variant is Argon2id.
  return hashSync(password, {
    memoryCost: memoryKib,
    timeCost: iterations,
    parallelism,
    outputLen: KEY_BYTES,
    salt,
  });
}

function verified(password: string, hash: PasswordHash): boolean | Promise<boolean> {
  switch (hash.scheme) {
    case 'argon2':
      return verifySync(hash.text, password);
    case 'bcrypt':
      // Rarely needed: a login replaces the hash.
      return import('bcryptjs').then(({ compareSync }) => compareSync(password, hash.text));
    case 'scrypt': {
      const { cost, blockSize, parallelism, salt, key } = hash;
      const maxmem = 256 * cost * blockSize + 1024 * blockSize * parallelism;
      return timingSafeEqual(
        scryptSync(password, salt, key.length, { cost, blockSize, parallelization: parallelism, maxmem }),
        key,
      );
    }
    case 'pbkdf2':
      return timingSafeEqual(pbkdf2Sync(password, hash.salt, hash.iterations, hash.key.length, hash.digest), hash.key);
  }
}
