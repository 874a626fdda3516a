import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../../config/problem.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { sealKey, sealKeyId } from './seal-key.js';

const random = new SystemRandom();
const KEY = Buffer.from('9d2c51e07b8fa4463e1085d7c93b6af2440e97b1d85c23660fa8be71293cd5e4', 'hex');

describe('a seal key', () => {
  it.each([KEY.toString('base64'), KEY.toString('base64url'), ` ${KEY.toString('base64')}\n`])(
    'is parsed: %s',
    (text) => {
      expect(sealKey.parse(text)).toEqual(KEY);
    },
  );

  it('is always accepted if it is random', () => {
    const rejected = Array.from({ length: 2000 }, () => sealKey.parse(random.bytes(32).toString('base64'))).filter(
      (key) => key instanceof ConversionProblem,
    );

    expect(rejected).toEqual([]);
  });

  it.each([
    ['nothing', '', 'not Base64'],
    ['another alphabet', 'x'.repeat(20) + '!', 'not Base64'],
    ['a placeholder that was not filled in', '${SEAL_KEY}', 'not Base64'],
    ['too few bytes', KEY.subarray(1).toString('base64'), 'these are 31 bytes instead of 32'],
    ['too many bytes', Buffer.concat([KEY, KEY]).toString('base64'), 'these are 64 bytes instead of 32'],
    ['hexadecimal digits', KEY.toString('hex'), 'these are 48 bytes instead of 32'],
    ['zeros', Buffer.alloc(32).toString('base64'), 'the bytes are not random'],
    [
      'a counter',
      Buffer.from(Array.from({ length: 32 }, (_, i) => i % 16)).toString('base64'),
      'the bytes are not random',
    ],
    ['a sentence', Buffer.from('correct horse battery staple 123').toString('base64'), 'the bytes are not random'],
  ])('J4: is rejected if it is %s', (_, text, reason) => {
    expect(sealKey.parse(text)).toEqual(new ConversionProblem(reason));
  });

  it('is never shown as a default value', () => {
    expect(sealKey.format(KEY)).toBe('');
  });
});

it.each([
  ['2026-A', '2026a'],
  ['2026.a', '2026a'],
  ['K_1', 'k1'],
])('the id %s is stored as %s', (written, stored) => {
  expect(sealKeyId(written)).toBe(stored);
});
