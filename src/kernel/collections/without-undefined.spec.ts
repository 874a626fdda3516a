import { expect, it } from 'vitest';
import { withoutUndefined } from './without-undefined.js';

it('withoutUndefined removes undefined members and keeps null, false, 0 and empty texts', () => {
  const members: { a?: string; b: number | undefined; c: null; d: boolean; e: number; f: string } = {
    ...{ b: undefined, c: null, d: false, e: 0, f: '' },
  };

  expect(withoutUndefined(members)).toStrictEqual({ c: null, d: false, e: 0, f: '' });
});
