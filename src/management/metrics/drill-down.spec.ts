import { describe, expect, it } from 'vitest';
import { Meters } from '../../observability/metrics/meters.js';
import { type MetricView, drillDown, type TagFilter, parseTag } from './drill-down.js';

function requests(): Meters {
  const meters = new Meters();
  const timer = meters.timer('http.server.requests', { description: 'Time to serve a request' });
  timer.of({ method: 'POST', uri: '/login', status: '200' }).record(0.25);
  timer.of({ method: 'POST', uri: '/login', status: '401' }).record(0.5);
  timer.of({ method: 'GET', uri: '/me', status: '200' }).record(1);
  return meters;
}

function drilled(meters: Meters, name: string, ...wanted: readonly TagFilter[]): MetricView | undefined {
  const family = meters.find(name);
  return family && drillDown(family, wanted);
}

describe('a requested tag of a metric', () => {
  it.each([
    ['method:GET', ['method', 'GET']],
    ['uri:http://x/y', ['uri', 'http://x/y']],
    ['name:a,b', ['name', 'a,b']],
    ['name:', ['name', '']],
    [':x', ['', 'x']],
  ])('%s is parsed as %j', (text, tag) => {
    expect(parseTag(text)).toEqual(tag);
  });

  it.each(['', 'method', 'method=GET'])('%j is rejected because it has no colon', (text) => {
    expect(parseTag(text)).toBeUndefined();
  });
});

describe('drilling down into a metric', () => {
  it('merges all series without a requested tag', () => {
    expect(drilled(requests(), 'http.server.requests')).toEqual({
      name: 'http.server.requests',
      description: 'Time to serve a request',
      baseUnit: 'seconds',
      measurements: [
        { statistic: 'COUNT', value: 3 },
        { statistic: 'TOTAL_TIME', value: 1.75 },
        { statistic: 'MAX', value: 1 },
      ],
      availableTags: [
        { tag: 'method', values: ['POST', 'GET'] },
        { tag: 'uri', values: ['/login', '/me'] },
        { tag: 'status', values: ['200', '401'] },
      ],
    });
  });

  it('selects the series with all requested tags and lists the other tags', () => {
    const body = drilled(requests(), 'http.server.requests', ['method', 'POST'], ['status', '401']);
    expect(body?.measurements[0]).toEqual({ statistic: 'COUNT', value: 1 });
    expect(body?.availableTags).toEqual([{ tag: 'uri', values: ['/login'] }]);
  });

  it('ignores a repeated tag', () => {
    const once = drilled(requests(), 'http.server.requests', ['method', 'POST']);
    expect(drilled(requests(), 'http.server.requests', ['method', 'POST'], ['method', 'POST'])).toEqual(once);
  });

  it.each<{ readonly wanted: readonly TagFilter[] }>([
    { wanted: [['method', 'PUT']] },
    { wanted: [['host', 'x']] },
    { wanted: [['constructor', '']] },
    {
      wanted: [
        ['method', 'GET'],
        ['method', 'POST'],
      ],
    },
  ])('finds nothing for $wanted', ({ wanted }) => {
    expect(drilled(requests(), 'http.server.requests', ...wanted)).toBeUndefined();
  });

  it('adds up gauges and omits unknown values', () => {
    const meters = new Meters();
    meters.gauge('memory', {}, () => 3, { area: 'heap' });
    meters.gauge('memory', {}, () => 4, { area: 'rss' });
    meters.gauge('memory', {}, () => NaN, { area: 'external' });
    expect(drilled(meters, 'memory')?.measurements).toEqual([{ statistic: 'VALUE', value: 7 }]);
    expect(drilled(meters, 'memory', ['area', 'external'])).toEqual({
      name: 'memory',
      measurements: [],
      availableTags: [],
    });
  });

  it.each([
    { kind: 'counter', statistics: ['COUNT'] },
    { kind: 'gauge', statistics: ['VALUE'] },
    { kind: 'timer', statistics: ['COUNT', 'TOTAL_TIME', 'MAX'] },
    { kind: 'summary', statistics: ['COUNT', 'TOTAL', 'MAX'] },
    { kind: 'long task timer', statistics: ['ACTIVE_TASKS', 'DURATION', 'MAX'] },
  ])('a $kind has the statistics $statistics', ({ kind, statistics }) => {
    const meters = new Meters();
    meters.counter('counter').of();
    meters.gauge('gauge', {}, () => 1);
    meters.timer('timer').of();
    meters.summary('summary').of();
    meters.longTaskTimer('long task timer').of();
    expect(drilled(meters, kind)?.measurements.map(({ statistic }) => statistic)).toEqual(statistics);
  });
});
