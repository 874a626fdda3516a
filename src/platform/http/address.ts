import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { type ScalarType, text, withoutBrackets } from '../../config/bind/key-type.js';

/** Text of an address; an IPv6 address needs at least two colons, so that `host:port` is rejected. */
const plainAddress = text({
  form: /^(?:(?=.*[a-z])[\w.-]+|\d{1,3}(?:\.\d{1,3}){3}|(?=(?:[^:]*:){2})[\da-f:.]+(?:%[\w.-]+)?)$/i,
  called: 'a host name or an IP address without a port',
});

/** Address to bind: a host name, IPv4, or IPv6 with or without brackets. */
export const address: ScalarType<string> = {
  ...plainAddress,
  parse: (value) => plainAddress.parse(withoutBrackets(value)),
};

/** Host for a URL on this machine; `localhost` stands for wildcards. */
export function reachable(bound: string | undefined): string {
  return isWildcard(bound) ? 'localhost' : inUrl(bound);
}

/**
 * The addresses of this machine; empty if the process may not read them, such as under systemd's
 * `RestrictAddressFamilies` without `AF_NETLINK`.
 */
function machineAddresses(): readonly NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((all = []) => all);
  } catch {
    return [];
  }
}

/** Host for a URL on other machines. For a wildcard it is the first network address of this machine. */
export function outward(bound: string | undefined, addresses = machineAddresses()): string {
  if (!isWildcard(bound)) return inUrl(bound);
  const outer = addresses.filter(({ internal }) => !internal);
  const isLinkLocal = (ip: string): boolean => /^fe[89ab]/i.test(ip);
  const found = outer.find(({ family }) => family === 'IPv4') ?? outer.find(({ address: ip }) => !isLinkLocal(ip));
  return found ? inUrl(found.address) : 'localhost';
}

function isWildcard(bound: string | undefined): bound is undefined {
  return bound === undefined || bound === '0.0.0.0' || /^[0:]+$/.test(bound);
}

function inUrl(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}
