import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { moduleLoader } from '../../../test/support/management/module-loader.js';
import { waitUntil } from '../../../test/support/runner/wait-until.js';
import { Duration } from '../../config/bind/duration.js';
import type { Health, HealthIndicator } from '../../observability/health/health-components.js';
import type { LogLine } from '../../observability/logging/log-line.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { HealthChecks } from './health-checks.service.js';
import { HealthEndpointProperties } from './health.properties.js';

function checks({ slowAfter }: { readonly slowAfter?: Duration } = {}) {
  const lines: string[] = [];
  const append = ({ level, logger, message }: LogLine): unknown => lines.push(`${level} ${logger}: ${message}`);
  const clock = new ManualClock();
  const properties = Object.assign(new HealthEndpointProperties(), slowAfter && { slowIndicatorThreshold: slowAfter });
  return { checks: new HealthChecks(properties, clock, moduleLoader, new Loggers([{ append }], clock)), clock, lines };
}

/** An indicator whose check ends when the test completes it. */
class SlowIndicator implements HealthIndicator {
  readonly name = 'slow';
  runs = 0;
  signal: AbortSignal | undefined;
  private release: (health: Health) => void = () => undefined;

  constructor(readonly limitMillis = 60_000) {}

  check(signal: AbortSignal): Promise<Health> {
    this.runs += 1;
    this.signal = signal;
    return new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async begun(): Promise<void> {
    await waitUntil('the check has begun', () => this.runs > 0);
  }

  async complete(health: Health): Promise<void> {
    await this.begun();
    this.release(health);
  }
}

describe('a health check', () => {
  it('returns the result of its indicator with details', async () => {
    const health = { status: 'OUT_OF_SERVICE', description: 'maintenance', details: { until: 'noon' } };

    expect(await checks().checks.check({ name: 'own', check: () => health })).toEqual(health);
  });

  it('always includes the subject of its indicator', async () => {
    const location = { location: 'relay.example:25' };
    const found = (check: HealthIndicator['check']): Promise<Health> =>
      checks().checks.check({ name: 'own', limitMillis: 5, subject: location, check });

    const all = [
      await found(() => ({ status: 'UP', details: { more: 1 } })),
      await found(() => Promise.reject(new Error('refused'))),
      await found(() => new Promise(() => undefined)),
    ];

    expect(all).toEqual([
      { status: 'UP', details: { ...location, more: 1 } },
      { status: 'DOWN', details: { ...location, error: 'Error: refused' } },
      { status: 'DOWN', details: { ...location, error: 'TimeoutError: no answer within 5ms' } },
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new RangeError('too far');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('too far'))],
  ] as const)('is DOWN with the error if the indicator %s', async (_, check) => {
    expect(await checks().checks.check({ name: 'own', check })).toEqual({
      status: 'DOWN',
      details: { error: 'RangeError: too far' },
    });
  });

  it('is shared by callers while it runs', async () => {
    const { checks: all } = checks();
    const slow = new SlowIndicator();

    const both = Promise.all([all.check(slow), all.check(slow)]);
    await slow.complete({ status: 'UP' });

    expect(await both).toEqual([{ status: 'UP' }, { status: 'UP' }]);
    expect(slow.runs).toBe(1);
  });

  it('runs again for a later caller', async () => {
    const { checks: all } = checks();
    const statuses = ['UP', 'DOWN'];
    const own: HealthIndicator = { name: 'own', check: () => ({ status: statuses.shift() ?? '' }) };

    expect(await all.check(own)).toEqual({ status: 'UP' });
    expect(await all.check(own)).toEqual({ status: 'DOWN' });
  });
});

describe('a health check beyond its timeout', () => {
  it('is DOWN with the timeout, and its signal is aborted', async () => {
    const { checks: all, lines } = checks();
    const slow = new SlowIndicator(5);

    const health = await all.check(slow);

    expect(health).toEqual({ status: 'DOWN', details: { error: 'TimeoutError: no answer within 5ms' } });
    expect(slow.signal?.aborted).toBe(true);
    expect(lines).toEqual(['WARN management.health: The health indicator slow has not responded within 5ms']);
  });

  it('reports the timeout even if the indicator rejects when it is aborted', async () => {
    const own: HealthIndicator = {
      name: 'own',
      limitMillis: 5,
      check: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
    };

    expect(await checks().checks.check(own)).toEqual({
      status: 'DOWN',
      details: { error: 'TimeoutError: no answer within 5ms' },
    });
  });

  it('does not run again while the indicator hangs', async () => {
    const { checks: all } = checks();
    const slow = new SlowIndicator(5);
    await all.check(slow);

    const again = await all.check(slow);

    expect(again.status).toBe('DOWN');
    expect(slow.runs).toBe(1);
  });

  it('includes the last result and its time', async () => {
    const { checks: all } = checks();
    const slow = new SlowIndicator(5);
    await all.check(slow);
    await slow.complete({ status: 'UP' });

    // A second check starts only after the first one has ended.
    const { details } = await waitUntil('a new check is late', async () => {
      const health = await all.check(slow);
      return slow.runs > 1 && health;
    });

    expect(details?.['lastResult']).toEqual({ status: 'UP', time: '2027-01-15T08:00:00.000Z' });
  });
});

describe('a slow health check', () => {
  it('is logged with its duration', async () => {
    const { checks: all, clock, lines } = checks({ slowAfter: Duration.ofSeconds(10) });
    const slow = new SlowIndicator();

    const health = all.check(slow);
    await slow.begun();
    clock.advance(11);
    await slow.complete({ status: 'UP' });

    expect(await health).toEqual({ status: 'UP' });
    expect(lines).toEqual(['WARN management.health: The health indicator slow took 11s, longer than 10s']);
  });

  it('is not logged up to the threshold', async () => {
    const { checks: all, clock, lines } = checks({ slowAfter: Duration.ofSeconds(10) });
    const slow = new SlowIndicator();

    const health = all.check(slow);
    await slow.begun();
    clock.advance(10);
    await slow.complete({ status: 'UP' });
    await health;

    expect(lines).toEqual([]);
  });
});
