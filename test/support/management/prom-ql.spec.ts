import { expect, it } from 'vitest';
import { selectorsOf } from './prom-ql.js';

it.each([
  ['up', [{ name: 'up', labels: [] }]],
  ['up{job="a b", x!~"{}"} == 0', [{ name: 'up', labels: ['job', 'x'] }]],
  ['sum by (job, le) (rate(a_total{b="c"}[$__rate_interval]))', [{ name: 'a_total', labels: ['b'] }]],
  [
    '1 - a / on (x) group_left (y) b offset 1h > 0.5 and count without (z) (c)',
    [
      { name: 'a', labels: [] },
      { name: 'b', labels: [] },
      { name: 'c', labels: [] },
    ],
  ],
  ['topk(10, sum(a) by (x)) or vector(0)', [{ name: 'a', labels: [] }]],
])('selectorsOf %s returns %j', (query, selectors) => {
  expect(selectorsOf(query)).toEqual(selectors);
});

it('selectorsOf throws for unknown syntax', () => {
  expect(() => selectorsOf('a §§ b"')).toThrow('cannot read');
});
