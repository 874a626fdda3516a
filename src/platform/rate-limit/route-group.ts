/** Groups of routes with limits of their own; a route without a group is `open`. */
export const ROUTE_GROUPS = [
  'sign-in',
  'second-factor',
  'recovery',
  'sso',
  'self-service',
  'administration',
  'open',
] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/** Dimensions by which limits count. */
export const DIMENSIONS = ['address', 'id', 'session'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
