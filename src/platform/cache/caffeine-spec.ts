import { Duration } from '../../config/bind/duration.js';

/** The limits of a cache in the process; a limit that is left out does not apply. */
export interface CaffeineSpec {
  readonly maximumSize?: number;
  readonly initialCapacity?: number;
  /** Milliseconds. */
  readonly expireAfterWrite?: number;
  /** Milliseconds. */
  readonly expireAfterAccess?: number;
  /** Whether hits, misses, puts and evictions are counted. */
  readonly recordStats?: true;
}

/** Why a text is not a specification, and what to write instead. */
export interface SpecFault {
  readonly reason: string;
  readonly action: string;
}

/** Words of Caffeine that have no counterpart here, each with its reason and the remedy. */
const REJECTED: ReadonlyMap<string, SpecFault> = new Map([
  [
    'maximumWeight',
    {
      reason: 'maximumWeight needs a weigher, which Caffeine takes from code only',
      action: 'Limit the number of entries with maximumSize=<number> instead of maximumWeight.',
    },
  ],
  [
    'refreshAfterWrite',
    {
      reason:
        'refreshAfterWrite returns an outdated value while it reads a new one, and these caches bound the age of a value',
      action: 'Limit the age of entries with expireAfterWrite=<duration> instead of refreshAfterWrite.',
    },
  ],
  [
    'weakKeys',
    {
      reason: 'weakKeys compares keys by identity, and the keys of these caches are texts',
      action: 'Remove weakKeys; maximumSize=<number> bounds the memory.',
    },
  ],
  [
    'weakValues',
    {
      reason: 'weakValues would drop every entry at the next garbage collection, since only the cache holds its values',
      action: 'Remove weakValues; maximumSize=<number> bounds the memory.',
    },
  ],
  [
    'softValues',
    {
      reason: 'softValues needs references that the garbage collector clears when memory is low, and Node.js has none',
      action: 'Remove softValues; maximumSize=<number> bounds the memory.',
    },
  ],
]);

const WORDS = ['maximumSize', 'initialCapacity', 'expireAfterWrite', 'expireAfterAccess', 'recordStats'] as const;
type Word = (typeof WORDS)[number];

const USE = `Use ${WORDS.join(', ')}, separated by commas, such as maximumSize=1000,expireAfterWrite=10m.`;
const INT_MAX = 2 ** 31 - 1;

/** Reads the grammar of Caffeine's `CaffeineSpec.parse`: options between commas, blanks around them are ignored. */
export function parseCaffeineSpec(text: string): CaffeineSpec | SpecFault {
  const found: Partial<Record<Word, number | true>> = {};
  for (const option of text.split(',').map((part) => part.trim())) {
    if (option === '') continue;
    const [word = '', value, ...others] = option.split('=').map((part) => part.trim());
    if (others.length > 0) return { reason: `"${option}" has more than one equals sign`, action: USE };
    const rejected = REJECTED.get(word);
    if (rejected) return rejected;
    if (!isWord(word)) return { reason: `"${word}" is not a word of a cache specification`, action: USE };
    if (found[word] !== undefined) return { reason: `${word} is set twice`, action: `Write ${word} once.` };
    const read = valueOf(word, value);
    if (typeof read === 'object') return read;
    found[word] = read;
  }
  return found as CaffeineSpec;
}

function isWord(word: string): word is Word {
  return (WORDS as readonly string[]).includes(word);
}

function valueOf(word: Word, value: string | undefined): number | true | SpecFault {
  if (word === 'recordStats') {
    return value === undefined ? true : { reason: 'recordStats takes no value', action: 'Write recordStats alone.' };
  }
  const action = word.startsWith('expire')
    ? `Write ${word}=<duration>: a whole number and one of d, h, m, s, such as 10m, or ISO 8601, such as PT10M.`
    : `Write ${word}=<number>, a whole number that is not negative.`;
  if (value === undefined || value === '') return { reason: `${word} has no value`, action };
  const read = word.startsWith('expire') ? durationOf(value) : numberOf(value, word);
  return read ?? { reason: `"${value}" is not a value of ${word}`, action };
}

function numberOf(value: string, word: Word): number | undefined {
  if (!/^\+?\d+$/.test(value)) return undefined;
  const number = Number(value);
  return number <= (word === 'initialCapacity' ? INT_MAX : Number.MAX_SAFE_INTEGER) ? number : undefined;
}

/** Milliseconds; Caffeine knows no simple form for parts of a second. */
function durationOf(value: string): number | undefined {
  const isIso = /p/i.test(value);
  if (!isIso && !/^\+?\d+[dhms]$/i.test(value)) return undefined;
  const parsed = Duration.parse(value);
  return parsed instanceof Duration && parsed.milliseconds >= 0 ? parsed.milliseconds : undefined;
}
