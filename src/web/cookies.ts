import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpRequest } from './http-request.js';

/** Attributes of a cookie; there is no Domain, so a cookie never leaves the host that set it. */
export interface CookieAttributes {
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'strict' | 'lax' | 'none';
  readonly path: string;
  /** Seconds; without it the cookie ends with the browser. */
  readonly maxAge?: number;
}

/** Cookies of a request by name. */
export type CookieValues = Readonly<Record<string, string | undefined>>;

/** What a controller may do to its answer beside giving the body. */
export interface Reply {
  /** What the request came with. */
  readonly cookies: CookieValues;
  setCookie(name: string, value: string, attributes: CookieAttributes): void;
  /** Takes the attributes the cookie was set with: a browser clears only what has the same path. */
  clearCookie(name: string, attributes: CookieAttributes): void;
  /** Sends the browser on by GET (RFC 9110 section 15.4.4); the handler answers no body. */
  seeOther(url: string): void;
  /** In place of a header that a decorator of the route gives. */
  setHeader(name: string, value: string): void;
}

/**
 * Cookies of a request. Of two with one name the first counts: browsers send the one with the longer path first
 * (RFC 6265 section 5.4), and another service on this host may use the same name on a shorter one.
 */
export function cookiesOf(request: HttpRequest): CookieValues {
  const { headers, server } = request as FastifyRequest;
  return headers.cookie === undefined ? {} : server.parseCookie(headers.cookie);
}

/** Parameter: the cookies of the request. */
export const Cookies = createParamDecorator((_data: unknown, context: ExecutionContext): CookieValues =>
  cookiesOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Parameter: the answer, a `Reply`. */
export const Answer = createParamDecorator((_data: unknown, context: ExecutionContext): Reply => {
  const reply = context.switchToHttp().getResponse<FastifyReply>();
  return {
    cookies: cookiesOf(reply.request),
    setCookie: (name, value, attributes) => void reply.setCookie(name, value, { ...attributes }),
    clearCookie: (name, attributes) => void reply.clearCookie(name, { ...attributes, maxAge: 0 }),
    seeOther: (url) => void reply.status(303).header('location', url),
    setHeader: (name, value) => void reply.header(name, value),
  };
});
