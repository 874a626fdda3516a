import { createSecretKey } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { SystemClock } from '../../../kernel/clock/clock.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { type Decoy, Decoys, type HashKind, kindOf } from './decoys.js';
import { parsePasswordHash } from './password-hash.js';
import { HashKindStore } from './hash-kind.store.js';
import { PasswordKinds, StoredHashKinds } from './password-kinds.task.js';

const random = new SystemRandom();
const noTx = {} as Tx;
const work = {
  run: (act: (tx: Tx) => unknown) => act(noTx),
  single: (act: (tx: Tx) => unknown) => act(noTx),
} as unknown as UnitOfWork;

/** A table with endless unclassified hashes; each batch waits for `next`. */
class EndlessStore extends HashKindStore {
  batches = 0;
  private go: () => void = () => undefined;

  override classify(): Promise<boolean> {
    this.batches += 1;
    return new Promise((resolve) => {
      this.go = () => {
        resolve(true);
      };
    });
  }

  override kinds(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** Ends the current batch. */
  next(): void {
    this.go();
  }
}

describe('H2: the count of the kinds of password hashes', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  function counted(store: HashKindStore): { readonly decoys: Decoys; readonly tasks: ScheduledTasks } {
    const decoys = new Decoys(createSecretKey(random.bytes(32)), random, new StoredHashKinds(store, work));
    const tasks = new ScheduledTasks(new SystemClock());
    new PasswordKinds(decoys, tasks);
    return { decoys, tasks };
  }

  it('H2: delays the first login by two seconds at most, however many hashes are unclassified', async () => {
    vi.useFakeTimers();
    const answers: unknown[] = [];
    const { decoys } = counted(new EndlessStore());
    const first = decoys.decoyOf('anna').then((decoy) => answers.push(decoy));

    await vi.advanceTimersByTimeAsync(1900);
    expect(answers).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    await first;

    expect(answers).toEqual([undefined]);
    expect(await decoys.decoyOf('bert')).toBeUndefined();
  });

  it('H2: stops after the current batch', async () => {
    vi.useFakeTimers();
    const store = new EndlessStore();
    const { tasks } = counted(store);
    tasks.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.batches).toBe(1);

    const stopped = tasks.stop();
    store.next();
    await stopped;

    expect(store.batches).toBe(1);
  });
});

const SALT = 'c2FsdCBvZiB0aGUgdGVzdA';
const KEY = '8x/vLGeHWK/aqL6pvxMRWSy29QQugKug5GEqo/aVc24';

/** The decoys while as many accounts have each kind. */
function decoysOf(counts: Readonly<Record<HashKind, number>>, key = createSecretKey(Buffer.alloc(32, 7))): Decoys {
  return new Decoys(key, random, { count: () => Promise.resolve(new Map(Object.entries(counts))) });
}

function decoyOfKind(kind: HashKind): Promise<Decoy | undefined> {
  return decoysOf({ [kind]: 1 }).decoyOf('anna');
}

describe('H2: the kind of a stored hash', () => {
  it.each([
    [`$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`, '$argon2id$v=19$m=19456,t=2,p=1'],
    [`{argon2}$argon2i$m=256,t=1,p=4$${SALT}$${KEY}`, '$argon2i$m=256,t=1,p=4'],
    [bcrypt.hashSync('x', 4), '$2b$04'],
    [`{bcrypt}${bcrypt.hashSync('x', 5).replace('$2b$', '$2y$')}`, '$2b$05'],
    [`$scrypt$ln=10,r=8,p=1$${SALT}$${KEY}`, '$scrypt$ln=10,r=8,p=1'],
    [`{scrypt}$a0801$${SALT}$${KEY}`, '$scrypt$ln=10,r=8,p=1'],
    [
      `$pbkdf2-sha512$1000$${SALT}$${Buffer.alloc(64, 7).toString('base64').slice(0, 86)}`,
      '$pbkdf2-sha512$i=1000,l=64',
    ],
    [`{pbkdf2}${'ab'.repeat(40)}`, '$pbkdf2-sha1$i=185000,l=32'],
  ])('the kind of %s is %s, and its decoy costs the same work', async (stored, kind) => {
    const decoy = await decoyOfKind(kind);

    expect(kindOf(stored)).toBe(kind);
    const { text, salt, key, ...work } = { text: '', salt: '', key: '', ...decoy?.hash };
    expect(parsePasswordHash(stored)).toMatchObject(work);
    expect(text !== '' || (salt.length > 0 && key.length > 0)).toBe(true);
  });

  it.each(['', 'plain', '{noop}secret', `$argon2id$v=19$m=9999999,t=9,p=1$${SALT}$${KEY}`])(
    'is empty for a text that cannot be verified: %s',
    (stored) => {
      expect(kindOf(stored)).toBe('');
    },
  );

  it('has no decoy if it cannot be verified', async () => {
    expect(await decoyOfKind('')).toBeUndefined();
    expect(await decoyOfKind('$2b$31')).toBeUndefined();
  });
});

