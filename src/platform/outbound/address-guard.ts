import { BlockList, isIP } from 'node:net';
import { HostPatterns } from './host-patterns.js';

type Family = 'ipv4' | 'ipv6';

/** IPv4 networks that are not globally reachable (IANA special-purpose registry, RFC 6890), and multicast. */
const SPECIAL_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/**
 * Networks within 2000::/3, the global IPv6 addresses, that are not public: Teredo and similar, documentation, 6to4.
 */
const SPECIAL_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const specialV4 = new BlockList();
for (const [network, bits] of SPECIAL_V4) specialV4.addSubnet(network, bits, 'ipv4');
const specialV6 = new BlockList();
for (const [network, bits] of SPECIAL_V6) specialV6.addSubnet(network, bits, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Decides which addresses an outgoing call may reach: public ones, and those that the operator allows. */
export class AddressGuard {
  private readonly networks = new BlockList();
  private readonly hosts: HostPatterns;

  /** `allowed` contains addresses, networks such as 10.0.0.0/8, and host names such as idp.corp or *.corp. */
  constructor(allowed: readonly string[]) {
    const isNetwork = (entry: string): boolean => networkOf(entry) !== undefined;
    for (const entry of allowed) {
      const network = networkOf(entry);
      if (network) this.networks.addSubnet(network.address, network.bits, network.family);
    }
    this.hosts = new HostPatterns(allowed.filter((entry) => !isNetwork(entry)));
  }

  /** True if calls to a host name may reach any address. */
  allowsHost(host: string): boolean {
    return this.hosts.match(host);
  }

  allowsAddress(text: string): boolean {
    const address = text.replace(/%.*$/s, '');
    const family = familyOf(address);
    if (!family) return false;
    const embedded = embeddedV4(address);
    if (this.networks.check(address, family)) return true;
    const tunnelled = isatapV4(address);
    if (tunnelled !== undefined && specialV4.check(tunnelled, 'ipv4')) return this.networks.check(tunnelled, 'ipv4');
    if (embedded !== undefined) return this.networks.check(embedded, 'ipv4') || !specialV4.check(embedded, 'ipv4');
    if (family === 'ipv4') return !specialV4.check(address, 'ipv4');
    return global.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
  }
}

/** An entry of the allow list that is an address or a network; undefined for a host name. */
export function networkOf(
  entry: string,
): { readonly address: string; readonly bits: number; readonly family: Family } | undefined {
  const [, address = '', bits] = /^([\d.]+|[\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
  const family = familyOf(address);
  if (!family) return undefined;
  const maxPrefix = family === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? maxPrefix : Number(bits);
  return length <= maxPrefix ? { address, bits: length, family } : undefined;
}

/** The IPv4 address in one that is mapped (RFC 4291 section 2.5.5.2) or of NAT64 (RFC 6052). */
function embeddedV4(address: string): string | undefined {
  return v4At(address, /^(?:::ffff:|64:ff9b::)(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/);
}

/** The IPv4 address to which a router of the site tunnels, whatever the prefix (RFC 5214 section 6.1). */
function isatapV4(address: string): string | undefined {
  return v4At(address, /:(?:0|200)?:5efe:(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/);
}

/** The IPv4 address in the last two groups of an IPv6 address, which `form` captures. */
function v4At(address: string, form: RegExp): string | undefined {
  if (isIP(address) !== 6) return undefined;
  // The URL parser writes an IPv6 address in one form, in hexadecimal.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [, high, low] = form.exec(canonical) ?? [];
  if (low === undefined) return undefined;
  const bits = Number.parseInt(high ?? '0', 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
