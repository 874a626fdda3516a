import { verifySync } from '@node-rs/argon2';

/** Runs in a worker thread. */
export function verify({ hash, password }) {
  return verifySync(hash, password);
}
