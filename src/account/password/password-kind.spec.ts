import bcrypt from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { SystemRandom } from '../../random/random.js';
import { parsePasswordHash } from './password-hash.js';
import { DECOY_BYTES, decoyOfKind, drawnKind, kindOf, type PasswordKind } from './password-kind.js';

const SALT = 'c2FsdCBvZiB0aGUgdGVzdA';
const KEY = '8x/vLGeHWK/aqL6pvxMRWSy29QQugKug5GEqo/aVc24';
const BYTES = new SystemRandom().bytes(DECOY_BYTES);

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
  ])('of %s is %s, and its decoy has the same', (stored, kind) => {
    const decoy = decoyOfKind(kind, BYTES);

    expect(kindOf(stored)).toBe(kind);
    const { text, salt, key, ...work } = { text: '', salt: '', key: '', ...decoy };
    expect(parsePasswordHash(stored)).toMatchObject(work);
    expect(text !== '' || (salt.length > 0 && key.length > 0)).toBe(true);
  });

  it.each(['', 'plain', '{noop}secret', `$argon2id$v=19$m=9999999,t=9,p=1$${SALT}$${KEY}`])(
    'is empty where nothing can be verified: %s',
    (stored) => {
      expect(kindOf(stored)).toBe('');
    },
  );

  it('that cannot be verified has no decoy', () => {
    expect(decoyOfKind('', BYTES)).toBeUndefined();
    expect(decoyOfKind('$2b$31', BYTES)).toBeUndefined();
  });
});

describe('H2: the kind drawn for a login id', () => {
  const key = Buffer.alloc(32, 7);
  const ids = Array.from({ length: 10_000 }, (_, index) => `user-${index}`);
  const draw = (
    counts: Readonly<Record<PasswordKind, number>>,
    secret = key,
  ): readonly (PasswordKind | undefined)[] => {
    const weights = new Map(Object.entries(counts));
    return ids.map((id) => drawnKind(secret, id, weights));
  };
  const share = (drawn: readonly unknown[], kind: PasswordKind): number =>
    drawn.filter((one) => one === kind).length / drawn.length;

  it('follows the shares of the accounts', () => {
    const drawn = draw({ argon2: 700, bcrypt: 250, scrypt: 49, pbkdf2: 1 });

    expect(share(drawn, 'argon2')).toBeCloseTo(0.7, 1);
    expect(share(drawn, 'bcrypt')).toBeCloseTo(0.25, 1);
    expect(share(drawn, 'scrypt')).toBeCloseTo(0.05, 1);
    expect(share(drawn, 'pbkdf2')).toBeGreaterThan(0);
    expect(share(drawn, 'pbkdf2')).toBeLessThan(0.005);
  });

  it('is always the same for one id, in whatever order the kinds come, and another under another key', () => {
    const drawn = draw({ argon2: 500, bcrypt: 500 });

    expect(draw({ bcrypt: 500, argon2: 500 })).toEqual(drawn);
    expect(share(draw({ argon2: 500, bcrypt: 500 }, Buffer.alloc(32, 8)), 'argon2')).toBeCloseTo(0.5, 1);
    expect(draw({ argon2: 500, bcrypt: 500 }, Buffer.alloc(32, 8))).not.toEqual(drawn);
  });

  it('changes only as accounts change: from the kind that they leave to the one that they take', () => {
    const before = draw({ argon2: 400, bcrypt: 500, scrypt: 100 });
    const after = draw({ argon2: 600, bcrypt: 300, scrypt: 100 });

    const moves = new Set(ids.flatMap((_, at) => (before[at] === after[at] ? [] : [`${before[at]} to ${after[at]}`])));
    const possible = ['bcrypt to argon2', 'bcrypt to scrypt', 'scrypt to argon2'];
    expect(moves).toContain('bcrypt to argon2');
    expect([...moves].filter((move) => !possible.includes(move))).toEqual([]);
  });

  it('is none without accounts', () => {
    expect(drawnKind(key, 'anna', new Map())).toBeUndefined();
  });
});
