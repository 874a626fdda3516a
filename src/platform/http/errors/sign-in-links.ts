import type { FastifyRequest } from 'fastify';
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
    return `${contextPath}${backTo}?ended=true${returnToOf(request.body)}`;
  }
  const path = { INVALID_TOKEN: redirectsVisitors ? backTo : undefined, STEP_UP_REQUIRED: stepUpAt }[
    error.code as string
  ];
  if (path === undefined || request.method !== 'GET') return undefined;
  return contextPath + withReturnTo(path, contextPath + request.url, error);
}

/**
 * Path of the link on an error page, without the context path: the sign-in, or the proof of the second factor. After a
 * form, the link returns to the page of the form, if the route names that page.
 */
export function signInPathOf(
  error: ServiceError,
  { backTo, stepUpAt = backTo, formPage }: ErrorPageOptions,
  request: FastifyRequest,
  contextPath: string,
): string {
  const path = error.code === 'STEP_UP_REQUIRED' ? stepUpAt : backTo;
  if (formPage === undefined || request.method === 'GET') return path;
  return withReturnTo(path, contextPath + filled(formPage, request.params), error);
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

/** The parameter of the query with the target of a form; the page that reads it verifies it. */
function returnToOf(body: unknown): string {
  const { return_to: target } = (body ?? {}) as { readonly return_to?: unknown };
  return typeof target === 'string' ? `&return_to=${encodeURIComponent(target)}` : '';
}

/** The path of a template, with the parameters of a request. */
function filled(template: string, params: unknown): string {
  const values = params as Readonly<Record<string, string | undefined>>;
  return template.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
