import { describe, expect, it } from 'vitest';
import { waitUntil } from './wait-until.js';

describe('waitUntil', () => {
  it('waitUntil returns the first value that is not false, null or undefined', async () => {
    const answers = [false, null, undefined, 0, 1];

    expect(await waitUntil('there is an answer', () => answers.shift(), { everyMillis: 1 })).toBe(0);
  });

  it('waitUntil fails at its limit and names the condition', async () => {
    await expect(waitUntil('pigs fly', () => false, { limitMillis: 5, everyMillis: 1 })).rejects.toThrow(
      'waited 5 ms in vain until pigs fly',
    );
  });

  it('waitUntil fails at once if the check throws', async () => {
    await expect(waitUntil('it works', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
