import { hashSync, verifySync } from '@node-rs/argon2';
import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { setPriority } from 'node:os';
import { platform } from 'node:process';
import { isMainThread } from 'node:worker_threads';
import type { HashCost, PasswordHash } from './password-hash.js';

/** What a worker thread is given: one password, and the hash to compare it with or the cost of a new one. */
export type PasswordTask =
  | { readonly kind: 'hash'; readonly password: string; readonly salt: Uint8Array; readonly cost: HashCost }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: PasswordHash };

const KEY_BYTES = 32;
const THIS_THREAD = 0;
const LOW_PRIORITY = 10;

// Hashes take what the event loop leaves of the cores: measured, this halves the wait of everybody else. Only Linux has
// priorities of threads; elsewhere it would be that of the process.
if (platform === 'linux' && !isMainThread) setPriority(THIS_THREAD, LOW_PRIORITY);

/** Runs in a worker thread. Imports no file of ours, so that it starts from the source as from what was built. */
export function work(task: PasswordTask): string | boolean | Promise<boolean> {
  return task.kind === 'hash' ? hashed(task.password, task.salt, task.cost) : verified(task.password, task.hash);
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
      // Seldom needed, and only until its owner has signed in once.
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
