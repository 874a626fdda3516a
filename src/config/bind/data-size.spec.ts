import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { DataSize } from './data-size.js';
import { ConversionProblem } from '../problem.js';

function bytes(text: string): number | string {
  const parsed = DataSize.parse(text);
  return parsed instanceof ConversionProblem ? parsed.reason : parsed.bytes;
}

function sizeOf(text: string): DataSize {
  const parsed = DataSize.parse(text);
  if (parsed instanceof ConversionProblem) throw new TypeError(`${text}: ${parsed.reason}`);
  return parsed;
}

describe('a data size', () => {
  it.each([
    ['10', 10],
    ['10B', 10],
    ['10KB', 10_240],
    ['10MB', 10_485_760],
    ['2GB', 2_147_483_648],
    ['1TB', 1_099_511_627_776],
    ['+10', 10],
    ['-1', -1],
    ['-0', 0],
    ['0MB', 0],
  ])('is read from %s', (text, expected) => {
    expect(bytes(text)).toBe(expected);
  });

  it.each(['', '10 MB', '1.5GB', '0.5MB', '1,5GB', '10MB5KB', 'MB', '10MBit', '10MiB', '1e6', '0x10', 'ten', '1_000'])(
    'is not read from "%s"',
    (text) => {
      expect(bytes(text)).toMatch(/^not a data size/);
    },
  );

  it.each(['50mb', '50Mb', '50mB', '1gb', '5kb', '5b', '5k', '5M'])(
    'says that the unit of %s is not in capitals',
    (text) => {
      expect(bytes(text)).toMatch(/^the unit is written KB, MB, GB or TB/);
    },
  );

  it.each(['9007199254740992', '9999999TB', '-9999999TB', `${'9'.repeat(400)}B`])(
    'is rejected if it is too large: %s',
    (text) => {
      expect(bytes(text)).toBe('the size is too large');
    },
  );

  it('is shown in the largest unit without a fraction', () => {
    expect(['1024', '1536', '3145728', '0', '1025', '-1'].map((text) => sizeOf(text).toString())).toEqual([
      '1KB',
      '1536B',
      '3MB',
      '0B',
      '1025B',
      '-1B',
    ]);
    expect(JSON.stringify(DataSize.ofBytes(1024))).toBe('"1KB"');
  });

  it('is shown in a form that is parsed as the same size', () => {
    const size = fc.tuple(fc.integer({ min: -4000, max: 4000 }), fc.constantFrom('', 'B', 'KB', 'MB', 'GB', 'TB'));
    fc.assert(
      fc.property(size, ([amount, unit]) => {
        const parsed = sizeOf(`${amount}${unit}`);

        expect(sizeOf(parsed.toString())).toEqual(parsed);
      }),
    );
  });
});
