import { expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { JSON_TYPES, negotiate } from './negotiation.js';

const PLAIN = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

it.each([
  ['application/openmetrics-text; version=1.0.0', OPEN_METRICS],
  ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4', OPEN_METRICS],
  ['application/openmetrics-text;version=2.0.0,*/*;q=0.1', PLAIN],
  ['text/plain;charset="utf-8"', PLAIN],
  ['text/plain;version=1.0.0', undefined],
  ['TEXT/Plain', PLAIN],
])('negotiation compares parameters of a media type except charset: %s', (accept, chosen) => {
  expect(negotiate(accept, [PLAIN, OPEN_METRICS])).toBe(chosen);
});

it.each([
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,' +
      'application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,' +
      'text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    OPEN_METRICS,
  ],
  ['text/plain;version=0.0.4;escaping=values;q=0.5', PLAIN],
  ['text/plain;version=1.0.0;escaping=allow-utf-8', undefined],
  ['text/plain;profile="a, b;c";version=0.0.4', PLAIN],
])('C3: a parameter that a media type does not have is ignored: %s', (accept, chosen) => {
  expect(negotiate(accept, [PLAIN, OPEN_METRICS])).toBe(chosen);
});

it.each(['application/json;odata=verbose', 'application/json; odata=verbose; q=0.9', 'application/json;a="b,c"'])(
  'C3: JSON is sent for %s',
  (accept) => {
    expect(negotiate(accept, JSON_TYPES)).toBe('application/json');
  },
);

const [V3 = '', V2 = '', JSON_TYPE = ''] = JSON_TYPES;

it.each([
  ['application/json', JSON_TYPE],
  [`${JSON_TYPE}, ${V3}`, V3],
  [`${JSON_TYPE}, ${V2}`, V2],
  [`${JSON_TYPE}, */*`, V3],
  ['application/json, text/plain, */*', V3],
  ['application/json, text/plain;q=0.9, */*;q=0.8', JSON_TYPE],
  [`${V2};q=0.5, ${JSON_TYPE};q=0.5`, V2],
  [`${V3};q=0.1, ${JSON_TYPE};q=0.2`, JSON_TYPE],
  [`${V3};q=0, */*`, V2],
  [`*/*, ${V3};q=0.5`, V2],
  [`application/*;q=0.7, ${V2};q=0.9`, V2],
  [`${JSON_TYPE};q=1.0, ${V3};Q=1`, V3],
  ['text/html', undefined],
  [`${JSON_TYPE};q=0`, undefined],
])('M3: negotiation selects by weight, then by our order: %s', (accept, chosen) => {
  expect(negotiate(accept, JSON_TYPES)).toBe(chosen);
});

it('M3: negotiation selects by weight, then by our order, between text types', () => {
  expect(negotiate('application/openmetrics-text;version=1.0.0, text/plain;version=0.0.4', [PLAIN, OPEN_METRICS])).toBe(
    PLAIN,
  );
  expect(
    negotiate('application/openmetrics-text;version=1.0.0;q=0.5, text/plain;version=0.0.4;q=0.4', [
      PLAIN,
      OPEN_METRICS,
    ]),
  ).toBe(OPEN_METRICS);
  expect(negotiate('text/plain, application/json', [...JSON_TYPES, 'text/plain'])).toBe(JSON_TYPE);
});

// An expression once searched for a range from each letter to the end, which took hours.
it('H6: negotiation rejects one endless word', () => {
  expect(negotiate('a'.repeat(4_000_000), JSON_TYPES)).toBe(JSON_TYPES[0]);
});

/** A little less than the maximum length of a request head. */
const LONG = 16_000;

// A search for the end of an open quote from each escaped quote took a third of a second for one of them.
it('C3: negotiation of a hundred Accept headers with open quotes takes little time', () => {
  const units = [
    String.raw`\"`,
    String.raw`"\ `.trim(),
    '"',
    ';q=',
    ';charset="',
    ';version="',
    '; ',
    ';"',
    '="',
    ',"',
  ];
  const begins = ['a/b', 'a/b;x="', 'text/plain;version="', 'a/b;charset="', 'a/b; '];
  const headers = begins.flatMap((begin) => units.map((unit) => begin + unit.repeat(LONG / unit.length)));

  // Processor time excludes that of other programs on the machine.
  const before = process.cpuUsage();
  for (const accept of [...headers, ...headers]) negotiate(accept, [PLAIN, OPEN_METRICS]);

  expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
});

it('C3: a comma behind an open quote separates no ranges', () => {
  expect(negotiate('a/b;x="text/html, text/plain', [PLAIN])).toBeUndefined();
});

it('negotiation returns an offered type or none for any Accept header', () => {
  const part = fc.constantFrom(
    'application',
    'json',
    '*',
    '/',
    ';',
    'q',
    '=',
    '0',
    '.5',
    ',',
    ' ',
    '"',
    '+',
    '\\',
    'x',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part).map((parts) => parts.join('')),
      ),
      (accept) => {
        expect([...JSON_TYPES, undefined]).toContain(negotiate(accept, JSON_TYPES));
      },
    ),
  );
});
