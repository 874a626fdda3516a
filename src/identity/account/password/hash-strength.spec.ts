import { expect, it } from 'vitest';
import { HASH_FLOORS, meetsFloor } from './hash-strength.js';
import { parsePasswordHash } from './password-hash.js';

const SALT = 'c2FsdHNhbHRzYWx0c2FsdA';
const KEY = 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA';
const BCRYPT = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

it.each([
  [`$argon2id$v=19$m=1024,t=1,p=1$${SALT}$${KEY}`, ['any']],
  [`$argon2id$v=19$m=4096,t=3,p=1$${SALT}$${KEY}`, ['any', 'common']],
  [`$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`, ['any', 'common', 'owasp']],
  [`$argon2i$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`, ['any', 'common']],
  [`$argon2d$v=19$m=47104,t=1,p=1$${SALT}$${KEY}`, ['any', 'common']],
  [`$2b$09$${BCRYPT}`, ['any']],
  [`$2b$10$${BCRYPT}`, ['any', 'common', 'owasp']],
  [`$scrypt$ln=13,r=8,p=1$${SALT}$${KEY}`, ['any']],
  [`$scrypt$ln=14,r=8,p=1$${SALT}$${KEY}`, ['any', 'common']],
  [`$scrypt$ln=17,r=8,p=1$${SALT}$${KEY}`, ['any', 'common', 'owasp']],
  [`$pbkdf2-sha256$9999$${SALT}$${KEY}`, ['any']],
  [`{pbkdf2}${'0f'.repeat(40)}`, ['any', 'common']],
  [`$pbkdf2-sha256$600000$${SALT}$${KEY}`, ['any', 'common', 'owasp']],
  [`$pbkdf2-sha256$600000$c2FsdHNhbA$${KEY}`, ['any']],
  [`$pbkdf2-sha256$600000$c2FsdHNhbHQ$${KEY}`, ['any', 'common', 'owasp']],
])('H6: %s meets exactly %j', (text, floors) => {
  const hash = parsePasswordHash(text);

  expect(hash && HASH_FLOORS.filter((floor) => meetsFloor(hash, floor))).toEqual(floors);
});
