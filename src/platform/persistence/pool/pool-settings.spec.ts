import { expect, it } from 'vitest';
import { adjustedSettings, type PoolSettings } from './pool-settings.js';

/** A pool of ten with two idle connections, whose idle timeout therefore has an effect. */
const FLEXIBLE = { maximumPoolSize: 10, minimumIdle: 2 };

function changes(configured: Partial<PoolSettings>): Readonly<Record<string, number>> {
  return Object.fromEntries(adjustedSettings(configured).adjustments.map(({ property, value }) => [property, value]));
}

it('values that the pool can use are in force as configured', () => {
  const configured = {
    ...FLEXIBLE,
    connectionTimeout: 250,
    validationTimeout: 250,
    idleTimeout: 10_000,
    maxLifetime: 30_000,
    leakDetectionThreshold: 2000,
  };

  expect(adjustedSettings(configured)).toEqual({ settings: { name: 'pool-1', ...configured }, adjustments: [] });
});

it('minimum-idle is maximum-pool-size unless it is set', () => {
  expect(adjustedSettings({ maximumPoolSize: 7 }).settings.minimumIdle).toBe(7);
});

it.each<[string, Partial<PoolSettings>, Readonly<Record<string, number>>]>([
  ['a wait below 250 ms by the default', { connectionTimeout: 249 }, { connectionTimeout: 30_000 }],
  ['a validation timeout below 250 ms by the default', { validationTimeout: 0 }, { validationTimeout: 5000 }],
  ['a lifetime below 30 s by the default', { maxLifetime: 29_999 }, { maxLifetime: 1_800_000 }],
  ['more idle connections than the pool has by its size', { minimumIdle: 11 }, { minimumIdle: 10 }],
  ['an idle timeout below 10 s by the default', { ...FLEXIBLE, idleTimeout: 9999 }, { idleTimeout: 600_000 }],
  ['a leak threshold below 2 s by none', { leakDetectionThreshold: 1999 }, { leakDetectionThreshold: 0 }],
  [
    'a leak threshold above the lifetime by none',
    { maxLifetime: 60_000, leakDetectionThreshold: 60_001 },
    { leakDetectionThreshold: 0 },
  ],
  [
    'an idle timeout that the lifetime precedes by none',
    { ...FLEXIBLE, maxLifetime: 60_000, idleTimeout: 59_001 },
    { idleTimeout: 0 },
  ],
])('the pool replaces %s', (_, configured, expected) => {
  expect(changes(configured)).toEqual(expected);
  expect(adjustedSettings(configured).settings).toMatchObject(expected);
});

it.each<[string, Partial<PoolSettings>]>([
  ['no limit for the wait', { connectionTimeout: 0 }],
  ['no limit for the age', { maxLifetime: 0 }],
  ['idle connections that are never closed', { ...FLEXIBLE, idleTimeout: 0 }],
])('the pool accepts 0 as %s', (_, configured) => {
  expect(adjustedSettings(configured).adjustments).toEqual([]);
});

it('the pool reports that an idle timeout has no effect if its size is fixed', () => {
  const { settings, adjustments } = adjustedSettings({ idleTimeout: 20_000 });

  expect(settings.idleTimeout).toBe(20_000);
  expect(adjustments).toEqual([
    {
      property: 'idleTimeout',
      value: 20_000,
      reason: 'without effect, since minimum-idle equals maximum-pool-size',
    },
  ]);
});
