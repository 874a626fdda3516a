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

describe('the scope of the overall health', () => {
  it('shows components to the same callers as details by default', () => {
    expect(overallScope(whole).visibility.showComponents).toBe('when-authorized');
    expect(overallScope({ ...whole, showComponents: 'always' }).visibility.showComponents).toBe('always');
  });

  it('uses the default HTTP mapping only if none is configured', () => {
    expect(overallScope({ ...whole, statusHttpMapping: new Map() }).statuses.httpMapping).toBe(DEFAULT_HTTP_MAPPING);
    expect(overallScope(whole).statuses.httpMapping).toEqual(new Map([['FATAL', 500]]));
  });
});

describe('the scope of a health group', () => {
  it('inherits unset values from the overall health', () => {
    expect(group({})).toMatchObject({
      visibility: { showDetails: 'when-authorized', showComponents: 'when-authorized', roles: ['OPS'] },
      statuses: { order: ['FATAL', 'UP'], httpMapping: new Map([['FATAL', 500]]) },
    });
  });

  it('overrides the values it sets', () => {
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

  it('inherits show-components separately from show-details', () => {
    expect(group({ showDetails: 'never' }, { showComponents: 'always' })?.visibility).toMatchObject({
      showDetails: 'never',
      showComponents: 'always',
    });
  });
});

describe('the health groups of the probes', () => {
  const probes = { enabled: true, addAdditionalPaths: false };

  it('exist only if probes are enabled', () => {
    expect([...healthGroups(whole, new Map(), { enabled: false, addAdditionalPaths: true }).keys()]).toEqual([]);
    expect([...healthGroups(whole, new Map(), probes).keys()]).toEqual(['liveness', 'readiness']);
  });

  it('have one member each and hide it whatever the overall health shows', () => {
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

  it('take members and visibility from a configured group of the same name', () => {
    const configured = new Map([['readiness', { include: ['readinessState', 'db'], showDetails: 'always' as const }]]);

    expect(healthGroups(whole, configured, probes).get('readiness')).toMatchObject({
      membership: { include: ['readinessState', 'db'], exclude: [] },
      visibility: { showDetails: 'always', showComponents: 'always' },
    });
  });

  it('keep their member if a configured group of the same name sets none', () => {
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

  it('have additional paths on the main listener if configured', () => {
    const groups = healthGroups(whole, new Map(), { enabled: true, addAdditionalPaths: true });

    expect(groups.get('liveness')?.additionalPaths).toEqual(['server:/livez']);
    expect(groups.get('readiness')?.additionalPaths).toEqual(['server:/readyz']);
  });
});

it('liveness never includes an external component', () => {
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

describe('membership in a health group', () => {
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
  ])('include $include and exclude $exclude contain $path: $is', ({ path, include, exclude, is }) => {
    expect(isMember(path, { include, exclude })).toBe(is);
  });
});

it('unknownMembers lists each unknown name once', () => {
  const membership = { include: ['*', 'db', 'dba', 'stores/none'], exclude: ['dba', 'Mail', 'stores/main'] };

  expect(unknownMembers(membership, ['db', 'mail', 'stores', 'stores/main'])).toEqual(['dba', 'stores/none', 'Mail']);
});
