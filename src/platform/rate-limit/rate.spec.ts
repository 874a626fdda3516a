import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../../config/problem.js';
import { Rate, rate } from './rate.js';

describe('a rate', () => {
  it.each([
    ['60/1m', 60, 60_000],
    ['5/10', 5, 10_000],
    ['300/PT1H', 300, 3_600_000],
    [' 7/1S ', 7, 1000],
    ['9/1000300us', 9, 1001],
  ])('%s is a number of requests in a window', (text, quota, windowMillis) => {
    expect(rate().parse(text)).toMatchObject({ quota, windowMillis });
  });

  it.each(['off', '0', 'OFF', '0/1m'])('%s sets no limit', (text) => {
    expect(rate().parse(text)).toBe(Rate.OFF);
  });

  it.each(['', '60', '60/', '/1m', '-1/1m', '1.5/1m', '60/0s', '60/999ms', '60/1 m', '60 per minute'])(
    '%j is rejected',
    (text) => {
      expect(rate().parse(text)).toBeInstanceOf(ConversionProblem);
    },
  );

  const limited = rate({ quota: 1000, windowSeconds: 86_400 });

  it.each([
    ['1001/1m', 'the number must not be above 1000'],
    ['5000/1d', 'the number must not be above 1000'],
    ['60/25h', 'the window must not be longer than 1d'],
    ['60/86400001ms', 'the window must not be longer than 1d'],
  ])('X6: %s is beyond the limits of a key', (text, reason) => {
    expect(limited.parse(text)).toEqual(new ConversionProblem(reason));
    expect(limited.expects).toContain('with at most 1000 requests in at most 1d');
  });

  it.each(['1000/1d', '60/1m', 'off'])('X6: %s is within the limits of a key', (text) => {
    expect(limited.parse(text)).toBeInstanceOf(Rate);
  });

  it.each(['60/1m', '5/10s', 'off'])('%s is shown as it is written', (text) => {
    const read = rate().parse(text);
    expect(read instanceof Rate && read.toString()).toBe(text);
  });
});
