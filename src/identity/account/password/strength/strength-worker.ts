import { setPriority } from 'node:os';
import { platform } from 'node:process';
import { isMainThread, workerData } from 'node:worker_threads';
import { type DictionaryMatch, type MatchExtended, ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';

/** Why a password is easy to guess, by its longest part that is not random. */
export type GuessableReason =
  'repeated' | 'sequence' | 'keyboard_pattern' | 'date' | 'personal' | 'like_common' | 'common_words' | 'too_guessable';

/** Input of the worker thread: a password in its compatibility form, and the words of its user and of the service. */
export interface StrengthTask {
  readonly password: string;
  readonly words: readonly string[];
}

export interface Strength {
  /** True if the password is one of the most common, in lower case. */
  readonly isCommon: boolean;
  /** 0 to 4; each step stands for about a hundred times as many guesses, and 3 for at least 10^8. */
  readonly score: number;
  readonly reason: GuessableReason;
}

/** By the pattern of zxcvbn; its regular expressions find years. */
const REASONS: Readonly<Record<string, GuessableReason>> = {
  repeat: 'repeated',
  sequence: 'sequence',
  wordSequence: 'sequence',
  spatial: 'keyboard_pattern',
  date: 'date',
  regex: 'date',
};
/** Characters that are estimated: the time grows with their cube, and what follows makes a password only stronger. */
const MAX_LENGTH = 64;
/** Substitutions such as `@` for `a` that are tried; the time grows with their number. */
const MAX_SUBSTITUTIONS = 8;
const THIS_THREAD = 0;
const LOW_PRIORITY = 10;

// As the workers that hash passwords do: only Linux has thread priorities.
if (platform === 'linux' && !isMainThread) setPriority(THIS_THREAD, LOW_PRIORITY);

const { korean } = workerData as { readonly korean: string[] };
const mostCommon = new Set(common['passwords-common']);
const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, ...english, 'passwords-ko': korean },
  graphs: adjacencyGraphs,
  l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
  maxLength: MAX_LENGTH,
});

/**
 * Estimates how many guesses find a password (zxcvbn, USENIX Security 2016). It imports no file of this project, so that
 * it starts from the source and from the build.
 * @public the pool calls it by its name
 */
export function estimate({ password, words }: StrengthTask): Strength {
  const { score, sequence } = zxcvbn.check(password.slice(0, MAX_LENGTH), [...words]);
  return { isCommon: mostCommon.has(password.toLowerCase()), score, reason: reasonOf(sequence) };
}

/** The longest part of a password that is not random; words of the user come first, since other users may use theirs. */
function reasonOf(sequence: readonly MatchExtended[]): GuessableReason {
  if (sequence.some((match) => isDictionaryMatch(match) && match.dictionaryName === 'userInputs')) return 'personal';
  const [longest] = sequence
    .filter(({ pattern }) => pattern !== 'bruteforce' && pattern !== 'separator')
    .toSorted((one, other) => other.token.length - one.token.length);
  if (longest === undefined) return 'too_guessable';
  if (isDictionaryMatch(longest))
    return longest.dictionaryName.startsWith('passwords') ? 'like_common' : 'common_words';
  return REASONS[longest.pattern] ?? 'too_guessable';
}

function isDictionaryMatch(match: MatchExtended): match is DictionaryMatch {
  return match.pattern === 'dictionary';
}
