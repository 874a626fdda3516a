import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { ErrorPageOptions } from '../route-options.decorator.js';
import { requiredLoginOf } from './http-error.js';

/**
 * Path at which a visitor of a page signs in, or a user proves the second factor again, to return to the page;
 * undefined for other errors, methods and routes.
 */
export function authenticationPageOf(
  error: ServiceError,
  request: FastifyRequest,
  contextPath: string,
): string | undefined {
  const {
    backTo,
    redirectsVisitors = false,
    redirectsForms = false,
    stepUpAt,
  } = request.lifecycle?.routeOptions.errorPages ?? {};
  if (redirectsForms && backTo !== undefined && request.method === 'POST' && error.code === 'INVALID_TOKEN') {
    const target = targetIn(request.body);
    return `${contextPath}${backTo}?ended=true${target === undefined ? '' : `&return_to=${encodeURIComponent(target)}`}`;
  }
  const path = { INVALID_TOKEN: redirectsVisitors ? backTo : undefined, STEP_UP_REQUIRED: stepUpAt }[
    error.code as string
  ];
  if (path === undefined || request.method !== 'GET') return undefined;
  return contextPath + withReturnTo(path, contextPath + request.url, error);
}

/** Errors of a page after which the sign-in returns to it. */
const RETURNS: ReadonlySet<ErrorCode> = new Set(['INVALID_TOKEN', 'MFA_REQUIRED']);

/**
 * Path of the link on an error page, without the context path: the sign-in, or the proof of the second factor. The link keeps the
 * target of the request. Without one, it returns to the page, or after a form to the page of the form, if the route names that page.
 */
export function signInPathOf(
  error: ServiceError,
  { backTo, stepUpAt = backTo, secondStepAt = backTo, formPage }: ErrorPageOptions,
  request: FastifyRequest,
  contextPath: string,
): string {
  const path = { STEP_UP_REQUIRED: stepUpAt, MFA_REQUIRED: secondStepAt }[error.code as string] ?? backTo;
  const isPage = request.method !== 'POST';
  const own = isPage && RETURNS.has(error.code) ? contextPath + request.url : undefined;
  const ofForm = formPage === undefined || isPage ? undefined : contextPath + filled(formPage, request.params);
  const target = targetIn(isPage ? request.query : request.body) ?? own ?? ofForm;
  return target === undefined ? path : withReturnTo(path, target, error);
}

/** Counts how often a browser has sent a form again by itself; browsers follow 20 redirects. */
const REPEATS = /^[0-7]$/;

/**
 * The address of the same request, relative to it, for a 307 after which the browser sends its form again; undefined after
 * some times.
 */
export function repeatedAt({ originalUrl }: FastifyRequest): string | undefined {
  const query = originalUrl.indexOf('?');
  const parameters = new URLSearchParams(query < 0 ? '' : originalUrl.slice(query));
  const repeats = parameters.get('attempt') ?? '0';
  if (!REPEATS.test(repeats)) return undefined;
  parameters.set('attempt', String(Number(repeats) + 1));
  return `?${parameters.toString()}`;
}

/** Adds the return path, and the only accepted factor if the error requires one. */
function withReturnTo(path: string, returnTo: string, error: ServiceError): string {
  const method = requiredLoginOf(error)?.method;
  const required = method === 'otp' || method === 'passkey' ? `&required=${method}` : '';
  return `${path}?return_to=${encodeURIComponent(returnTo)}${required}`;
}

/** The target that a query or a form names; the page that reads it verifies it. */
function targetIn(values: unknown): string | undefined {
  const { return_to: target } = (values ?? {}) as { readonly return_to?: unknown };
  return typeof target === 'string' ? target : undefined;
}

/** The path of a template, with the parameters of a request. */
function filled(template: string, params: unknown): string {
  const values = params as Readonly<Record<string, string | undefined>>;
  return template.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
