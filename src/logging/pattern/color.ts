import type { LineLevel } from '../level.js';

const CODES = {
  faint: 2,
  black: 30,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  white: 37,
  bright_black: 90,
  bright_red: 91,
  bright_green: 92,
  bright_yellow: 93,
  bright_blue: 94,
  bright_magenta: 95,
  bright_cyan: 96,
  bright_white: 97,
} as const;

export type Color = keyof typeof CODES;
export const COLORS = Object.keys(CODES) as readonly Color[];

/** Where a pattern names none. */
export const COLOR_OF_LEVEL: Readonly<Record<LineLevel, Color>> = {
  ERROR: 'red',
  WARN: 'yellow',
  INFO: 'green',
  DEBUG: 'green',
  TRACE: 'green',
};

/** For terminals (ECMA-48, "Select graphic rendition"). */
export function colored(text: string, color: Color): string {
  return `\u001b[${CODES[color]}m${text}\u001b[0;39m`;
}
