import { expect, it } from 'vitest';
import { visibilityFor } from './health-report.js';

it('visibilityFor decides separately about components and details', () => {
  const visibility = { showComponents: 'always', showDetails: 'when-authorized', roles: ['OPS'] } as const;

  expect(visibilityFor(visibility, undefined)).toEqual({ components: true, details: false });
  expect(visibilityFor(visibility, { name: 'a', roles: ['ROLE_USER'] })).toEqual({ components: true, details: false });
  expect(visibilityFor(visibility, { name: 'b', roles: ['ROLE_OPS'] })).toEqual({ components: true, details: true });
});
