import { describe, expect, it } from 'vitest';
import { withTimeout } from './with-timeout.js';

const never = new Promise<string>(() => undefined);

describe('withTimeout', () => {
  it('returns the result of work that ends in time', async () => {
    await expect(withTimeout(Promise.resolve('done'), 60_000, () => 'late')).resolves.toBe('done');
  });

  it('returns the value of onTimeout after the limit', async () => {
    await expect(withTimeout(never, 1, () => 'late')).resolves.toBe('late');
  });

  it('rejects with the error that onTimeout throws', async () => {
    const late = withTimeout(never, 1, () => {
      throw new Error('late');
    });

    await expect(late).rejects.toThrow('late');
  });

  it('rejects with the error of the work', async () => {
    const failed = withTimeout(Promise.reject(new Error('failed')), 60_000, () => 'late');

    await expect(failed).rejects.toThrow('failed');
  });
});
