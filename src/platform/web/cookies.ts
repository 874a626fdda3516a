import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpRequest } from './http-request.js';

/** Attributes of a cookie; there is no Domain, so a cookie never leaves the host that set it. */
export interface CookieAttributes {
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'strict' | 'lax' | 'none';
  readonly path: string;
  /** Lifetime in seconds; without it, the cookie ends with the browser. */
  readonly maxAge?: number;
}

/** Values of the cookies of a request by name. */
export type CookieValues = Readonly<Record<string, string | undefined>>;

/** The part of a response that a controller may change, besides the body that it returns. */
export interface Reply {
  /** Cookies of the request. */
  readonly cookies: CookieValues;
  /** `http` or `https`, as the browser sees it. */
  readonly protocol: string;
  setCookie(name: string, value: string, attributes: CookieAttributes): void;
  /** Clears a cookie; a browser clears only a cookie with the same path. */
  clearCookie(name: string, attributes: CookieAttributes): void;
  /** Redirects the browser by GET (RFC 9110 section 15.4.4); the handler then returns no body. */
  seeOther(url: string): void;
  /** Replaces the status of a response with a body. */
  setStatus(status: number): void;
  /** Overrides a header that a decorator of the route sets. */
  setHeader(name: string, value: string): void;
}

/** Values that `readAs` has chosen for a request, in place of those in its header. */
const chosen = new WeakMap<HttpRequest, Record<string, string | undefined>>();

/**
 * Cookies of a request. Unless `readAs` has chosen another one, the first of two cookies with the same name wins: browsers send
 * the one with the longer path first (RFC 6265 section 5.4), and another service on this host may use the same name on a
 * shorter one.
 */
export function cookiesOf(request: HttpRequest): CookieValues {
  const { headers, server } = request as FastifyRequest;
  return headers.cookie === undefined ? {} : { ...server.parseCookie(headers.cookie), ...chosen.get(request) };
}

/** Maximum number of values of one name; a browser has several if a service on a parent domain uses the same name. */
const MAX_VALUES = 4;

/** The distinct values of a cookie in the order in which they were sent, at most `limit`. */
export function cookieValues(request: HttpRequest, name: string, limit = MAX_VALUES): readonly string[] {
  const { headers, server } = request as FastifyRequest;
  const assignment = `${name}=`;
  if (!headers.cookie?.includes(assignment)) return [];
  const values = new Set<string>();
  for (const pair of headers.cookie.split(';')) {
    if (values.size >= limit) break;
    if (pair.trimStart().startsWith(assignment)) values.add(server.parseCookie(pair)[name] ?? '');
  }
  return [...values];
}

/** Sets the value of a cookie for the rest of the request; undefined removes it. */
export function readAs(request: HttpRequest, name: string, value: string | undefined): void {
  chosen.set(request, { ...chosen.get(request), [name]: value });
}

/** Parameter: the cookies of the request. */
export const Cookies = createParamDecorator((_data: unknown, context: ExecutionContext): CookieValues =>
  cookiesOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The response to a request. */
export function replyOf(context: ExecutionContext): Reply {
  const reply = context.switchToHttp().getResponse<FastifyReply>();
  return {
    cookies: cookiesOf(reply.request),
    protocol: reply.request.protocol,
    setCookie: (name, value, attributes) => void reply.setCookie(name, value, { ...attributes }),
    clearCookie: (name, attributes) => void reply.clearCookie(name, { ...attributes, maxAge: 0 }),
    seeOther: (url) => void reply.status(303).header('location', url),
    setStatus: (status) => void reply.status(status),
    setHeader: (name, value) => void reply.header(name, value),
  };
}

/** Parameter: the response, a `Reply`. It takes the place of Nest's `@Res`, whose value belongs to the HTTP framework. */
export const Res = createParamDecorator((_data: unknown, context: ExecutionContext): Reply => replyOf(context));
