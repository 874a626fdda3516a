import { BlockList, isIP } from 'node:net';

/** Networks that no stranger calls from, unless the service is open to them: loopback, link-local, and RFC 1918, 4193, 6598. */
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

/** True for an address of a private network, also for an IPv4 one that is written as IPv6 (`::ffff:10.0.0.1`). */
export function isPrivate(address: string | undefined): boolean {
  if (address === undefined || isIP(address) === 0) return false;
  // The zone of a link-local address names an interface of this machine.
  return privateNetworks.check(address.replace(/%.*$/s, ''), familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
