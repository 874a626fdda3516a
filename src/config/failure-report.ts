import type { Problem } from './problem.js';

const BANNER = 'APPLICATION FAILED TO START';

/** The text a failed start prints: every problem with its facts, then what to do about each (configuration.md b.7). */
export function failureReport(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
  const stars = '*'.repeat(BANNER.length);
  return [
    '',
    stars,
    BANNER,
    stars,
    '',
    'Description:',
    '',
    `${count} in the configuration:`,
    '',
    ...problems.flatMap((problem, index) => [...described(problem, index + 1), '']),
    'Action:',
    '',
    ...problems.map(({ action }, index) => `${index + 1}. ${action}`),
    '',
  ].join('\n');
}

function described({ what, facts }: Problem, number: number): string[] {
  const width = Math.max(0, ...facts.map(([label]) => label.length)) + 2;
  return [`${number}. ${what}`, ...facts.map(([label, text]) => `     ${`${label}:`.padEnd(width)}${printable(text)}`)];
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A value cannot forge lines of the report. */
function printable(text: string): string {
  return text.replaceAll(INVISIBLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
