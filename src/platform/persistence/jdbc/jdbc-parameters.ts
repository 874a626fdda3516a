import { ConversionProblem } from '../../../config/problem.js';

/** Protection of the connection to a database server, weakest first. */
export type TlsMode = 'off' | 'encrypted' | 'verify-ca' | 'verify-identity';

/** The parameters of a JDBC URL. */
export interface ServerParameters {
  readonly username?: string;
  readonly password?: string;
  readonly tls: TlsMode;
  /** True if a parameter of the URL sets `tls`. */
  readonly statesTls?: boolean;
  /** Value of `connectionTimeZone`, or of its older name `serverTimezone`. */
  readonly timeZone?: string;
  /** The zone as `Z`, `local` or an offset such as `+09:00`; absent if the zone has several offsets. */
  readonly utcOffset?: string;
  readonly connectTimeoutMillis?: number;
  readonly socketTimeoutMillis?: number;
  readonly allowsPublicKeyRetrieval?: boolean;
  /** Sentences for the operator about parameters that are unknown, without effect or in the wrong place. */
  readonly notes: readonly string[];
}

type Draft = { -readonly [K in keyof Omit<ServerParameters, 'notes'>]: ServerParameters[K] } & {
  readonly notes: string[];
};

/** Stores one value in the draft, or returns why it is invalid. */
type Reader = (draft: Draft, value: string) => ConversionProblem | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['user', credential('username', 'parameter user')],
  ['password', credential('password', 'parameter password')],
  ['usessl', tls],
  ['sslmode', tls],
  ['servertimezone', timeZone],
  ['connectiontimezone', timeZone],
  ['characterencoding', encoding],
  ['connecttimeout', milliseconds('connectTimeoutMillis')],
  ['sockettimeout', milliseconds('socketTimeoutMillis')],
  ['allowpublickeyretrieval', publicKeyRetrieval],
]);

const NEWER_NAMES = new Set(['sslmode', 'connectiontimezone']);

/** Parses `name=value&…`; names are case-insensitive, and the newer of two names takes precedence in any order. */
export function readParameters(query: string | undefined): ServerParameters | ConversionProblem {
  const draft: Draft = { tls: 'off', notes: [] };
  const pairs = parsePairs(query).toSorted(([a], [b]) => newness(a) - newness(b));
  for (const [name, value] of pairs) {
    const read = READERS.get(name.toLowerCase());
    if (!read) {
      draft.notes.push(withoutEffect(name));
      continue;
    }
    const mismatch = read(draft, value);
    if (mismatch) return new ConversionProblem(`parameter ${name}: ${mismatch.reason}`);
  }
  return draft;
}

export function parsePairs(query = ''): readonly (readonly [name: string, value: string])[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone `%` is literal, as in the JDBC drivers.
    return text;
  }
}

export function withoutEffect(name: string): string {
  return `The parameter ${name} is unknown and has no effect.`;
}

export function belongsToKey(part: string, key: string): string {
  return `The ${part} of the URL belongs to app.datasource.${key}, which takes precedence if it is set.`;
}

function newness(name: string): number {
  return NEWER_NAMES.has(name.toLowerCase()) ? 1 : 0;
}

function credential(key: 'username' | 'password', part: string): Reader {
  return (draft, value) => {
    draft[key] = value;
    draft.notes.push(belongsToKey(part, key));
    return undefined;
  };
}

/** Values of `sslMode` of both JDBC drivers, and `true` and `false` of `useSSL`. */
const TLS_MODES: ReadonlyMap<string, TlsMode> = new Map<string, TlsMode>([
  ['false', 'off'],
  ['disable', 'off'],
  ['disabled', 'off'],
  ['preferred', 'off'],
  ['true', 'encrypted'],
  ['trust', 'encrypted'],
  ['required', 'encrypted'],
  ['verify-ca', 'verify-ca'],
  ['verify-identity', 'verify-identity'],
  ['verify-full', 'verify-identity'],
]);

function tls(draft: Draft, value: string): ConversionProblem | undefined {
  const name = value.toLowerCase().replaceAll('_', '-');
  const mode = TLS_MODES.get(name);
  if (!mode) return new ConversionProblem('write DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY');
  if (name === 'preferred') {
    draft.notes.push(
      'sslMode=PREFERRED connects without TLS: the driver cannot fall back, so say REQUIRED or DISABLED.',
    );
  }
  draft.tls = mode;
  draft.statesTls = true;
  return undefined;
}

function timeZone(draft: Draft, value: string): ConversionProblem | undefined {
  const offset = utcOffset(value);
  if (offset instanceof ConversionProblem) return offset;
  draft.timeZone = value;
  delete draft.utcOffset;
  if (offset !== undefined) draft.utcOffset = offset;
  else draft.notes.push(`The zone ${value} has no single offset from UTC: date columns are read and written in UTC.`);
  return undefined;
}

const JANUARY_AND_JULY = [Date.UTC(2026, 0), Date.UTC(2026, 6)];

/** Returns `Z`, `local`, or the offset of a zone without daylight saving; undefined for other zones and for `SERVER`. */
export function utcOffset(zone: string): string | undefined | ConversionProblem {
  if (/^[+-]\d\d:\d\d$/.test(zone)) return zone;
  if (zone.toUpperCase() === 'LOCAL') return 'local';
  if (zone.toUpperCase() === 'SERVER') return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const [winter, summer] = JANUARY_AND_JULY.map((instant) =>
      format
        .formatToParts(instant)
        .find(({ type }) => type === 'timeZoneName')
        ?.value.slice('GMT'.length),
    );
    if (winter === undefined || winter !== summer) return undefined;
    return /^(?:\+00:00)?$/.test(winter) ? 'Z' : winter;
  } catch (error) {
    if (error instanceof RangeError) return new ConversionProblem('not a time zone');
    throw error;
  }
}

function encoding(draft: Draft, value: string): undefined {
  if (!/^utf-?8(?:mb4)?$/i.test(value)) draft.notes.push('characterEncoding has no effect: text travels as UTF-8.');
}

function milliseconds(limit: 'connectTimeoutMillis' | 'socketTimeoutMillis'): Reader {
  return (draft, value) => {
    if (!/^\d{1,9}$/.test(value)) return new ConversionProblem('write a whole number of milliseconds');
    draft[limit] = Number(value);
    return undefined;
  };
}

function publicKeyRetrieval(draft: Draft, value: string): ConversionProblem | undefined {
  if (!/^(?:true|false)$/i.test(value)) return new ConversionProblem('write true or false');
  draft.allowsPublicKeyRetrieval = value.toLowerCase() === 'true';
  return undefined;
}
