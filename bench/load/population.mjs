import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { codeOf, SECRET, STEP_SECONDS } from './totp.mjs';

export const PASSWORD = 'correct horse battery staple';
/** A chosen code is still valid if its request arrives this much later. */
const TRAVEL_SECONDS = 2;
/** A prime number, so that consecutive logins do not use neighbouring rows. */
const STRIDE = 617_413;

/** The users of one database, each with its last used step: a code works once, so no user logs in too often. */
export class Population {
  #lastSteps;
  #turn = 0;

  constructor(size) {
    this.size = size;
    this.#lastSteps = new Int32Array(size).fill(-1);
  }

  /** Returns the user with the oldest last login. */
  next() {
    const index = (this.#turn * STRIDE) % this.size;
    if (this.#lastSteps[index] > currentStep()) {
      throw new Error(`each of ${this.size} users has used every available code: the bench needs more users`);
    }
    this.#turn += 1;
    return { index, id: loginIdOf(index), address: addressOf(index) };
  }

  /** Returns an unused code of the user, of the previous, the current or the next step: the whole window. */
  takeCode({ index }) {
    const oldest = currentStep(TRAVEL_SECONDS) - 1;
    const step = Math.max(oldest, this.#lastSteps[index] + 1);
    this.#lastSteps[index] = step;
    return codeOf(step);
  }
}

/** Writes the file for `users import`; the users share a few hashes of one password. */
export async function writeImportFile(path, { size, hashes, secondFactor = true, from = 0 }) {
  const file = createWriteStream(path, { mode: 0o600 });
  file.write('login_id,password_hash,email,roles,otpauth_uri\n');
  for (let index = from; index < from + size; index++) {
    const id = loginIdOf(index);
    const uri = secondFactor ? `otpauth://totp/bench:${id}?secret=${SECRET}&issuer=bench` : '';
    // Argon2 hashes contain commas.
    const line = `${id},"${hashes[index % hashes.length]}",,ROLE_USER,${uri}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

export function loginIdOf(index) {
  return `user${String(index).padStart(7, '0')}`;
}

/** Each user has an address of the benchmark network (RFC 2544), which no proxy has. */
function addressOf(index) {
  return `198.${18 + ((index >> 16) & 1)}.${(index >> 8) & 255}.${index & 255}`;
}

function currentStep(laterSeconds = 0) {
  return Math.floor((Date.now() / 1000 + laterSeconds) / STEP_SECONDS);
}
