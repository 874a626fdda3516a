import type { HttpRequest } from '../web/http-request.js';

/** `Host` of loopback addresses, which browsers trust without https. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** True for a host, with or without a port, for which browsers keep Secure cookies over http. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * True if the browser of a request drops Secure cookies. Browsers send `Sec-Fetch-Site` only to addresses that they trust:
 * with that header, a proxy has terminated TLS without forwarding the scheme.
 */
export function isPlainHttp({ protocol, host, headers }: Pick<HttpRequest, 'protocol' | 'host' | 'headers'>): boolean {
  return protocol === 'http' && headers['sec-fetch-site'] === undefined && !isLoopbackHost(host);
}
