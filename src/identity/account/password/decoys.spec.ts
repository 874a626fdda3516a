import { createSecretKey } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { SystemClock } from '../../../kernel/clock/clock.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { DECOY_BYTES, decoyOfKind, Decoys, drawnKind, kindOf, type HashKind } from './decoys.js';
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
const BYTES = random.bytes(DECOY_BYTES);

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
  ])('the kind of %s is %s, and its decoy costs the same work', (stored, kind) => {
    const decoy = decoyOfKind(kind, BYTES);

    expect(kindOf(stored)).toBe(kind);
    const { text, salt, key, ...work } = { text: '', salt: '', key: '', ...decoy };
    expect(parsePasswordHash(stored)).toMatchObject(work);
    expect(text !== '' || (salt.length > 0 && key.length > 0)).toBe(true);
  });

  it.each(['', 'plain', '{noop}secret', `$argon2id$v=19$m=9999999,t=9,p=1$${SALT}$${KEY}`])(
    'is empty for a text that cannot be verified: %s',
    (stored) => {
      expect(kindOf(stored)).toBe('');
    },
  );

  it('has no decoy if it cannot be verified', () => {
    expect(decoyOfKind('', BYTES)).toBeUndefined();
    expect(decoyOfKind('$2b$31', BYTES)).toBeUndefined();
  });
});

describe('H2: the kind drawn for a login id', () => {
  const key = createSecretKey(Buffer.alloc(32, 7));
  const otherKey = createSecretKey(Buffer.alloc(32, 8));
  const ids = Array.from({ length: 10_000 }, (_, index) => `user-${index}`);
  const draw = (counts: Readonly<Record<HashKind, number>>, secret = key): readonly (HashKind | undefined)[] => {
    const weights = new Map(Object.entries(counts));
    return ids.map((id) => drawnKind(secret, id, weights));
  };
  const share = (drawn: readonly unknown[], kind: HashKind): number =>
    drawn.filter((one) => one === kind).length / drawn.length;

  it('is distributed like the kinds of the accounts', () => {
    const drawn = draw({ argon2: 700, bcrypt: 250, scrypt: 49, pbkdf2: 1 });

    expect(share(drawn, 'argon2')).toBeCloseTo(0.7, 1);
    expect(share(drawn, 'bcrypt')).toBeCloseTo(0.25, 1);
    expect(share(drawn, 'scrypt')).toBeCloseTo(0.05, 1);
    expect(share(drawn, 'pbkdf2')).toBeGreaterThan(0);
    expect(share(drawn, 'pbkdf2')).toBeLessThan(0.005);
  });

  it('depends on the id and the key, not on the order of the kinds', () => {
    const drawn = draw({ argon2: 500, bcrypt: 500 });

    expect(draw({ bcrypt: 500, argon2: 500 })).toEqual(drawn);
    expect(share(draw({ argon2: 500, bcrypt: 500 }, otherKey), 'argon2')).toBeCloseTo(0.5, 1);
    expect(draw({ argon2: 500, bcrypt: 500 }, otherKey)).not.toEqual(drawn);
  });

  it('moves between kinds only in the direction in which accounts move', () => {
    const before = draw({ argon2: 400, bcrypt: 500, scrypt: 100 });
    const after = draw({ argon2: 600, bcrypt: 300, scrypt: 100 });

    const moves = new Set(ids.flatMap((_, at) => (before[at] === after[at] ? [] : [`${before[at]} to ${after[at]}`])));
    const possible = ['bcrypt to argon2', 'bcrypt to scrypt', 'scrypt to argon2'];
    expect(moves).toContain('bcrypt to argon2');
    expect([...moves].filter((move) => !possible.includes(move))).toEqual([]);
  });

  it('is undefined without accounts', () => {
    expect(drawnKind(key, 'anna', new Map())).toBeUndefined();
  });
});
