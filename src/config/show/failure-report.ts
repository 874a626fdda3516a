import type { Problem } from '../problem.js';

const BANNER = 'APPLICATION FAILED TO START';
/** Limit of a report that an operator can still read. */
const MAX_PROBLEMS = 100;

/** The report of a failed startup: every problem with its facts, then an action for each. */
export function failureReport(all: readonly Problem[], banner = BANNER): string {
  const problems = all.slice(0, MAX_PROBLEMS);
  const more = all.length > problems.length ? `, of which the first ${problems.length} follow` : '';
  const count = all.length === 1 ? 'One problem' : `${all.length} problems${more}`;
  const stars = '*'.repeat(banner.length);
  return [
    '',
    stars,
    banner,
    stars,
    '',
    'Description:',
    '',
    `${count}:`,
    '',
    ...problems.flatMap((problem, index) => [...describe(problem, index + 1), '']),
    'Action:',
    '',
    ...problems.map(({ action }, index) => `${index + 1}. ${printable(action)}`),
    '',
  ].join('\n');
}

function describe({ what, facts }: Problem, number: number): string[] {
  const width = Math.max(0, ...facts.map(([label]) => label.length)) + 2;
  return [
    `${number}. ${printable(what)}`,
    ...facts.map(([label, text]) => `     ${`${label}:`.padEnd(width)}${printable(text)}`),
  ];
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes invisible characters and line breaks, so that no value or name can forge a line. */
export function printable(text: string): string {
  return text.replaceAll(INVISIBLE, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
