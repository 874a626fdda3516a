import type { IncomingHttpHeaders } from 'node:http';
import { originOf } from '../../kernel/encoding/origin.js';
import { type RequestTarget, requestTarget } from './request-target.js';

/** The headers in which a proxy describes a request: `X-Forwarded-*`, or `X-Original-*` of nginx. */
export const REQUEST_HEADERS = ['forwarded', 'original'] as const;
export type RequestHeaders = (typeof REQUEST_HEADERS)[number];

/** A request to an application, as its proxy describes it. */
export interface ProxiedRequest {
  readonly origin: string;
  readonly target: RequestTarget;
  readonly method: string;
}

const METHOD = /^[A-Z]{1,32}$/;
const ORIGINAL_URL = /^(https?:\/\/[^/?#]+)([/?].*)?$/i;

/**
 * Reads the headers of one form; the others are not read. `origin` follows from `X-Forwarded-Proto` and `-Host`. Undefined if the
 * description is incomplete or ambiguous: a header that arrives twice has a blank between its values.
 */
export function proxiedRequest(
  headers: IncomingHttpHeaders,
  form: RequestHeaders,
  origin: string,
): ProxiedRequest | undefined {
  const { url, method } = form === 'original' ? originalOf(headers) : forwardedOf(headers, origin);
  const target = requestTarget(url?.uri ?? '');
  return url && target && METHOD.test(method) ? { origin: url.origin, target, method } : undefined;
}

interface Description {
  readonly url: { readonly origin: string; readonly uri: string } | undefined;
  readonly method: string;
}

function forwardedOf(headers: IncomingHttpHeaders, origin: string): Description {
  return { url: { origin, uri: single(headers['x-forwarded-uri']) }, method: single(headers['x-forwarded-method']) };
}

function originalOf(headers: IncomingHttpHeaders): Description {
  const [, written = '', uri = '/'] = ORIGINAL_URL.exec(single(headers['x-original-url'])) ?? [];
  const origin = originOf(written);
  return { url: origin === undefined ? undefined : { origin, uri }, method: single(headers['x-original-method']) };
}

function single(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** True if a browser shows the response as a page; a script could not follow a redirect to the sign-in page. */
export function isNavigation({ method }: ProxiedRequest, headers: IncomingHttpHeaders): boolean {
  const { accept = '', 'sec-fetch-mode': mode = 'navigate', 'x-requested-with': requestedWith } = headers;
  if (method !== 'GET' && method !== 'HEAD') return false;
  return mode === 'navigate' && requestedWith === undefined && /\btext\/html\b/i.test(accept);
}
