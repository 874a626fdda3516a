import { describe, expect, it } from 'vitest';
import { waitUntil } from './wait-until.js';

describe('waiting for a condition', () => {
  it('ends with the first answer that is one', async () => {
    const answers = [false, null, undefined, 0, 1];

    expect(await waitUntil('there is an answer', () => answers.shift(), { everyMillis: 1 })).toBe(0);
  });

  it('fails at its limit and says what was awaited', async () => {
    await expect(waitUntil('pigs fly', () => false, { limitMillis: 5, everyMillis: 1 })).rejects.toThrow(
      'waited 5 ms in vain until pigs fly',
    );
  });

  it('fails at once when asking fails', async () => {
    await expect(waitUntil('it works', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
