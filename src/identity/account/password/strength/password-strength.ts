import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { ServiceError } from '../../../../kernel/errors/service-error.js';
import { koreanDictionary } from './korean-words.js';
import { type PasswordUser, personalWords } from './personal-words.js';
import type { Strength, StrengthTask } from './strength-worker.js';

/** Words that a password of this service must not be built of; a module of a higher rank provides them. */
export class ServiceWords {
  constructor(readonly words: readonly string[]) {}
}

const WORKER = fileURLToPath(new URL(`./strength-worker${extname(import.meta.url)}`, import.meta.url));
const IDLE_MILLIS = 60_000;
const MAX_WAITING = 64;
/** Hints that may wait: so many strangers who ask for them cannot hinder a password that is to be stored. */
const MAX_WAITING_HINTS = 8;

/**
 * Estimates passwords in a worker thread of its own, which starts for the first new password and ends a minute after the
 * last one: the word lists occupy about 60 MB, and one estimate can take 50 milliseconds (decision 0121).
 */
export class PasswordStrength {
  private pool: Promise<Piscina<StrengthTask, Strength>> | undefined;

  constructor(private readonly service: ServiceWords) {}

  /**
   * `isHint` is true for a password that is not to be stored yet.
   * @throws ServiceError `UNAVAILABLE` if too many passwords wait, or the worker cannot start
   */
  async of(password: string, user: PasswordUser, isHint = false): Promise<Strength> {
    const words = personalWords(user, this.service.words);
    const pool = await (this.pool ??= openPool());
    if (isHint && pool.queueSize >= MAX_WAITING_HINTS) throw unavailable();
    try {
      return await pool.run({ password: password.normalize('NFKC'), words });
    } catch (error) {
      // The cause never contains the password.
      throw unavailable(error);
    }
  }

  async close(): Promise<void> {
    await (await this.pool)?.destroy();
  }
}

function unavailable(cause?: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', { retryAfterSeconds: 1, reason: 'password estimate failed', cause });
}

async function openPool(): Promise<Piscina<StrengthTask, Strength>> {
  const { Piscina } = await import('piscina');
  return new Piscina<StrengthTask, Strength>({
    filename: WORKER,
    name: 'estimate',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MILLIS,
    maxQueue: MAX_WAITING,
    execArgv: [],
    workerData: { korean: koreanDictionary() },
  });
}
