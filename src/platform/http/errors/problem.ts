import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { HttpException } from '@nestjs/common';
import { type ErrorCode, STATUS } from '../../../kernel/errors/error-code.js';
import { TEXT } from '../../../kernel/errors/error-text.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { challengeOf, httpFactsOf, requiredLoginOf } from './http-error.js';
import type { ServerErrorProperties } from '../server.properties.js';

export const PROBLEM_JSON = 'application/problem+json';

/** Value of `Retry-After` if the error does not state one. */
const DEFAULT_WAIT = 1;
const ASKS_TO_WAIT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['MFA_LOCKED', 'RATE_LIMITED', 'UNAVAILABLE']);

/** The request that failed, and when. */
export interface ProblemContext {
  /** Path without query; undefined if the request has none or could not be read. */
  readonly instance?: string | undefined;
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly millis: number;
}

/** Body of an error (RFC 9457, http-api section 1). */
export function problemBody(
  error: unknown,
  place: ProblemContext,
  shown: ServerErrorProperties,
  status: number = STATUS[serviceErrorOf(error).code],
): string {
  const known = serviceErrorOf(error);
  const { code, facts } = known;
  const { title, advice } = TEXT[code];
  return JSON.stringify({
    type: `urn:login:error:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    instance: place.instance,
    code,
    timestamp: new Date(place.millis).toISOString(),
    request_id: place.requestId,
    detail: shown.includeMessage === 'always' ? advice : undefined,
    errors: code === 'VALIDATION_FAILED' ? (facts.errors ?? []) : undefined,
    required: requiredLoginOf(known)?.method,
    trace: shown.includeStacktrace === 'always' ? traceOf(error) : undefined,
  });
}

/** Whole seconds until another attempt can succeed; undefined if waiting does not help. */
export function retryAfterSeconds({ code, facts }: ServiceError): number | undefined {
  const wait = facts.retryAfterSeconds ?? (ASKS_TO_WAIT.has(code) ? DEFAULT_WAIT : undefined);
  return wait === undefined ? undefined : Math.max(1, Math.ceil(wait));
}

/** Headers of an error response. */
export function problemHeaders(error: ServiceError): Readonly<Record<string, string | string[]>> {
  const wait = retryAfterSeconds(error);
  const challenge = challengeOf(error);
  return withoutUndefined({
    'retry-after': wait === undefined ? undefined : String(wait),
    'www-authenticate': typeof challenge === 'object' ? [...challenge] : challenge,
    allow: httpFactsOf(error).allow,
  });
}

/** The path of a package, or of a file of the service: a build has a folder below `builds`, to which `dist` is a link. */
const FOLDERS = /(?:file:\/\/)?\/[^\s()]*\/(?:(node_modules)|dist|builds\/[^\s()/]+)\//g;

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'INVALID_TOKEN',
  403: 'ACCESS_DENIED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  413: 'PAYLOAD_TOO_LARGE',
  // Status for a path parameter that is longer than any valid one.
  414: 'NOT_FOUND',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
};

/** The public error for an exception: a `ServiceError`, a rejection by a framework, or else `INTERNAL_ERROR`. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const status = error instanceof HttpException ? error.getStatus() : statusOfFastify(error);
  const code = CODE_OF_STATUS[status] ?? (status >= 400 && status < 500 ? 'VALIDATION_FAILED' : 'INTERNAL_ERROR');
  return new ServiceError(code, { cause: error });
}

/**
 * Classifies an error for operators: each `defect` of the service, and occasionally a `failure` that affects every
 * request while it lasts. Undefined for all other errors.
 */
export function failureKindOf(error: unknown): 'defect' | 'failure' | undefined {
  const { code, facts } = serviceErrorOf(error);
  if (STATUS[code] < 500) return undefined;
  if (code !== 'UNAVAILABLE') return 'defect';
  // Overload has no cause and is counted elsewhere.
  return facts.cause === undefined || facts.isReported === true ? undefined : 'failure';
}

/** The status of an error of Fastify; 500 for other errors, even if they have a status, as those of libraries do. */
function statusOfFastify(error: unknown): number {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return 500;
  const { code, statusCode } = error;
  return typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number' ? statusCode : 500;
}

/** The stack of an error without its message, which may state the reason, and with relative paths. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join('\n').replaceAll(FOLDERS, (_, packages?: string) => `${packages ?? 'dist'}/`);
}
