import { hashSync } from '@node-rs/argon2';
import bcrypt from 'bcryptjs';
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { reading, readings } from '../../support/management/meter-readings.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { parsePasswordHash, type PasswordHash } from '../../../src/identity/account/password/password-hash.js';
import { type HasherOptions, PasswordHasher } from '../../../src/identity/account/password/password-hasher.js';

const COST = { memoryKib: 1024, iterations: 1, parallelism: 1 };
const PASSWORD = 'grün-kettle orbit';
const SALT = Buffer.from('salt of the test');
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** A hash in progress lasts long enough to be interrupted. */
const SLOW = { memoryKib: 65_536, iterations: 4, parallelism: 1 };

function workersOf(hasher: PasswordHasher): readonly Worker[] {
  return (hasher as unknown as { readonly workers: { readonly threads: readonly Worker[] } }).workers.threads;
}

describe('the password hasher', () => {
  const open: PasswordHasher[] = [];
  const hasher = (options: Partial<HasherOptions> = {}, meters = new Meters()): PasswordHasher => {
    const made = new PasswordHasher(
      { cost: COST, concurrency: 2, spare: 1, queueCapacity: 10, ...options },
      new SystemRandom(),
      meters,
    );
    open.push(made);
    return made;
  };

  afterEach(async () => {
    await Promise.all(open.splice(0).map((made) => made.close()));
  });

  it('creates Argon2id hashes of its cost, each with its own salt', async () => {
    const made = hasher();

    const [one, two] = await Promise.all([made.hash(PASSWORD), made.hash(PASSWORD)]);

    expect(one).toMatch(/^\$argon2id\$v=19\$m=1024,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(two.split('$')[4]).not.toBe(one.split('$')[4]);
    expect(await made.verify(PASSWORD, parsed(one))).toBe(true);
    expect(await made.verify(`${PASSWORD} `, parsed(one))).toBe(false);
  });

  const scrypt = base64(scryptSync(PASSWORD, SALT, 32, { cost: 1024, blockSize: 8, parallelization: 1 }));
  const sha512 = base64(pbkdf2Sync(PASSWORD, SALT, 1000, 64, 'sha512'));
  const sha1 = pbkdf2Sync(PASSWORD, SALT.subarray(0, 8), 185_000, 32, 'sha1').toString('hex');
  it.each([
    ['argon2i', '$argon2i$v=19$m=256,t=1,p=1$c2FsdCBvZiB0aGUgdGVzdA$8x/vLGeHWK/aqL6pvxMRWSy29QQugKug5GEqo/aVc24'],
    ['argon2d', '$argon2d$v=19$m=256,t=1,p=1$c2FsdCBvZiB0aGUgdGVzdA$r+KMVQkcKGlKNtJuUkaD8nHYTUyj0KW5jD9RDd3xCGY'],
    ['argon2id with four lanes', hashSync(PASSWORD, { memoryCost: 256, timeCost: 1, parallelism: 4 })],
    ['bcrypt', bcrypt.hashSync(PASSWORD, 4)],
    ['bcrypt of PHP', bcrypt.hashSync(PASSWORD, 4).replace('$2b$', '$2y$')],
    ['scrypt', `$scrypt$ln=10,r=8,p=1$${base64(SALT)}$${scrypt}`],
    ['scrypt with a name', `{scrypt}$a0801$${base64(SALT)}$${scrypt}`],
    ['PBKDF2', `$pbkdf2-sha512$1000$${base64(SALT)}$${sha512}`],
    ['PBKDF2 as passlib writes it', `$pbkdf2-sha512$1000$${base64(SALT)}$${sha512.replaceAll('+', '.')}`],
    ['PBKDF2 with a name', `{pbkdf2}${SALT.subarray(0, 8).toString('hex')}${sha1}`],
  ])('verifies %s', async (_name, text) => {
    const made = hasher();

    expect(await made.verify(PASSWORD, parsed(text))).toBe(true);
    expect(await made.verify('grün-kettle orbiT', parsed(text))).toBe(false);
  });

  it('P4: rejects a password of which bcrypt would read only a part, even if that part is correct', async () => {
    const made = hasher();
    const long = 'x'.repeat(72);
    const hash = parsed(bcrypt.hashSync(long, 4));

    expect(await made.verify(long, hash)).toBe(true);
    expect(await made.verify(`${long}y`, hash)).toBe(false);
    expect(await made.verify('half\0other', parsed(bcrypt.hashSync('half', 4)))).toBe(false);
  });

  it('returns false without a hash, for an empty password and for ill-formed text', async () => {
    const made = hasher();
    const ofEmpty = parsed(await made.hash(''));
    const ofReplacement = parsed(await made.hash('\ufffd'));

    expect(await made.verify(PASSWORD, undefined)).toBe(false);
    expect(await made.verify('', ofEmpty)).toBe(false);
    expect(await made.verify('\ud800', ofReplacement)).toBe(false);
  });

  it('rejects requests beyond its workers and its queue, and continues', async () => {
    const made = hasher({ concurrency: 1, queueCapacity: 2 });

    const results = await Promise.allSettled(Array.from({ length: 5 }, () => made.hash(PASSWORD)));

    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    const unavailable: unknown = expect.objectContaining({
      code: 'UNAVAILABLE',
      facts: expect.objectContaining({ retryAfterSeconds: 1 }) as unknown,
    });
    expect(refusals).toEqual([unavailable, unavailable]);
    expect(made.load).toBe(0);
    expect(await made.hash(PASSWORD)).toMatch(/^\$argon2id/);
  });

  it('serves waiting requests in the order of their arrival', async () => {
    const made = hasher({ concurrency: 1 });
    const finished: number[] = [];

    await Promise.all(
      Array.from({ length: 10 }, async (_, place) => {
        await made.hash(PASSWORD);
        finished.push(place);
      }),
    );

    expect(finished).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('begins the next password while the event loop is busy', async () => {
    const made = hasher({ concurrency: 1 });
    await made.hash(PASSWORD);
    let finished = 0;
    const results = Promise.all([1, 2].map(() => made.hash(PASSWORD).then(() => (finished += 1))));
    await nextTurn();

    blockEventLoop(1000);
    await nextTurn();

    expect(finished).toBe(2);
    await results;
  });

  it('sends the result of a password before it begins the next one', async () => {
    const made = hasher({ concurrency: 1, cost: { memoryKib: 65_536, iterations: 8, parallelism: 1 } });
    let turns = 0;
    const count = setInterval(() => (turns += 1), 1);

    const [one = 0, two = 0] = await Promise.all([1, 2].map(() => made.hash(PASSWORD).then(() => turns)));

    clearInterval(count);
    expect(two - one).toBeGreaterThan(5);
  });

  it.skipIf(availableParallelism() < 2)(
    'starts a second worker for a second password, although one worker is kept',
    async () => {
      const meters = new Meters();
      const made = hasher({ concurrency: 2, spare: 1 }, meters);
      await made.hash(PASSWORD);

      await Promise.all([made.hash(PASSWORD), made.hash(PASSWORD)]);

      expect(readings(meters, 'executor.pool.size.threads', 'VALUE')).toEqual({ 'password-hash': 2 });
    },
  );

  it.skipIf(availableParallelism() < 2)(
    'lets a few passwords wait for the first idle worker, not for one that is busy for long',
    async () => {
      const made = hasher({ concurrency: 2, spare: 2 });
      const slow = parsed(hashSync(PASSWORD, { memoryCost: 65_536, timeCost: 20 }));
      await Promise.all([made.hash(PASSWORD), made.hash(PASSWORD)]);
      const finished: string[] = [];
      const verify = async (name: string, stored?: PasswordHash): Promise<void> => {
        await made.verify(PASSWORD, stored);
        finished.push(name);
      };

      await Promise.all([verify('slow', slow), verify('first'), verify('second'), verify('third')]);

      expect(finished).toEqual(['first', 'second', 'third', 'slow']);
    },
  );

  it('measures active and waiting requests, workers and durations', async () => {
    const meters = new Meters();
    const made = hasher({ concurrency: 1, queueCapacity: 2 }, meters);
    const running = Promise.allSettled(Array.from({ length: 5 }, () => made.hash(PASSWORD)));

    expect(reading(meters, 'login.hash.active')).toBe(1);
    expect(reading(meters, 'login.hash.queue')).toBe(2);
    expect(readings(meters, 'executor.active.threads', 'VALUE')).toEqual({ 'password-hash': 1 });
    expect(readings(meters, 'executor.queued.tasks', 'VALUE')).toEqual({ 'password-hash': 2 });
    await running;

    expect(reading(meters, 'login.hash.active')).toBe(0);
    expect(reading(meters, 'login.hash.queue')).toBe(0);
    expect(readings(meters, 'executor.pool.size.threads', 'VALUE')).toEqual({ 'password-hash': 1 });
    expect(readings(meters, 'executor.completed.tasks')).toEqual({ 'password-hash': 3 });
    expect(reading(meters, 'login.hash.time', 'COUNT')).toBe(3);
    expect(reading(meters, 'login.hash.time', 'TOTAL_TIME')).toBeGreaterThan(0);
  });

  it('knows its pace from the time of the hashes, without their wait for a worker', async () => {
    const made = hasher({ concurrency: 1, queueCapacity: 20 });
    expect(made.pace).toEqual({ workers: 1, millis: undefined });
    const since = performance.now();

    await Promise.all(Array.from({ length: 20 }, () => made.hash(PASSWORD)));

    // The slower half of the latest 16 took less than this.
    expect(made.pace.millis).toBeLessThanOrEqual((performance.now() - since) / 8);
  });

  it.skipIf(availableParallelism() < 2)('goes on with its other workers after an idle one failed', async () => {
    const made = hasher({ spare: 2, cost: SLOW });
    // Both have started then, and their order is that of the pool.
    await Promise.all([made.hash(PASSWORD), made.hash(PASSWORD)]);
    const inProgress = made.hash(PASSWORD);
    await nextTurn();

    workersOf(made)[1]?.emit('error', new Error('EMFILE'));

    expect(await inProgress).toMatch(/^\$argon2id\$/);
    expect(await made.hash(PASSWORD)).toMatch(/^\$argon2id\$/);
  });

  it('opens other workers after the only one failed, and waiting passwords fail with the cause', async () => {
    const made = hasher({ concurrency: 1, spare: 0, cost: SLOW });
    await made.hash(PASSWORD);
    const passwords = [made.hash(PASSWORD), made.hash(PASSWORD), made.hash(PASSWORD)];
    await nextTurn();

    workersOf(made)[0]?.emit('error', new Error('EMFILE'));

    const failed = { status: 'rejected', reason: { code: 'UNAVAILABLE', facts: { cause: { message: 'EMFILE' } } } };
    expect(await Promise.allSettled(passwords)).toMatchObject([failed, failed, failed]);
    expect(await made.hash(PASSWORD)).toMatch(/^\$argon2id\$/);
  });

  it('rejects requests after close', async () => {
    const made = hasher();
    await made.hash(PASSWORD);
    await made.close();

    await expect(made.hash(PASSWORD)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('P5: does not block the event loop', async () => {
    const made = hasher({ cost: { memoryKib: 65_536, iterations: 8, parallelism: 1 } });
    await made.verify('', undefined);
    let turns = 0;
    const count = setInterval(() => (turns += 1), 1);

    await made.hash(PASSWORD);

    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
  });
});

/** Other threads continue. */
function blockEventLoop(millis: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);
}

function parsed(text: string): PasswordHash {
  const hash = parsePasswordHash(text);
  if (!hash) throw new Error(`not a hash: ${text}`);
  return hash;
}
