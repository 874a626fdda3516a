import { type ScalarType, text } from '../config/key-type.js';

/** What a listener binds to: a host name, IPv4, or IPv6 (two colons at least; `host:port` would bind nowhere). */
export const address: ScalarType<string> = text({
  form: /^(?:(?=.*[a-z])[\w.-]+|\d{1,3}(?:\.\d{1,3}){3}|(?=(?:[^:]*:){2})[\da-f:.]+(?:%[\w.-]+)?)$/i,
  called: 'a host name or an IP address without a port',
});

/** The address a person on this machine can open: wildcards are no such address. */
export function reachable(bound: string | undefined): string {
  if (bound === undefined || bound === '0.0.0.0' || /^[0:]+$/.test(bound)) return 'localhost';
  return bound.includes(':') ? `[${bound}]` : bound;
}
