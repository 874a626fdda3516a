import { expect, it } from 'vitest';
import { keyOfSecret } from './keys/key-material.js';
import { VerifiedTokens } from './signed-token.js';

const key = keyOfSecret('key', Buffer.alloc(32, 1));
const claims = { issuedAt: 1000, expiresAt: 1180 };

it('a remembered token has its claims until it expires, and not long before it is issued', () => {
  const tokens = new VerifiedTokens();
  tokens.add('token', key, claims);

  const known = [994, 995, 1000, 1179, 1180].map((now) => tokens.claimsOf('token', key, now) !== undefined);
  expect(known).toEqual([false, true, true, true, false]);
});

it('a token is verified again if its key id names another key than before', () => {
  const tokens = new VerifiedTokens();
  tokens.add('token', key, claims);

  expect(tokens.claimsOf('token', keyOfSecret('key', Buffer.alloc(32, 1)), 1000)).toBeUndefined();
});

it('an unknown token has no claims', () => {
  expect(new VerifiedTokens().claimsOf('token', key, 1000)).toBeUndefined();
});

it('at most a thousand tokens are remembered, the latest ones', () => {
  const tokens = new VerifiedTokens();
  for (let number = 0; number < 1500; number += 1) tokens.add(`token-${number}`, key, claims);
  const known = Array.from({ length: 1500 }, (_, number) => tokens.claimsOf(`token-${number}`, key, 1000));

  expect(known.filter((each) => each !== undefined)).toHaveLength(1000);
  expect(known.lastIndexOf(undefined)).toBe(499);
});
