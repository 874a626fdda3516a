import { isIPv4, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** What one caller can be expected to have: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%');
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(plain)) return address;
  const [before = '', after] = plain.split('::');
  const head = groups(before);
  const tail = after === undefined ? [] : groups(after);
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => 0);
  const network = [...head, ...(after === undefined ? [] : zeros), ...tail].slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end stands for two groups; which ones does not matter beyond the /64. */
function groups(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}
