import { isIPv4, isIPv6, SocketAddress, BlockList, isIP } from 'node:net';

/** An address with or without a port, IPv6 in brackets; a port may be hidden behind a name (RFC 7239 section 6). */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-f:.]+)\])(?::(?:\d{1,5}|_[\w.-]+))?$/i;
/** Placeholders for an unknown or hidden address. */
const HIDDEN = /^(?:unknown|_[\w.-]+)(?::(?:\d{1,5}|_[\w.-]+))?$/i;
const MAPPED = /^::ffff:(?=\d+\.)/;

/**
 * The IP address of an entry of `X-Forwarded-For` or a node of `Forwarded`, without port and in one spelling, so that
 * no caller has two identities. Undefined if the entry is not an address.
 */
export function addressOf(entry: string): string | undefined {
  const [, v4, v6 = entry] = WITH_PORT.exec(entry) ?? [];
  if (v4 !== undefined) return isIPv4(v4) ? v4 : undefined;
  if (!isIPv6(v6) || v6.includes('%')) return undefined;
  return new SocketAddress({ address: v6, family: 'ipv6' }).address.replace(MAPPED, '');
}

/** True for a valid value of `for` and `by` of `Forwarded` (RFC 7239 section 6). */
export function isNode(text: string): boolean {
  return HIDDEN.test(text) || (WITH_PORT.test(text) && addressOf(text) !== undefined);
}

/** Private networks: loopback, link-local, and those of RFC 1918, 4193 and 6598. */
const NETWORKS = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
  ['100.64.0.0', 10],
  ['::1', 128],
  ['fe80::', 10],
  ['fc00::', 7],
] as const;

const privateNetworks = new BlockList();
for (const [network, bits] of NETWORKS) privateNetworks.addSubnet(network, bits, familyOf(network));

/** True for an address of a private network, including IPv4 mapped to IPv6 (`::ffff:10.0.0.1`). */
export function isPrivate(address: string | undefined): boolean {
  if (address === undefined || isIP(address) === 0) return false;
  // The zone of a link-local address names a network interface.
  return privateNetworks.check(address.replace(/%.*$/s, ''), familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
