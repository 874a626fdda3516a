import { expect, it } from 'vitest';
import { SystemRandom } from '../../../kernel/random/random.js';
import { Sealer } from '../../../platform/sealing/sealer.js';
import { FormTokens } from './form-tokens.service.js';

const random = new SystemRandom();
const [OLD, NEW] = [random.bytes(32), random.bytes(32)];

function tokensUnder(active: string, keys: Readonly<Record<string, Buffer>>): FormTokens {
  return new FormTokens(new Sealer(active, new Map(Object.entries(keys)), random), random);
}

it('S5: a token is valid only for the session or cookie that it is bound to', () => {
  const tokens = tokensUnder('old', { old: OLD });
  const token = tokens.issue('sid:1');

  expect(tokens.isValid(token, 'sid:1')).toBe(true);
  expect(tokens.isValid(token, 'sid:2')).toBe(false);
  expect(tokens.isValid(token, 'jti:1')).toBe(false);
  expect(tokens.isValid(token, '')).toBe(false);
});

it('S5: every issued token is different, and all have the same length', () => {
  const tokens = tokensUnder('old', { old: OLD });
  const issued = Array.from({ length: 100 }, () => tokens.issue('sid:1'));

  expect(new Set(issued).size).toBe(100);
  expect(new Set(issued.map(({ length }) => length))).toEqual(new Set([66]));
});

it.each([false, true])(
  'S5: a token with one changed character is invalid (half-authenticated login: %s)',
  (isOfHalf) => {
    const tokens = tokensUnder('old', { old: OLD });
    const token = tokens.issue('sid:1', isOfHalf);

    expect(tokens.isValid(token, 'sid:1')).toBe(true);
    for (let at = 0; at < token.length - 1; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      expect(tokens.isValid(token.slice(0, at) + other + token.slice(at + 1), 'sid:1'), String(at)).toBe(false);
    }
  },
);

it('S5: isOfHalf recognizes only tokens of half-authenticated logins, and the prefix is signed', () => {
  const tokens = tokensUnder('old', { old: OLD });
  const [ofHalf, ofFull] = [tokens.issue('sid:1', true), tokens.issue('sid:1')];

  expect([ofHalf, ofFull, '', 'half.'].map((token) => tokens.isOfHalf(token))).toEqual([true, false, false, false]);
  expect(tokens.isValid(ofHalf.replace('half.', ''), 'sid:1')).toBe(false);
  expect(tokens.isValid(`half.${ofFull}`, 'sid:1')).toBe(false);
});

it('a token stays valid while its seal key is configured beside a new one, and becomes invalid without it', () => {
  const token = tokensUnder('old', { old: OLD }).issue('sid:1');

  expect(tokensUnder('new', { old: OLD, new: NEW }).isValid(token, 'sid:1')).toBe(true);
  expect(tokensUnder('new', { new: NEW }).isValid(token, 'sid:1')).toBe(false);
});
