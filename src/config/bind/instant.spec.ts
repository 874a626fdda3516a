import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../problem.js';
import { instant } from './instant.js';

describe('an instant', () => {
  it.each([
    ['2027-03-01', '2027-03-01T00:00:00.000Z'],
    ['2027-03-01T08:00', '2027-03-01T08:00:00.000Z'],
    ['2027-03-01T08:00:00+09:00', '2027-02-28T23:00:00.000Z'],
    [' 2027-03-01T08:00:00.5Z ', '2027-03-01T08:00:00.500Z'],
  ])('%j is %s', (text, expected) => {
    expect(instant().format(instant().parse(text) as number)).toBe(expected);
  });

  it.each([
    'soon',
    '2027-02-29',
    '2027-02-31T08:00',
    '01.03.2027',
    '2027-03-01 08:00',
    '1800000000',
    '2027-03-01T25:00',
  ])('%j is rejected', (text) => {
    expect(instant().parse(text)).toEqual(new ConversionProblem('not a date or a time'));
  });
});
