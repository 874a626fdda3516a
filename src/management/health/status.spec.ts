import { describe, expect, it } from 'vitest';
import { DEFAULT_HTTP_MAPPING, DEFAULT_ORDER, httpStatusOf, worstOf } from './status.js';

const rules = { order: DEFAULT_ORDER, httpMapping: DEFAULT_HTTP_MAPPING };

describe('the worst of several statuses', () => {
  it.each([
    [['UP', 'DOWN', 'OUT_OF_SERVICE'], 'DOWN'],
    [['UP', 'OUT_OF_SERVICE', 'UNKNOWN'], 'OUT_OF_SERVICE'],
    [['UNKNOWN', 'UP'], 'UP'],
    [['UNKNOWN'], 'UNKNOWN'],
    [['FATAL', 'UP'], 'UP'],
    [['FATAL'], 'UNKNOWN'],
    [[], 'UNKNOWN'],
  ])('the worst of %j is %s', (statuses, worst) => {
    expect(worstOf(statuses, rules)).toBe(worst);
  });

  it('follows a configured order regardless of case and punctuation', () => {
    const order = ['fatal', 'out-of-service', 'up'];

    expect(worstOf(['UP', 'OUT_OF_SERVICE', 'DOWN'], { ...rules, order })).toBe('OUT_OF_SERVICE');
    expect(worstOf(['UP', 'FATAL'], { ...rules, order })).toBe('FATAL');
    expect(worstOf(['DOWN'], { ...rules, order })).toBe('UNKNOWN');
  });
});

describe('the HTTP status of a health status', () => {
  it.each([
    ['UP', 200],
    ['UNKNOWN', 200],
    ['FATAL', 200],
    ['DOWN', 503],
    ['OUT_OF_SERVICE', 503],
  ])('the HTTP status of %s is %i', (status, http) => {
    expect(httpStatusOf(status, rules)).toBe(http);
  });

  it('follows a configured mapping that replaces the default', () => {
    const httpMapping = new Map([
      ['down', 500],
      ['out-of-service', 418],
    ]);

    expect(httpStatusOf('DOWN', { ...rules, httpMapping })).toBe(500);
    expect(httpStatusOf('OUT_OF_SERVICE', { ...rules, httpMapping })).toBe(418);
    expect(httpStatusOf('DOWN', { ...rules, httpMapping: new Map([['FATAL', 503]]) })).toBe(200);
  });
});
