import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { openBroker, request } from './broker.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

describe('broker of a test run', () => {
  it('the broker returns the result of an offer or the reason of its failure', async () => {
    const path = join(temporaryFolder(), 'broker');
    const close = await openBroker(path, {
      answer: () => Promise.resolve({ is: 42 }),
      trouble: () => Promise.reject(new Error('no luck today')),
    });

    expect(await request('answer', path)).toEqual({ is: 42 });
    await expect(request('trouble', path)).rejects.toThrow('no luck today');
    await expect(request('nothing', path)).rejects.toThrow('the run offers nothing of that name');
    await close();
  });
});
