import { expect, it } from 'vitest';
import { SystemRandom } from '../random/random.js';
import { RequestIds } from './request-ids.js';

it('no id comes twice, and all have the form that is kept of others', () => {
  const ids = new RequestIds(new SystemRandom());
  const all = Array.from({ length: 1000 }, () => ids.next());

  expect(new Set(all).size).toBe(1000);
  for (const id of all) expect(id).toMatch(/^[\w-]{22}$/);
});