describe('H2: the kind drawn for a login id', () => {
  const ARGON2 = '$argon2id$v=19$m=19456,t=2,p=1';
  const BCRYPT = '$2b$10';
  const SCRYPT = '$scrypt$ln=10,r=8,p=1';
  const PBKDF2 = '$pbkdf2-sha512$i=1000,l=64';
  const otherKey = createSecretKey(Buffer.alloc(32, 8));
  const ids = Array.from({ length: 10_000 }, (_, index) => `user-${index}`);
  const draw = (...kinds: Parameters<typeof decoysOf>): Promise<readonly (HashKind | undefined)[]> => {
    const decoys = decoysOf(...kinds);
    return Promise.all(ids.map(async (id) => (await decoys.decoyOf(id))?.kind));
  };
  const share = (drawn: readonly unknown[], kind: HashKind): number =>
    drawn.filter((one) => one === kind).length / drawn.length;

  it('is distributed like the kinds of the accounts', async () => {
    const drawn = await draw({ [ARGON2]: 700, [BCRYPT]: 250, [SCRYPT]: 49, [PBKDF2]: 1 });

    expect(share(drawn, ARGON2)).toBeCloseTo(0.7, 1);
    expect(share(drawn, BCRYPT)).toBeCloseTo(0.25, 1);
    expect(share(drawn, SCRYPT)).toBeCloseTo(0.05, 1);
    expect(share(drawn, PBKDF2)).toBeGreaterThan(0);
    expect(share(drawn, PBKDF2)).toBeLessThan(0.005);
  });

  it('depends on the id and the key, not on the order of the kinds', async () => {
    const drawn = await draw({ [ARGON2]: 500, [BCRYPT]: 500 });
    const otherDrawn = await draw({ [ARGON2]: 500, [BCRYPT]: 500 }, otherKey);

    expect(await draw({ [BCRYPT]: 500, [ARGON2]: 500 })).toEqual(drawn);
    expect(share(otherDrawn, ARGON2)).toBeCloseTo(0.5, 1);
    expect(otherDrawn).not.toEqual(drawn);
  });

  it('moves between kinds only in the direction in which accounts move', async () => {
    const before = await draw({ [ARGON2]: 400, [BCRYPT]: 500, [SCRYPT]: 100 });
    const after = await draw({ [ARGON2]: 600, [BCRYPT]: 300, [SCRYPT]: 100 });

    const moves = new Set(ids.flatMap((_, at) => (before[at] === after[at] ? [] : [`${before[at]} to ${after[at]}`])));
    const possible = [`${BCRYPT} to ${ARGON2}`, `${BCRYPT} to ${SCRYPT}`, `${SCRYPT} to ${ARGON2}`];
    expect(moves).toContain(`${BCRYPT} to ${ARGON2}`);
    expect([...moves].filter((move) => !possible.includes(move))).toEqual([]);
  });

  it('is undefined without accounts', async () => {
    expect(await decoysOf({}).decoyOf('anna')).toBeUndefined();
  });
});
