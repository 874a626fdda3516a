import { CharsetRejection, charsetOf } from '../../kernel/encoding/charset.js';
import { DataSize } from './data-size.js';
import { Duration, type DurationUnit } from './duration.js';
import { ConversionProblem } from '../problem.js';

/** The type that a key is bound to, for the compiler only; the member does not exist at run time. */
export interface Bound<T> {
  readonly bound?: T;
}

/** Converts one text, and describes the valid texts for operators. */
export interface ScalarType<T> extends Bound<T> {
  readonly shape: 'scalar';
  /** Name in documentation, e.g. `duration`. */
  readonly name: string;
  /** Description of valid values, which follows "Set the key to". */
  readonly expects: string;
  /** Unit of a bare number, e.g. `ms`. */
  readonly unit?: string;
  /**
   * True if an empty text means the default, false if it is a value or an error. If omitted, an empty text does not set a key
   * without a default, and is a value or an error for every other key (docs/decisions/0096).
   */
  readonly emptyMeansDefault?: boolean;
  parse(text: string): T | ConversionProblem;
  format(value: T): string;
}

/** Comma text or an indexed sequence; one source supplies the whole list (configuration-sources.md, "Key names"). */
export interface ListType<E> extends Bound<readonly E[]> {
  readonly shape: 'list';
  readonly name: string;
  readonly element: ScalarType<E>;
  /** Elements of all sources together instead of the highest source alone: `app.profiles.include` only. */
  readonly addsUp: boolean;
}

/** Free keys below the name, merged over sources key by key; the rest of a key, dots included, is the map key. */
export interface MapType<V> extends Bound<ReadonlyMap<string, V>> {
  readonly shape: 'map';
  readonly name: string;
  readonly element: ScalarType<unknown> | ListType<unknown>;
  /** Name of the free part in documents, e.g. `logger`. */
  readonly keyedBy: string;
}

/** Named objects below the name: `<name>.<key of the class>`. */
export interface ObjectsType<T extends object> extends Bound<ReadonlyMap<string, T>> {
  readonly shape: 'objects';
  readonly name: string;
  readonly of: new () => T;
  readonly keyedBy: string;
}

export type KeyType = ScalarType<unknown> | ListType<unknown> | MapType<unknown> | ObjectsType<object>;

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** A text; `matching` limits it to one form, described by `called`. */
export function text(matching?: { readonly form: RegExp; readonly called: string }): ScalarType<string> {
  return {
    shape: 'scalar',
    name: 'text',
    expects: matching?.called ?? 'a text',
    parse: (value) =>
      !matching || matching.form.test(value) ? value : new ConversionProblem(`not ${matching.called}`),
    format: (value) => value,
  };
}

/** The name of a character set that is compatible with ASCII. */
export const charsetName: ScalarType<string> = {
  ...text(),
  name: 'character set',
  expects: 'the name of a character set that is compatible with ASCII, such as UTF-8, ISO-8859-1 or EUC-KR',
  parse: (value) => {
    const known = charsetOf(value);
    return known instanceof CharsetRejection ? new ConversionProblem(known.reason) : value;
  },
};

/** The type of a key whose absence would weaken protection: an empty text does not mean that it is not set. */
export function neverUnset<T>(type: ScalarType<T>): ScalarType<T> {
  return { ...type, emptyMeansDefault: false };
}

/** Removes the brackets of an IPv6 address such as `[2001:db8::1]`; any other text is unchanged. */
export function withoutBrackets(value: string): string {
  return value.replace(/^\[([\da-f:.]+(?:%[\w.-]+)?)\]$/i, '$1');
}

/** A host name or an IP address, IPv6 with or without brackets. A port has a key of its own. */
export function hostName(): ScalarType<string> {
  const host = text({
    form: /^(?:[^\s/:[\]]+|(?=(?:[^:]*:){2})[\da-f:.]+(?:%[\w.-]+)?)$/i,
    called: 'a host name or an IP address without a port',
  });
  return { ...host, parse: (value) => host.parse(withoutBrackets(value)) };
}

/** A whole number in decimal digits. */
export function integer(range: Range = {}): ScalarType<number> {
  return {
    shape: 'scalar',
    name: 'integer',
    emptyMeansDefault: true,
    expects: `a whole number${rangeText(range, String)}`,
    parse: (value) => {
      const trimmed = value.trim();
      if (/^[+-]?0\d+$/.test(trimmed)) {
        return new ConversionProblem('a leading zero means octal to some YAML readers: write the number without it');
      }
      if (!/^[+-]?\d+$/.test(trimmed)) return new ConversionProblem('not a whole number');
      const number = Number(trimmed);
      if (!Number.isSafeInteger(number)) return new ConversionProblem('the number is too large');
      return withinRange(number, range, String) ?? (number === 0 ? 0 : number);
    },
    format: String,
  };
}

const TRUE = new Set(['true', 'on', 'yes', '1']);
const FALSE = new Set(['false', 'off', 'no', '0']);

export function flag(): ScalarType<boolean> {
  return {
    shape: 'scalar',
    name: 'boolean',
    emptyMeansDefault: true,
    expects: 'true or false (on/off, yes/no, 1/0)',
    parse: (value) => {
      const name = value.trim().toLowerCase();
      if (TRUE.has(name)) return true;
      return FALSE.has(name) ? false : new ConversionProblem('not a boolean');
    },
    format: String,
  };
}

