import { expect, it } from 'vitest';
import { visibilityFor } from './health-report.js';

it('components and details are judged each by its own', () => {
  const visibility = { showComponents: 'always', showDetails: 'when-authorized', roles: ['OPS'] } as const;

  expect(visibilityFor(visibility, undefined)).toEqual({ components: true, details: false });
  expect(visibilityFor(visibility, { name: 'a', roles: ['ROLE_USER'] })).toEqual({ components: true, details: false });
  expect(visibilityFor(visibility, { name: 'b', roles: ['ROLE_OPS'] })).toEqual({ components: true, details: true });
});
