import { expect, it } from 'vitest';
import { sightOf } from './visibility.js';

it('components and details are judged each by its own', () => {
  const visibility = { showComponents: 'always', showDetails: 'when-authorized', roles: ['OPS'] } as const;

  expect(sightOf(visibility, undefined)).toEqual({ components: true, details: false });
  expect(sightOf(visibility, { name: 'a', roles: ['ROLE_USER'] })).toEqual({ components: true, details: false });
  expect(sightOf(visibility, { name: 'b', roles: ['ROLE_OPS'] })).toEqual({ components: true, details: true });
});
