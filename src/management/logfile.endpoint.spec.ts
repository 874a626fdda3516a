import { expect, it } from 'vitest';
import { parseRange } from './logfile.endpoint.js';

it.each([
  ['bytes=0-0', 0, 0],
  ['bytes=2-5', 2, 5],
  ['bytes=9-', 9, 9],
  ['bytes=0-', 0, 9],
  ['bytes=5-500', 5, 9],
  ['bytes=-1', 9, 9],
  ['bytes=-10', 0, 9],
  // RFC 9110 section 14.1.2: all there is.
  ['bytes=-500', 0, 9],
  ['Bytes= 2-5 ', 2, 5],
  ['bytes=0-99999999999999999999999', 0, 9],
])('range %s of 10 bytes is %i to %i', (header, first, last) => {
  expect(parseRange(header, 10)).toEqual({ first, last });
});

it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
  'range %s cannot be satisfied for 10 bytes',
  (header) => {
    expect(parseRange(header, 10)).toBe('beyond');
  },
);

it.each(['bytes=0-', 'bytes=-5'])('range %s cannot be satisfied for an empty file', (header) => {
  expect(parseRange(header, 0)).toBe('beyond');
});

it.each([
  undefined,
  '',
  'bytes=',
  'bytes=-',
  'bytes=5-2',
  'bytes=0-1,4-5',
  'lines=0-1',
  'bytes=a-b',
  'bytes=1-2-3',
  '0-5',
])('range %s is ignored', (header) => {
  expect(parseRange(header, 10)).toBe('whole');
});
