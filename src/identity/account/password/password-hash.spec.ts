import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { decoyHash, isOutdated, parsePasswordHash, readsWhole } from './password-hash.js';

const SALT = 'c2FsdHNhbHRzYWx0c2FsdA';
const KEY = 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA';
const BCRYPT = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

describe('a stored password hash', () => {
  it.each([
    ['argon2id', `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`, { scheme: 'argon2', version: 19, memoryKib: 19_456 }],
    ['argon2i without a version', `$argon2i$m=4096,t=3,p=1$${SALT}$${KEY}`, { variant: 'argon2i', version: 16 }],
    ['argon2d', `$argon2d$v=19$m=65536,t=3,p=4$${SALT}$${KEY}`, { variant: 'argon2d', iterations: 3 }],
    [
      'argon2 with a name',
      `{argon2@SpringSecurity_v5_8}$argon2id$v=19$m=16384,t=2,p=1$${SALT}$${KEY}`,
      { iterations: 2 },
    ],
    ['bcrypt $2a$', `$2a$10$${BCRYPT}`, { scheme: 'bcrypt', cost: 10 }],
    ['bcrypt $2b$', `$2b$04$${BCRYPT}`, { scheme: 'bcrypt', cost: 4 }],
    ['bcrypt $2y$', `$2y$13$${BCRYPT}`, { scheme: 'bcrypt', cost: 13 }],
    ['bcrypt with a name', `{bcrypt}$2a$10$${BCRYPT}`, { text: `$2a$10$${BCRYPT}` }],
    ['scrypt', `$scrypt$ln=17,r=8,p=1$${SALT}$${KEY}`, { scheme: 'scrypt', cost: 131_072, blockSize: 8 }],
    ['scrypt with a name', `{scrypt}$e0801$${SALT}==$${KEY}=`, { scheme: 'scrypt', cost: 16_384, parallelism: 1 }],
    ['pbkdf2-sha1', `$pbkdf2$131000$${SALT}$${KEY}`, { scheme: 'pbkdf2', digest: 'sha1', iterations: 131_000 }],
    ['pbkdf2-sha256', `$pbkdf2-sha256$i=600000,l=32$${SALT}$${KEY}`, { digest: 'sha256', iterations: 600_000 }],
    ['pbkdf2-sha512', `$pbkdf2-sha512$210000$${SALT}$${KEY}`, { digest: 'sha512' }],
    ['pbkdf2 with a name', `{pbkdf2}${'0f'.repeat(40)}`, { digest: 'sha1', iterations: 185_000 }],
    [
      'pbkdf2 with a newer name',
      `{pbkdf2@SpringSecurity_v5_8}${'0f'.repeat(48)}`,
      { digest: 'sha256', iterations: 310_000 },
    ],
  ])('is parsed: %s', (_name, text, expected) => {
    expect(parsePasswordHash(text)).toMatchObject(expected);
  });

  it.each([
    ['nothing', ''],
    ['a plain password', 'correct horse'],
    ['{noop}', '{noop}password'],
    ['an unknown name', `{sha256}${'0f'.repeat(40)}`],
    ['MD5', '$1$salt$qJH7.N4xYta3aEG/dfqo/0'],
    ['bcrypt of broken implementations', `$2x$10$${BCRYPT}`],
    ['a short bcrypt hash', `$2a$10$${BCRYPT.slice(1)}`],
    ['a hash with something behind it', `$2a$10$${BCRYPT}\n`],
    ['other bits at the end of Base64', `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY.slice(0, -1)}B`],
    ['an argon2 of an unknown version', `$argon2id$v=20$m=19456,t=2,p=1$${SALT}$${KEY}`],
    ['less memory than lanes need', `$argon2id$v=19$m=15,t=2,p=2$${SALT}$${KEY}`],
    ['no pass at all', `$argon2id$v=19$m=19456,t=0,p=1$${SALT}$${KEY}`],
    ['no round at all', `$pbkdf2-sha256$0$${SALT}$${KEY}`],
    ['more than the column takes', `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY}${'A'.repeat(512)}`],
  ])('is not parsed: %s', (_name, text) => {
    expect(parsePasswordHash(text)).toBeUndefined();
  });

  it.each([
    ['argon2 memory', `$argon2id$v=19$m=262145,t=1,p=1$${SALT}$${KEY}`],
    ['argon2 passes', `$argon2id$v=19$m=65536,t=33,p=1$${SALT}$${KEY}`],
    ['bcrypt rounds', `$2b$14$${BCRYPT}`],
    ['most bcrypt rounds', `$2b$31$${BCRYPT}`],
    ['scrypt memory', `$scrypt$ln=19,r=8,p=1$${SALT}$${KEY}`],
    ['scrypt lanes', `$scrypt$ln=17,r=8,p=3$${SALT}$${KEY}`],
    ['scrypt with a name', `{scrypt}$140801$${SALT}$${KEY}`],
    ['pbkdf2 rounds', `$pbkdf2-sha512$2000001$${SALT}$${KEY}`],
    ['pbkdf2 blocks', `$pbkdf2$1000001$${SALT}$${KEY}`],
  ])('H10: is rejected for its cost: %s', (_name, text) => {
    expect(parsePasswordHash(text)).toBeUndefined();
  });

  it('is parsed or rejected without an error, whatever the text', () => {
    const parts = fc.constantFrom(
      '$',
      '{',
      '}',
      'argon2id',
      'bcrypt',
      '2a',
      'scrypt',
      'pbkdf2',
      'm=',
      'ln=',
      ',',
      '99',
      SALT,
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map((list) => list.join('')),
        ),
        (text) => {
          expect(() => parsePasswordHash(text)).not.toThrow();
        },
      ),
    );
  });

  it('is parsed at every allowed cost if it is a decoy', () => {
    fc.assert(
      fc.property(
        fc.record({
          memoryKib: fc.integer({ min: 128, max: 262_144 }),
          iterations: fc.integer({ min: 1, max: 8 }),
          parallelism: fc.integer({ min: 1, max: 16 }),
        }),
        fc.uint8Array({ minLength: 48, maxLength: 48 }),
        (cost, random) => {
          const hash = parsePasswordHash(decoyHash(cost, random));
          expect(hash).toMatchObject({ scheme: 'argon2', memoryKib: cost.memoryKib, iterations: cost.iterations });
          expect(hash && isOutdated(hash, cost)).toBe(false);
        },
      ),
    );
  });

  it.each([
    ['another scheme', `$2b$10$${BCRYPT}`, true],
    ['another variant', `$argon2i$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`, true],
    ['the old version', `$argon2id$v=16$m=19456,t=2,p=1$${SALT}$${KEY}`, true],
    ['less memory', `$argon2id$v=19$m=19455,t=2,p=1$${SALT}$${KEY}`, true],
    ['fewer passes', `$argon2id$v=19$m=65536,t=1,p=1$${SALT}$${KEY}`, true],
    ['the same cost', `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`, false],
    ['a higher cost', `$argon2id$v=19$m=65536,t=3,p=4$${SALT}$${KEY}`, false],
  ])('is compared with the cost of new hashes: %s', (_name, text, expected) => {
    const hash = parsePasswordHash(text);

    expect(hash && isOutdated(hash, { memoryKib: 19_456, iterations: 2, parallelism: 1 })).toBe(expected);
  });

  it('P4: a bcrypt hash does not read a whole password beyond 72 bytes or with a NUL', () => {
    const bcrypt = parsePasswordHash(`$2b$10$${BCRYPT}`);
    const argon2 = parsePasswordHash(`$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`);
    const reads = (password: string): unknown => bcrypt && readsWhole(bcrypt, password);

    expect(reads('x'.repeat(72))).toBe(true);
    expect(reads('x'.repeat(73))).toBe(false);
    expect(reads('ä'.repeat(37))).toBe(false);
    expect(reads('before\0after')).toBe(false);
    expect(argon2 && readsWhole(argon2, `${'x'.repeat(1000)}\0`)).toBe(true);
  });
});
