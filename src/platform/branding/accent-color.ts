import { contrast, type Rgb } from './contrast.js';

/** Colours derived from the accent colour, each readable where it is used. */
export interface AccentColors {
  /** Background of buttons. */
  readonly accent: string;
  /** Text on `accent`. */
  readonly onAccent: string;
  /** Links and outlines on a light background. */
  readonly onLight: string;
  /** Links and outlines on a dark background. */
  readonly onDark: string;
}

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The lightest and darkest backgrounds of pages that links stand on. */
const LIGHT: Rgb = [243, 244, 246];
const DARK: Rgb = [32, 37, 44];
/** Contrast of text (WCAG 2.2, success criterion 1.4.3). */
const MIN_CONTRAST = 4.5;
const STEPS = 50;

/** Derives readable colours from a colour such as `#2456c7`. */
export function accentColors(color: string): AccentColors {
  const accent = rgbOf(color);
  return {
    accent: hexOf(accent),
    onAccent: hexOf(contrast(accent, WHITE) >= MIN_CONTRAST ? WHITE : BLACK),
    onLight: hexOf(readableOn(LIGHT, accent, BLACK)),
    onDark: hexOf(readableOn(DARK, accent, WHITE)),
  };
}

/** Mixes a colour with another until it is readable on a background; the other one always is. */
function readableOn(background: Rgb, color: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, towards, step / STEPS);
    if (contrast(mixed, background) >= MIN_CONTRAST) return mixed;
  }
  return towards;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2): number => Math.round(one[at] + (other[at] - one[at]) * share);
  return [part(0), part(1), part(2)];
}

function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
}

function hexOf(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
