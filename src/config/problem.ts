import { type Origin, originChain } from './read/origin.js';

/** An entry of a report: what is wrong, the facts and the action. It fails startup, or violates a rule. */
export interface Problem {
  /** Description of the problem: one line, without a full stop. */
  readonly what: string;
  /** Facts by label; secrets in them are masked. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  /** The action for the reader. */
  readonly action: string;
}

export function problem(
  what: string,
  action: string,
  facts: Readonly<Record<string, string | undefined>> = {},
): Problem {
  return {
    what,
    action,
    facts: Object.entries(facts).flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const])),
  };
}

/** Formats a problem as one line of a log: the key with its value and origin, what is wrong and the action. */
export function lineOf({ what, facts, action }: Problem): string {
  const { Property: property, Value: value, Origin: origin, ...others } = Object.fromEntries(facts);
  const subject = `${property ?? ''}${value === undefined ? '' : ` = ${value.replace(/^"(.*)"$/s, '$1')}`}`;
  const place = origin === undefined ? '' : ` (${origin})`;
  const alone = property === undefined && origin !== undefined ? { Origin: origin } : {};
  const more = Object.entries({ ...alone, ...others }).map(([label, text]) => `; ${label}: ${text}`);
  return `${property === undefined ? '' : `${subject}${place}: `}${what}${more.join('')}. ${action}`;
}

/** The origin fact of a problem. */
export function from(origin: Origin | undefined): string | undefined {
  return origin && originChain(origin);
}

/** All problems of one startup; the report is the whole message, and the stack is not shown. */
export class ConfigurationFailure extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ what }) => what).join('; '));
    this.name = 'ConfigurationFailure';
  }
}

/** The failure of reading a file with invalid text; `reason` must not quote the text, which may contain a secret. */
export function unreadable(origin: Origin, reason: string): ConfigurationFailure {
  return new ConfigurationFailure([
    problem('A configuration file cannot be read', 'Correct the file at the position given.', {
      Origin: from(origin),
      Reason: reason,
    }),
  ]);
}

/** Why a text cannot become a value; the reason reads after "Reason:" in a report and never repeats the text itself. */
export class ConversionProblem {
  constructor(readonly reason: string) {}
}