/** The type of a key with a closed list of values; case, `-` and `_` are ignored. */
export function oneOf<const C extends string>(...choices: readonly C[]): ScalarType<C> {
  const byPlain = new Map(choices.map((choice) => [plain(choice), choice]));
  return {
    shape: 'scalar',
    name: 'choice',
    emptyMeansDefault: true,
    expects: `one of ${choices.join(', ')}`,
    parse: (value) => byPlain.get(plain(value.trim())) ?? new ConversionProblem('not one of the allowed values'),
    format: (value) => value,
  };
}

function plain(choice: string): string {
  return choice.replaceAll(/[-_]/g, '').toLowerCase();
}

/** A duration; a bare number is in `unit`. Limits are written as durations: `{ min: '1s' }`. */
export function duration(
  options: { readonly unit?: DurationUnit; readonly min?: string; readonly max?: string } = {},
): ScalarType<Duration> {
  const { unit = 'ms' } = options;
  const range = { ...bound('min', options.min), ...bound('max', options.max) };
  const show = (milliseconds: number): string => Duration.ofMillis(milliseconds).toString();
  return {
    shape: 'scalar',
    name: 'duration',
    emptyMeansDefault: true,
    unit,
    expects: `a duration such as 20s, 500ms or PT20S${rangeText(range, show)}; a bare number is in ${unit}`,
    parse: (value) => {
      const parsed = Duration.parse(value.trim(), unit);
      if (parsed instanceof ConversionProblem) return parsed;
      return withinRange(parsed.milliseconds, range, show) ?? parsed;
    },
    format: (value) => value.toString(),
  };
}

function bound(name: 'min' | 'max', limit: string | undefined): Range {
  if (limit === undefined) return {};
  const parsed = Duration.parse(limit);
  if (parsed instanceof ConversionProblem) throw new TypeError(`${limit} is not a duration`);
  return { [name]: parsed.milliseconds };
}

/** A data size; if -1 is the minimum, it means no limit. */
export function dataSize(range: Range = { min: 0 }): ScalarType<DataSize> {
  const show = (bytes: number): string => (bytes === -1 ? '-1' : DataSize.ofBytes(bytes).toString());
  const limits = range.min === -1 ? ', or -1 for no limit' : rangeText(range, show);
  return {
    shape: 'scalar',
    name: 'data size',
    emptyMeansDefault: true,
    unit: 'B',
    expects: `a data size such as 512KB or 50MB${limits}; a bare number is in bytes`,
    parse: (value) => {
      const parsed = DataSize.parse(value.trim());
      if (parsed instanceof ConversionProblem) return parsed;
      return withinRange(parsed.bytes, range, show) ?? parsed;
    },
    format: (value) => value.toString(),
  };
}

/** An IANA time zone such as `Europe/Berlin`, or `UTC`. */
export function timeZone(): ScalarType<string> {
  return {
    shape: 'scalar',
    name: 'time zone',
    expects: 'an IANA time zone such as UTC or Europe/Berlin',
    parse: (value) => {
      // The first formatter costs a noticeable part of a start.
      if (value === 'UTC') return value;
      try {
        new Intl.DateTimeFormat('en', { timeZone: value });
        return value;
      } catch {
        return new ConversionProblem('the time zone is unknown');
      }
    },
    format: (value) => value,
  };
}

/** A time zone that the process can run in; the value is its name as the runtime writes it, which `TZ` needs. */
export function zoneOfProcess(): ScalarType<string> {
  const zone = timeZone();
  return {
    ...zone,
    parse: (value) => {
      // POSIX: a colon before a name.
      const found = zone.parse(value.replace(/^:/, ''));
      if (found instanceof ConversionProblem || found === 'UTC') return found;
      if (/^[+-]/.test(found)) {
        return new ConversionProblem(
          'the process needs the name of a zone, such as Etc/GMT-9 for nine hours ahead of UTC',
        );
      }
      return new Intl.DateTimeFormat('en', { timeZone: found }).resolvedOptions().timeZone;
    },
  };
}

export function list<T>(element: ScalarType<T>, options: { readonly addsUp?: boolean } = {}): ListType<T> {
  return { shape: 'list', name: `list of ${element.name}`, element, addsUp: options.addsUp ?? false };
}

export function map<V>(element: ScalarType<V>, keyedBy: string): MapType<V> {
  return { shape: 'map', name: `map of ${element.name}`, element, keyedBy };
}

export function mapOfLists<E>(element: ScalarType<E>, keyedBy: string): MapType<readonly E[]> {
  return { shape: 'map', name: `map of lists of ${element.name}`, element: list(element), keyedBy };
}

export function objects<T extends object>(of: new () => T, keyedBy: string): ObjectsType<T> {
  return { shape: 'objects', name: 'named objects', of, keyedBy };
}

function rangeText({ min, max }: Range, show: (value: number) => string): string {
  if (min !== undefined && max !== undefined) return ` from ${show(min)} to ${show(max)}`;
  if (min !== undefined) return `, at least ${show(min)}`;
  return max === undefined ? '' : `, at most ${show(max)}`;
}

function withinRange(amount: number, { min, max }: Range, show: (value: number) => string): ConversionProblem | null {
  if (min !== undefined && amount < min) return new ConversionProblem(`must be at least ${show(min)}`);
  if (max !== undefined && amount > max) return new ConversionProblem(`must be at most ${show(max)}`);
  return null;
}
