import { expect, it } from 'vitest';
import { SystemRandom } from '../../kernel/random/random.js';
import { RequestIds } from './request-ids.js';

it('generated request ids are unique and have the form that is accepted from callers', () => {
  const ids = new RequestIds(new SystemRandom());
  const all = Array.from({ length: 1000 }, () => ids.next());

  expect(new Set(all).size).toBe(1000);
  for (const id of all) expect(id).toMatch(/^[\w-]{22}$/);
});
