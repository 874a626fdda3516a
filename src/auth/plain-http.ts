import type { HttpRequest } from '../web/http-request.js';

/** `Host` of addresses that browsers trust without https: they name the machine of the browser itself. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** True for a host, with or without a port, for which browsers keep Secure cookies over http. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * True if the browser of a request drops Secure cookies. Browsers send `Sec-Fetch-Site` to addresses that they trust alone, so
 * with it a proxy has ended TLS and does not say so.
 */
export function isPlainHttp({ protocol, host, headers }: Pick<HttpRequest, 'protocol' | 'host' | 'headers'>): boolean {
  return protocol === 'http' && headers['sec-fetch-site'] === undefined && !isLoopbackHost(host);
}
