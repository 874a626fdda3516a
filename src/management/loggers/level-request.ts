import { Duration } from '../../config/bind/duration.js';
import { Mismatch } from '../../config/bind/mismatch.js';
import type { FieldError } from '../../errors/service-error.js';
import { type Level, levelOf } from '../../logging/level.js';
import type { Scalar } from '../dispatch/operation.js';

/** What a request sets (management API, "loggers"). */
export interface LevelRequest {
  readonly level: Level | undefined;
  readonly forMillis: number | undefined;
}

const LONGEST_MILLIS = 24 * 3_600_000;
const NAME = /^[\w.\-/]{1,200}$/;
/** No name of a logger, and what programs that read our answers may stumble over. */
const PROTOTYPE = /(?:^|[./])__proto__(?:[./]|$)/;

/** Whether a logger may be made by that name. */
export function isLoggerName(name: string): boolean {
  return NAME.test(name) && !PROTOTYPE.test(name);
}

/** What a body asks for, or what is wrong with it. Unknown members are ignored: consoles send their own. */
export function levelRequest(body: Readonly<Record<string, Scalar>>): LevelRequest | readonly FieldError[] {
  const { configuredLevel = null, duration = null } = body;
  const level = levelIn(configuredLevel);
  const forMillis = millisIn(duration);
  const errors = [
    ...(level instanceof Fault ? [{ field: 'configuredLevel', code: level.code }] : []),
    ...(forMillis instanceof Fault ? [{ field: 'duration', code: forMillis.code }] : []),
  ];
  if (errors.length > 0 || level instanceof Fault || forMillis instanceof Fault) return errors;
  return { level, forMillis };
}

class Fault {
  constructor(readonly code: string) {}
}

function levelIn(value: Scalar): Level | undefined | Fault {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'string') return new Fault('type');
  return levelOf(value) ?? new Fault('unknown');
}

function millisIn(value: Scalar): number | undefined | Fault {
  if (value === null) return undefined;
  if (typeof value !== 'string') return new Fault('type');
  // Of what, a number alone does not say.
  const parsed = /^[\d+-]*$/.test(value) ? undefined : Duration.parse(value.trim());
  if (parsed === undefined || parsed instanceof Mismatch) return new Fault('format');
  const { milliseconds } = parsed;
  return milliseconds > 0 && milliseconds <= LONGEST_MILLIS ? milliseconds : new Fault('range');
}
