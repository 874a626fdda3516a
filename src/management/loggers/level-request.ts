import { Duration } from '../../config/bind/duration.js';
import { ConversionProblem } from '../../config/problem.js';
import type { FieldError } from '../../kernel/errors/service-error.js';
import { type Level, levelOf } from '../../observability/logging/level.js';
import type { Scalar } from '../dispatch/operation.js';

/** The parameters of a change (management API, "loggers"). */
export interface LevelRequest {
  readonly level: Level | undefined;
  readonly forMillis: number | undefined;
}

const MAX_DURATION_MILLIS = 24 * 3_600_000;
const NAME = /^[\w.\-/]{1,200}$/;
/** Rejected, because it could pollute prototypes in programs that read the response. */
const PROTOTYPE = /(?:^|[./])__proto__(?:[./]|$)/;

/** True if a logger of this name may be created. */
export function isLoggerName(name: string): boolean {
  return NAME.test(name) && !PROTOTYPE.test(name);
}

/** Parses a body into a change or its errors. Unknown members are ignored, because consoles send their own. */
export function parseLevelRequest(body: Readonly<Record<string, Scalar>>): LevelRequest | readonly FieldError[] {
  const { configuredLevel = null, duration = null } = body;
  const level = parseLevel(configuredLevel);
  const forMillis = parseDuration(duration);
  const errors = [
    ...(level instanceof FieldRejection ? [{ field: 'configuredLevel', code: level.code }] : []),
    ...(forMillis instanceof FieldRejection ? [{ field: 'duration', code: forMillis.code }] : []),
  ];
  if (errors.length > 0 || level instanceof FieldRejection || forMillis instanceof FieldRejection) return errors;
  return { level, forMillis };
}

class FieldRejection {
  constructor(readonly code: string) {}
}

function parseLevel(value: Scalar): Level | undefined | FieldRejection {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'string') return new FieldRejection('type');
  return levelOf(value) ?? new FieldRejection('unknown');
}

function parseDuration(value: Scalar): number | undefined | FieldRejection {
  if (value === null) return undefined;
  if (typeof value !== 'string') return new FieldRejection('type');
  // A number without a unit is ambiguous.
  const parsed = /^[\d+-]*$/.test(value) ? undefined : Duration.parse(value.trim());
  if (parsed === undefined || parsed instanceof ConversionProblem) return new FieldRejection('format');
  const { milliseconds } = parsed;
  return milliseconds > 0 && milliseconds <= MAX_DURATION_MILLIS ? milliseconds : new FieldRejection('range');
}
