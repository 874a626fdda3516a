import { describe, expect, it } from 'vitest';
import { parseCaffeineSpec } from './caffeine-spec.js';

const WORDS =
  'Use maximumSize, initialCapacity, expireAfterWrite, expireAfterAccess, recordStats, separated by commas, such as';

describe('the limits of a cache in the process', () => {
  it('an empty text sets none', () => {
    expect(parseCaffeineSpec('')).toEqual({});
  });

  it('reads every option, with blanks around commas and equal signs and with empty options, as Caffeine does', () => {
    const text = ' maximumSize = 1000 ,, initialCapacity=16,expireAfterWrite=10m,expireAfterAccess=30S,recordStats,';

    expect(parseCaffeineSpec(text)).toEqual({
      maximumSize: 1000,
      initialCapacity: 16,
      expireAfterWrite: 600_000,
      expireAfterAccess: 30_000,
      recordStats: true,
    });
  });

  it.each([
    ['2d', 172_800_000],
    ['1H', 3_600_000],
    ['0s', 0],
    ['PT10M', 600_000],
    ['pt0.5s', 500],
  ])('reads the duration %s', (duration, expireAfterWrite) => {
    expect(parseCaffeineSpec(`expireAfterWrite=${duration}`)).toEqual({ expireAfterWrite });
  });

  it.each([
    ['maximumSize=1,maximumSize=2', 'maximumSize is set twice'],
    ['expireAfterWrite=1s,expireAfterWrite=1s', 'expireAfterWrite is set twice'],
    ['recordStats,recordStats', 'recordStats is set twice'],
    ['recordStats=true', 'recordStats takes no value'],
    ['maximumSize', 'maximumSize has no value'],
    ['maximumSize=', 'maximumSize has no value'],
    ['maximumSize=1=2', '"maximumSize=1=2" has more than one equals sign'],
    ['maximumSize=-1', '"-1" is not a value of maximumSize'],
    ['maximumSize=1e3', '"1e3" is not a value of maximumSize'],
    ['initialCapacity=2147483648', '"2147483648" is not a value of initialCapacity'],
    ['expireAfterWrite=10', '"10" is not a value of expireAfterWrite'],
    ['expireAfterWrite=500ms', '"500ms" is not a value of expireAfterWrite'],
    ['expireAfterAccess=-5s', '"-5s" is not a value of expireAfterAccess'],
    ['expireAfterAccess=PT-5S', '"PT-5S" is not a value of expireAfterAccess'],
    ['expireAfterWrite=1h30m', '"1h30m" is not a value of expireAfterWrite'],
  ])('rejects %s', (text, reason) => {
    expect(parseCaffeineSpec(text)).toMatchObject({ reason });
  });

  it.each(['maximumWeight=10', 'refreshAfterWrite=1m', 'weakKeys', 'weakValues', 'softValues'])(
    'rejects %s with a reason and a remedy of its own, although Caffeine knows it',
    (option) => {
      const [name = ''] = option.split('=');
      const problem = parseCaffeineSpec(`maximumSize=10,${option}`);

      expect(problem).toMatchObject({ reason: expect.stringMatching(new RegExp(`^${name} `)) as string });
      expect(problem).toMatchObject({ action: expect.stringContaining(name) as string });
    },
  );

  it.each(['size=10', 'MAXIMUMSIZE=10', 'maximumsize=10'])('rejects %s with the list of words', (option) => {
    const [name = ''] = option.split('=');

    expect(parseCaffeineSpec(option)).toEqual({
      reason: `"${name}" is not an option of a cache specification`,
      action: `${WORDS} maximumSize=1000,expireAfterWrite=10m.`,
    });
  });
});
