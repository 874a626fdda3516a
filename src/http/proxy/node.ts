import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** An address with or without a port, IPv6 in brackets; a port may be hidden behind a name (RFC 7239 section 6). */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-f:.]+)\])(?::(?:\d{1,5}|_[\w.-]+))?$/i;
/** What stands for an address that is not told. */
const HIDDEN = /^(?:unknown|_[\w.-]+)(?::(?:\d{1,5}|_[\w.-]+))?$/i;
const MAPPED = /^::ffff:(?=\d+\.)/;

/**
 * The IP address of one entry of `X-Forwarded-For`, or of one node of `Forwarded`: without its port, and always in the
 * same spelling, so that no caller has two identities. Undefined where the entry is no address.
 */
export function addressOf(entry: string): string | undefined {
  const [, v4, v6 = entry] = WITH_PORT.exec(entry) ?? [];
  if (v4 !== undefined) return isIPv4(v4) ? v4 : undefined;
  if (!isIPv6(v6) || v6.includes('%')) return undefined;
  return new SocketAddress({ address: v6, family: 'ipv6' }).address.replace(MAPPED, '');
}

/** True for what `for` and `by` of `Forwarded` may hold (RFC 7239 section 6). */
export function isNode(text: string): boolean {
  return HIDDEN.test(text) || (WITH_PORT.test(text) && addressOf(text) !== undefined);
}
