import { Duration } from '../../config/bind/duration.js';

/** The limits of a cache in the process; a limit that is left out does not apply. */
export interface CaffeineSpec {
  readonly maximumSize?: number;
  readonly initialCapacity?: number;
  /** Duration in milliseconds. */
  readonly expireAfterWrite?: number;
  /** Duration in milliseconds. */
  readonly expireAfterAccess?: number;
  /** Set if hits, misses, puts and evictions are counted. */
  readonly recordStats?: true;
}

/** Reason why a text is not a specification, and the action to take. */
export interface SpecProblem {
  readonly reason: string;
  readonly action: string;
}

/** Options of Caffeine that have no counterpart here, each with its reason and the remedy. */
const REJECTED: ReadonlyMap<string, SpecProblem> = new Map([
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

const OPTIONS = ['maximumSize', 'initialCapacity', 'expireAfterWrite', 'expireAfterAccess', 'recordStats'] as const;
type Option = (typeof OPTIONS)[number];

const USE = `Use ${OPTIONS.join(', ')}, separated by commas, such as maximumSize=1000,expireAfterWrite=10m.`;
const INT_MAX = 2 ** 31 - 1;

/** Reads the grammar of Caffeine's `CaffeineSpec.parse`: options between commas, blanks around them are ignored. */
export function parseCaffeineSpec(text: string): CaffeineSpec | SpecProblem {
  const found: Partial<Record<Option, number | true>> = {};
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [name = '', value, ...others] = entry.split('=').map((part) => part.trim());
    if (others.length > 0) return { reason: `"${entry}" has more than one equals sign`, action: USE };
    const rejected = REJECTED.get(name);
    if (rejected) return rejected;
    if (!isOption(name)) return { reason: `"${name}" is not an option of a cache specification`, action: USE };
    if (found[name] !== undefined) return { reason: `${name} is set twice`, action: `Write ${name} once.` };
    const read = valueOf(name, value);
    if (typeof read === 'object') return read;
    found[name] = read;
  }
  return found as CaffeineSpec;
}

function isOption(name: string): name is Option {
  return (OPTIONS as readonly string[]).includes(name);
}

function valueOf(name: Option, value: string | undefined): number | true | SpecProblem {
  if (name === 'recordStats') {
    return value === undefined ? true : { reason: 'recordStats takes no value', action: 'Write recordStats alone.' };
  }
  const action = name.startsWith('expire')
    ? `Write ${name}=<duration>: a whole number and one of d, h, m, s, such as 10m, or ISO 8601, such as PT10M.`
    : `Write ${name}=<number>, a whole number that is not negative.`;
  if (value === undefined || value === '') return { reason: `${name} has no value`, action };
  const read = name.startsWith('expire') ? durationOf(value) : numberOf(value, name);
  return read ?? { reason: `"${value}" is not a value of ${name}`, action };
}

function numberOf(value: string, name: Option): number | undefined {
  if (!/^\+?\d+$/.test(value)) return undefined;
  const number = Number(value);
  return number <= (name === 'initialCapacity' ? INT_MAX : Number.MAX_SAFE_INTEGER) ? number : undefined;
}

/** Duration in milliseconds; Caffeine has no simple format for parts of a second. */
function durationOf(value: string): number | undefined {
  const isIso = /p/i.test(value);
  if (!isIso && !/^\+?\d+[dhms]$/i.test(value)) return undefined;
  const parsed = Duration.parse(value);
  return parsed instanceof Duration && parsed.milliseconds >= 0 ? parsed.milliseconds : undefined;
}
