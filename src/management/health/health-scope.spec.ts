import { describe, expect, it } from 'vitest';
import {
  type GroupSettings,
  healthGroups,
  isInScope,
  isMember,
  overallScope,
  type OverallSettings,
  type ProbeSettings,
  unknownMembers,
} from './health-scope.js';
import { DEFAULT_HTTP_MAPPING, DEFAULT_ORDER } from './status.js';

const whole: OverallSettings = {
  showDetails: 'when-authorized',
  roles: ['OPS'],
  statusOrder: ['FATAL', 'UP'],
  statusHttpMapping: new Map([['FATAL', 500]]),
};
const noProbes: ProbeSettings = { enabled: false, addAdditionalPaths: false };

function group(settings: GroupSettings, over: Partial<OverallSettings> = {}) {
  return healthGroups({ ...whole, ...over }, new Map([['mine', settings]]), noProbes).get('mine');
}

describe('the whole', () => {
  it('shows components to whom it shows details, unless it is told otherwise', () => {
    expect(overallScope(whole).visibility.showComponents).toBe('when-authorized');
    expect(overallScope({ ...whole, showComponents: 'always' }).visibility.showComponents).toBe('always');
  });

  it('has the default map of HTTP statuses only where none is configured', () => {
    expect(overallScope({ ...whole, statusHttpMapping: new Map() }).statuses.httpMapping).toBe(DEFAULT_HTTP_MAPPING);
    expect(overallScope(whole).statuses.httpMapping).toEqual(new Map([['FATAL', 500]]));
  });
});

describe('a group', () => {
  it('inherits what it does not say', () => {
    expect(group({})).toMatchObject({
      visibility: { showDetails: 'when-authorized', showComponents: 'when-authorized', roles: ['OPS'] },
      statuses: { order: ['FATAL', 'UP'], httpMapping: new Map([['FATAL', 500]]) },
    });
  });

  it('overrides what it says', () => {
    const settings: GroupSettings = {
      showDetails: 'always',
      roles: [],
      statusOrder: DEFAULT_ORDER,
      statusHttpMapping: new Map([['DOWN', 418]]),
    };

    expect(group(settings)).toMatchObject({
      visibility: { showDetails: 'always', showComponents: 'always', roles: [] },
      statuses: { order: DEFAULT_ORDER, httpMapping: new Map([['DOWN', 418]]) },
    });
  });

  it('shows components as the whole does where that says so of components', () => {
    expect(group({ showDetails: 'never' }, { showComponents: 'always' })?.visibility).toMatchObject({
      showDetails: 'never',
      showComponents: 'always',
    });
  });
});

describe('the groups of the probes', () => {
  const probes = { enabled: true, addAdditionalPaths: false };

  it('are there only where probes are enabled', () => {
    expect([...healthGroups(whole, new Map(), { enabled: false, addAdditionalPaths: true }).keys()]).toEqual([]);
    expect([...healthGroups(whole, new Map(), probes).keys()]).toEqual(['liveness', 'readiness']);
  });

  it('have one member each and show nothing of it, whatever the whole shows', () => {
    const groups = healthGroups({ ...whole, showDetails: 'always', showComponents: 'always' }, new Map(), probes);

    expect(groups.get('liveness')).toMatchObject({
      membership: { include: ['livenessState'] },
      visibility: { showDetails: 'never', showComponents: 'never' },
    });
    expect(groups.get('readiness')).toMatchObject({
      membership: { include: ['readinessState'] },
      visibility: { showDetails: 'never', showComponents: 'never' },
    });
  });

  it('have the members that a configured group of their name has, and its visibility', () => {
    const configured = new Map([['readiness', { include: ['readinessState', 'db'], showDetails: 'always' as const }]]);

    expect(healthGroups(whole, configured, probes).get('readiness')).toMatchObject({
      membership: { include: ['readinessState', 'db'], exclude: [] },
      visibility: { showDetails: 'always', showComponents: 'always' },
    });
  });

  it('keep their member where the configuration says other things of them', () => {
    const configured = new Map([
      ['liveness', { additionalPath: 'management:/alive' }],
      ['readiness', { additionalPath: 'server:/readyz' }],
    ]);

    const groups = healthGroups(whole, configured, { enabled: true, addAdditionalPaths: true });
    const liveness = groups.get('liveness');

    expect(liveness?.membership).toEqual({ include: ['livenessState'], exclude: [] });
    expect(liveness?.additionalPaths).toEqual(['management:/alive', 'server:/livez']);
    expect(groups.get('readiness')?.additionalPaths).toEqual(['server:/readyz']);
  });

  it('have paths on the main listener where they are asked for', () => {
    const groups = healthGroups(whole, new Map(), { enabled: true, addAdditionalPaths: true });

    expect(groups.get('liveness')?.additionalPaths).toEqual(['server:/livez']);
    expect(groups.get('readiness')?.additionalPaths).toEqual(['server:/readyz']);
  });
});

it('no other system is ever part of liveness, whatever is included', () => {
  const configured = new Map([
    ['liveness', { include: ['*', 'db'] }],
    ['readiness', { include: ['db'] }],
  ]);
  const groups = healthGroups(whole, configured, { enabled: true, addAdditionalPaths: false });
  const isIn = (name: string, path: string, isExternal: boolean): boolean | undefined => {
    const scope = groups.get(name);
    return scope && isInScope(scope, path, isExternal);
  };

  expect(isIn('liveness', 'db', true)).toBe(false);
  expect(isIn('liveness', 'diskSpace', false)).toBe(true);
  expect(isIn('readiness', 'db', true)).toBe(true);
});

describe('a component belongs to a group', () => {
  it.each([
    { path: 'db', include: [], exclude: [], is: true },
    { path: 'db', include: ['*'], exclude: [], is: true },
    { path: 'db', include: ['db'], exclude: [], is: true },
    { path: 'db', include: ['mail'], exclude: [], is: false },
    { path: 'db', include: ['d'], exclude: [], is: false },
    { path: 'DB', include: ['db'], exclude: [], is: false },
    { path: 'db', include: ['*'], exclude: ['db'], is: false },
    { path: 'db', include: ['db'], exclude: ['*'], is: false },
    { path: 'stores/main', include: ['stores'], exclude: [], is: true },
    { path: 'stores/main', include: ['stores/main'], exclude: [], is: true },
    { path: 'stores/spare', include: ['stores/main'], exclude: [], is: false },
    { path: 'stores/spare', include: ['stores'], exclude: ['stores/main'], is: true },
    { path: 'stores/main', include: ['stores'], exclude: ['stores/main'], is: false },
    { path: 'stores/main', include: ['stores/main'], exclude: ['stores'], is: false },
    { path: 'storesmain', include: ['stores'], exclude: [], is: false },
  ])('$path to $include without $exclude: $is', ({ path, include, exclude, is }) => {
    expect(isMember(path, { include, exclude })).toBe(is);
  });
});

it('names that no component has are found, each once', () => {
  const membership = { include: ['*', 'db', 'dba', 'stores/none'], exclude: ['dba', 'Mail', 'stores/main'] };

  expect(unknownMembers(membership, ['db', 'mail', 'stores', 'stores/main'])).toEqual(['dba', 'stores/none', 'Mail']);
});
