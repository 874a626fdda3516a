import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { accentColors } from './accent-color.js';
import { contrast, type Rgb } from './contrast.js';

describe('the colours derived from the accent colour', () => {
  it('are readable for every accent colour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const colors = accentColors(`#${value.toString(16).padStart(6, '0')}`);

        expect(contrastOf(colors.accent, colors.onAccent)).toBeGreaterThanOrEqual(4.5);
        for (const light of ['#ffffff', '#f3f4f6']) {
          expect(contrastOf(colors.onLight, light)).toBeGreaterThanOrEqual(4.5);
        }
        for (const dark of ['#14181d', '#20252c']) {
          expect(contrastOf(colors.onDark, dark)).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });

  it('are the colour itself where it is readable', () => {
    expect(accentColors('#2456C7')).toMatchObject({ accent: '#2456c7', onAccent: '#ffffff', onLight: '#2456c7' });
    expect(accentColors('#ffd400')).toMatchObject({ accent: '#ffd400', onAccent: '#000000', onDark: '#ffd400' });
  });

  it.each([
    ['#ffffff', '#000000', 21],
    ['#777777', '#ffffff', 4.48],
    ['#2456c7', '#2456c7', 1],
  ])('the contrast of %s and %s is %d', (one, other, ratio) => {
    expect(contrastOf(one, other)).toBeCloseTo(ratio, 2);
  });
});

function contrastOf(one: string, other: string): number {
  return contrast(rgbOf(one), rgbOf(other));
}

function rgbOf(color: string): Rgb {
  const part = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}
